"""Plausible wrong answers to the exercises of chapter 02, and what each is told."""

ANSWERS = {
    "utf8_length": [
        (
            "eight bits in one byte",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    if n < 256:
        return 1
    return 2 if n < 0x800 else 3 if n < 0x10000 else 4
""",
            "A byte alone has seven bits behind its 0",
        ),
        (
            "bits divided by eight",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return max(1, (n.bit_length() + 7) // 8)
""",
            "The marks take bits, too",
        ),
        (
            "nothing above U+FFFF",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 if n < 0x80 else 2 if n < 0x800 else 3
""",
            "three bytes are too few",
        ),
        (
            "off by one at 0x80",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 if n <= 0x80 else 2 if n < 0x800 else 3 if n < 0x10000 else 4
""",
            "Seven bits end at U+007F",
        ),
        (
            "one byte ends before 0x7F",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 if n < 0x7F else 2 if n < 0x7FF else 3 if n < 0xFFFF else 4
""",
            "U+007F is seven ones",
        ),
        (
            "off by one at 0x800",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 if n < 0x80 else 2 if n <= 0x800 else 3 if n < 0x10000 else 4
""",
            "Eleven bits end at U+07FF",
        ),
        (
            "off by one at 0x10000",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 if n < 0x80 else 2 if n < 0x800 else 3 if n <= 0x10000 else 4
""",
            "Row four begins where row three ends",
        ),
        (
            "surrogates let through",
            """
def utf8_length(n):
    if not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 + (n > 0x7F) + (n > 0x7FF) + (n > 0xFFFF)
""",
            "A surrogate is half of a UTF-16 pair",
        ),
        (
            "no end of code points",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xDFFF:
        raise ValueError(n)
    return 1 + (n > 0x7F) + (n > 0x7FF) + (n > 0xFFFF)
""",
            "Code points run from 0 to U+10FFFF",
        ),
        (
            "too many surrogates",
            """
def utf8_length(n):
    if 0xD800 <= n <= 0xE000 or not 0 <= n <= 0x10FFFF:
        raise ValueError(n)
    return 1 + (n > 0x7F) + (n > 0x7FF) + (n > 0xFFFF)
""",
            "U+D800 to U+DFFF, no further",
        ),
    ],
    "count_characters": [
        (
            "bytes for characters",
            """
def count_characters(data):
    return len(data)
""",
            "expected 2, got 6. There are two characters, in six bytes",
        ),
        (
            "only ASCII",
            """
def count_characters(data):
    return sum(byte < 0x80 for byte in data)
""",
            "expected 2, got 0. There are two characters, in six bytes, and none is ASCII",
        ),
        (
            "only what is longer than a byte",
            """
def count_characters(data):
    return sum(byte >= 0xC0 for byte in data)
""",
            "A byte below 0x80 is a whole character",
        ),
        (
            "two-byte characters forgotten",
            """
def count_characters(data):
    return sum(byte < 0x80 or byte >= 0xE0 for byte in data)
""",
            "0xc3 starts a character of two bytes",
        ),
        (
            "0x80 taken for a start",
            """
def count_characters(data):
    return sum(not 0x80 < byte < 0xC0 for byte in data)
""",
            "0x80 is 10000000",
        ),
        (
            "0xbf taken for a start",
            """
def count_characters(data):
    return sum(not 0x80 <= byte < 0xBF for byte in data)
""",
            "What begins with the bits 10 continues",
        ),
        (
            "graphemes",
            r"""
import regex

def count_characters(data):
    return len(regex.findall(r"\X", data.decode("utf-8")))
""",
            "not what the eye takes for one",
        ),
        (
            "words and no spaces",
            """
def count_characters(data):
    return sum(byte & 0xC0 != 0x80 and byte > 0x20 for byte in data)
""",
            "A space and a newline are characters",
        ),
    ],
    "safe_cut": [
        (
            "a plain slice",
            """
def safe_cut(data, limit):
    return data[:limit]
""",
            r"got b'\xec\x95\x88\xeb'. A split character goes as a whole",
        ),
        (
            "characters for bytes",
            """
def safe_cut(data, limit):
    return data.decode("utf-8")[:limit].encode("utf-8")
""",
            "The limit counts bytes, not characters",
        ),
        (
            "replaced, and longer than the limit",
            """
def safe_cut(data, limit):
    return data[:limit].decode("utf-8", errors="replace").encode("utf-8")
""",
            r"\xef\xbf\xbd'. A split character goes as a whole, and leaves no mark",
        ),
        (
            "always drops a character",
            """
def safe_cut(data, limit):
    data = data[:limit]
    while data and data[-1] & 0xC0 == 0x80:
        data = data[:-1]
    return data[:-1]
""",
            "A cut between two characters splits none",
        ),
        (
            "one step back",
            """
def safe_cut(data, limit):
    if limit < len(data) and data[limit] & 0xC0 == 0x80:
        limit -= 1
    return data[:limit]
""",
            "One step back may not do",
        ),
        (
            "beyond the end",
            """
def safe_cut(data, limit):
    while data[limit] & 0xC0 == 0x80:
        limit -= 1
    return data[:limit]
""",
            "IndexError came: index out of range. The limit is the length of the data",
        ),
        (
            "the limit only just reached",
            """
def safe_cut(data, limit):
    if limit == len(data):
        return data
    while data[limit] & 0xC0 == 0x80:
        limit -= 1
    return data[:limit]
""",
            "Nothing, cut, is nothing",
        ),
        (
            "every character has three bytes",
            """
def safe_cut(data, limit):
    if data.isascii() or limit >= len(data):
        return data[:limit]
    return data[: limit // 3 * 3]
""",
            "A character has one to four bytes",
        ),
        (
            "takes every beginning for UTF-8",
            """
def safe_cut(data, limit):
    return data[:limit].decode("utf-8").encode("utf-8")
""",
            "but UnicodeDecodeError came",
        ),
        (
            "drops characters until it fits",
            """
def safe_cut(data, limit):
    text = data.decode("utf-8")
    while len(text.encode("utf-8")) > limit:
        text = text[:-1]
    return text.encode("utf-8")
""",
            "The work grows faster than the input",
        ),
    ],
    "utf16_units": [
        (
            "code points for units",
            """
def utf16_units(text):
    return [ord(char) for char in text]
""",
            "A unit has sixteen bits",
        ),
        (
            "with a byte-order mark",
            """
def utf16_units(text):
    data = text.encode("utf-16")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]
""",
            "no byte-order mark",
        ),
        (
            "nothing subtracted",
            """
def utf16_units(text):
    units = []
    for n in map(ord, text):
        units += [n] if n < 0x10000 else [0xD800 | n >> 10, 0xDC00 | n & 0x3FF]
    return units
""",
            "Subtract 0x10000 first",
        ),
        (
            "low half first",
            """
def utf16_units(text):
    units = []
    for n in map(ord, text):
        if n >= 0x10000:
            n -= 0x10000
            units += [0xDC00 | n & 0x3FF, 0xD800 | n >> 10]
        else:
            units.append(n)
    return units
""",
            "The lower ten bits stand second",
        ),
        (
            "off by one at U+10000",
            """
def utf16_units(text):
    units = []
    for n in map(ord, text):
        if n <= 0x10000:
            units.append(n)
        else:
            n -= 0x10000
            units += [0xD800 | n >> 10, 0xDC00 | n & 0x3FF]
    return units
""",
            "U+10000 is the first that needs a pair",
        ),
        (
            "U+FFFF as a pair",
            """
def utf16_units(text):
    units = []
    for n in map(ord, text):
        if n < 0xFFFF:
            units.append(n)
        else:
            n -= 0x10000
            units += [0xD800 | n >> 10 & 0x3FF, 0xDC00 | n & 0x3FF]
    return units
""",
            "Find the last that needs no pair",
        ),
        (
            "a codec that refuses lone surrogates",
            """
def utf16_units(text):
    data = text.encode("utf-16-le")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]
""",
            "A lone surrogate stays as it is",
        ),
        (
            "a call for each character",
            """
def utf16_units(text):
    if not text:
        return []
    n = ord(text[0])
    if n < 0x10000:
        return [n] + utf16_units(text[1:])
    n -= 0x10000
    return [0xD800 | n >> 10, 0xDC00 | n & 0x3FF] + utf16_units(text[1:])
""",
            "The recursion went too deep",
        ),
        (
            "from the end, each unit in front",
            """
def utf16_units(text):
    units = []
    for n in map(ord, reversed(text)):
        if n < 0x10000:
            units.insert(0, n)
        else:
            n -= 0x10000
            units.insert(0, 0xDC00 | n & 0x3FF)
            units.insert(0, 0xD800 | n >> 10)
    return units
""",
            "The work grows faster than the input",
        ),
    ],
    "code_for_malayalam": [
        (
            "UTF-8 again",
            """
def to_bytes(text):
    return text.encode("utf-8")

def to_text(data):
    return data.decode("utf-8")
""",
            "What is a single byte for?",
        ),
        (
            "two bytes for everything",
            """
def to_bytes(text):
    return b"".join(ord(char).to_bytes(2, "big") for char in text)

def to_text(data):
    return "".join(chr(data[i] << 8 | data[i + 1]) for i in range(0, len(data), 2))
""",
            "but OverflowError came",
        ),
        (
            "a codec that replaces",
            """
def to_bytes(text):
    window = "".join(chr(n - 0xD00 + 0x80) if 0xD00 <= (n := ord(c)) < 0xD80 else c for c in text)
    return window.encode("latin-1", errors="replace")

def to_text(data):
    return "".join(chr(n + 0xD00 - 0x80) if n >= 0x80 else chr(n) for n in data)
""",
            "What is neither English nor Malayalam must come back",
        ),
        (
            "compresses the whole text",
            """
import zlib

def to_bytes(text):
    return zlib.compress(text.encode("utf-8"))

def to_text(data):
    return zlib.decompress(data).decode("utf-8")
""",
            "A character has the same bytes in every text",
        ),
        (
            "single bytes for Malayalam alone",
            """
def to_bytes(text):
    data = bytearray()
    for n in map(ord, text):
        if 0xD00 <= n < 0xD80:
            data.append(n - 0xD00 + 0x80)
        elif n < 0x80:
            data += bytes([0, n])
        else:
            data += bytes([1]) + n.to_bytes(3, "big")
    return bytes(data)

def to_text(data):
    text, i = "", 0
    while i < len(data):
        if data[i] >= 0x80:
            text, i = text + chr(data[i] + 0xD00 - 0x80), i + 1
        elif data[i] == 0:
            text, i = text + chr(data[i + 1]), i + 2
        else:
            text, i = text + chr(int.from_bytes(data[i + 1 : i + 4], "big")), i + 4
    return text
""",
            "ASCII must stay at one byte",
        ),
        (
            "the mark itself is forgotten",
            """
def to_bytes(text):
    data = bytearray()
    for n in map(ord, text):
        if n < 0x80:
            data.append(n)
        elif 0xD00 <= n < 0xD80:
            data.append(n - 0xD00 + 0x80)
        else:
            data += bytes([0x10]) + n.to_bytes(3, "big")
    return bytes(data)

def to_text(data):
    text, i = "", 0
    while i < len(data):
        n, i = data[i], i + 1
        if n == 0x10:
            n, i = int.from_bytes(data[i : i + 3], "big"), i + 3
        elif n >= 0x80:
            n += 0xD00 - 0x80
        text += chr(n)
    return text
""",
            "also one that you use as a mark",
        ),
        (
            "a list of numbers",
            """
def to_bytes(text):
    data = []
    for n in map(ord, text):
        if n < 0x80 and n != 0x10:
            data.append(n)
        elif 0xD00 <= n < 0xD80:
            data.append(n - 0xD00 + 0x80)
        else:
            data += [0x10, *n.to_bytes(3, "big")]
    return data

def to_text(data):
    text, i = "", 0
    while i < len(data):
        n, i = data[i], i + 1
        if n == 0x10:
            n, i = int.from_bytes(data[i : i + 3], "big"), i + 3
        elif n >= 0x80:
            n += 0xD00 - 0x80
        text += chr(n)
    return text
""",
            "of type bytes",
        ),
    ],
}
