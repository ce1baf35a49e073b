"""Chapter 02: UTF-8 by hand, in both directions.

A code point (0 to 0x10FFFF, without the surrogates 0xD800 to 0xDFFF) becomes one to four bytes::

    up to       bits   bytes
    U+007F         7   0xxxxxxx
    U+07FF        11   110xxxxx 10xxxxxx
    U+FFFF        16   1110xxxx 10xxxxxx 10xxxxxx
    U+10FFFF      21   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx

Follows RFC 3629. Bytes that are not UTF-8 are treated as the Unicode Standard recommends (section
3.9, "substitution of maximal subparts"), which is what Python's own codec does.

The course writes the codec to understand it; ``text_to_bytes``, which later chapters use, calls
Python's codec, which is the same function and faster.
"""

from collections.abc import Iterable

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def encode_code_point(code_point: int) -> bytes:
    """Return the one to four bytes of UTF-8 for ``code_point``.

    Args:
        code_point: An int from 0 to 0x10FFFF that is not a surrogate.

    Raises:
        ValueError: The number is no code point, or a surrogate (half of a UTF-16 pair), which
            UTF-8 does not carry.

    >>> encode_code_point(ord("é")).hex(" ")
    'c3 a9'
    >>> encode_code_point(0x1F44B).decode("utf-8")
    '👋'
    """
    if not 0 <= code_point <= 0x10FFFF:
        raise ValueError(f"{code_point:#x} is no code point: they run from 0x0 to 0x10ffff")
    if 0xD800 <= code_point <= 0xDFFF:
        raise ValueError(
            f"U+{code_point:04X} is a surrogate, one half of a UTF-16 pair, and has no UTF-8 form. "
            "bpe.utf8.repair_surrogates joins the halves or replaces a lone one."
        )
    if code_point < 0x80:
        return bytes([code_point])
    # The lowest six bits go into the last byte, the next six into the byte before it, and so on.
    tail = []
    limit, lead = 0x20, 0b1100_0000  # what fits into the first of two bytes, and its mark
    while True:
        tail.append(0b1000_0000 | code_point & 0b0011_1111)
        code_point >>= 6
        if code_point < limit:
            return bytes([lead | code_point, *reversed(tail)])
        limit, lead = limit >> 1, lead >> 1 | 0b1000_0000


def encode(text: str) -> bytes:
    """Return ``text`` in UTF-8, as ``text.encode("utf-8")`` does.

    Raises:
        ValueError: The text holds a surrogate. The message names the place.

    >>> encode("hé!")
    b'h\\xc3\\xa9!'
    """
    parts = []
    for place, char in enumerate(text):
        try:
            parts.append(encode_code_point(ord(char)))
        except ValueError as error:
            raise ValueError(f"cannot encode position {place} of the text: {error}") from None
    return b"".join(parts)


def _shape(lead: int) -> tuple[int, int, int]:
    """For a first byte: how many bytes follow it, and the range that the next one must lie in.

    The range keeps out three things at once: overlong forms (E0, F0), surrogates (ED), and code
    points above U+10FFFF (F4). A byte that starts nothing gives -1 followers.
    """
    if lead < 0x80:
        return 0, 0, 0
    if 0xC2 <= lead <= 0xDF:  # C0 and C1 could only start an overlong form of ASCII
        return 1, 0x80, 0xBF
    if 0xE0 <= lead <= 0xEF:
        return 2, 0xA0 if lead == 0xE0 else 0x80, 0x9F if lead == 0xED else 0xBF
    if 0xF0 <= lead <= 0xF4:
        return 3, 0x90 if lead == 0xF0 else 0x80, 0x8F if lead == 0xF4 else 0xBF
    return -1, 0, 0


def decode(data: bytes | Iterable[int], errors: str = "strict") -> str:
    """Return the text that the UTF-8 bytes ``data`` stand for.

    Args:
        data: Bytes, or ints from 0 to 255.
        errors: ``"strict"`` raises at the first byte that cannot be right; ``"replace"`` puts
            U+FFFD in the place of each sequence that was started and not finished.

    Raises:
        ValueError: ``data`` is not UTF-8 and ``errors`` is ``"strict"``, or one of the ints is no
            byte (the message names it and its place), or ``errors`` is neither word.

    >>> decode(b"h\\xc3\\xa9!")
    'hé!'
    >>> decode([0x80], errors="replace")
    '\ufffd'
    """
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors={errors!r} is not known: use 'strict' or 'replace'")
    data = _as_bytes(data)
    chars = []
    i = 0
    while i < len(data):
        lead = data[i]
        follow, low, high = _shape(lead)
        end = i + 1
        code_point = lead & (0x7F >> (follow + 1 if follow > 0 else 0))
        # Walk as far as the bytes fit; only the second byte has a range of its own.
        while end <= i + follow and end < len(data) and low <= data[end] <= high:
            code_point = code_point << 6 | data[end] & 0b0011_1111
            low, high = 0x80, 0xBF
            end += 1
        if end == i + 1 + follow:
            chars.append(chr(code_point))
        elif errors == "replace":
            chars.append(REPLACEMENT)
        else:
            raise ValueError(_explain(data, i, end, follow))
        i = end
    return "".join(chars)


def _as_bytes(data: bytes | Iterable[int]) -> bytes:
    """Like ``bytes(data)``, which would take the int 128 for a wish for 128 zeros, though."""
    if isinstance(data, bytes):
        return data
    ints = list(data)
    try:
        return bytes(ints)
    except ValueError:
        place = next(i for i, byte in enumerate(ints) if not 0 <= byte <= 255)
        raise ValueError(
            f"cannot decode {ints[place]} at position {place}: a byte is an int from 0 to 255"
        ) from None


def _explain(data: bytes, start: int, end: int, follow: int) -> str:
    lead = f"byte 0x{data[start]:02x} at position {start}"
    way_out = "; errors='replace' puts U+FFFD in its place"
    if follow < 0:
        kind = "continues a character" if data[start] < 0xC0 else "is never used in UTF-8"
        return f"{lead} cannot start a character: it {kind}{way_out}"
    needs = f"{lead} needs {follow} more byte{'s' if follow > 1 else ''}"
    if end == len(data):
        return f"{needs}, and the data ends after {end - start - 1}{way_out}"
    return f"{needs}, and 0x{data[end]:02x} at position {end} is not one of them{way_out}"


def repair_surrogates(text: str) -> str:
    """Return ``text`` with pairs of surrogates joined and lone ones replaced by U+FFFD.

    A str can hold halves of UTF-16 pairs (from JSON, or from Windows file names). tiktoken treats
    them this way, and so does every tokenizer of the course.

    >>> repair_surrogates("\\ud83d\\udc4d")
    '👍'
    >>> repair_surrogates("a\\udbc0")
    'a\ufffd'
    """
    try:
        text.encode("utf-8")  # to try is several times as fast as to search
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def text_to_bytes(text: str) -> bytes:
    """Return the UTF-8 bytes of any str: surrogates, which UTF-8 refuses, are repaired first.

    >>> text_to_bytes("é")
    b'\\xc3\\xa9'
    >>> text_to_bytes("\\ud83d")
    b'\\xef\\xbf\\xbd'
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return repair_surrogates(text).encode("utf-8")
