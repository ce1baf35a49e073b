"""UTF-8 by hand: the same as Python's codec on everything that there is to encode and decode."""

import random
import re
from itertools import product

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from bpe.utf8 import (
    REPLACEMENT,
    decode,
    encode,
    encode_code_point,
    repair_surrogates,
    text_to_bytes,
)

SCALAR_VALUES = [n for n in range(0x110000) if not 0xD800 <= n <= 0xDFFF]

# Bytes on both sides of every border that UTF-8 knows.
BORDERS = bytes.fromhex(
    "00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 f8 fe ff"
)

any_text = st.text(st.characters(exclude_categories=()))  # with surrogates, which text() leaves out


def agrees_with_python(data: bytes) -> bool:
    """Whether ``decode`` does what Python's codec does, to the place of the first bad byte."""
    try:
        expected = data.decode("utf-8")
    except UnicodeDecodeError as error:
        expected = f"byte 0x{data[error.start]:02x} at position {error.start} "
    try:
        same = decode(data) == expected
    except ValueError as error:
        same = str(error).startswith(expected)
    return same and decode(data, errors="replace") == data.decode("utf-8", "replace")


class TestEveryScalarValue:
    def test_there_are_1112064(self) -> None:
        assert len(SCALAR_VALUES) == 1_112_064

    def test_encode_code_point(self) -> None:
        assert all(encode_code_point(n) == chr(n).encode("utf-8") for n in SCALAR_VALUES)

    def test_decode(self) -> None:
        assert all(decode(chr(n).encode("utf-8")) == chr(n) for n in SCALAR_VALUES)

    def test_as_one_text(self) -> None:
        text = "".join(map(chr, SCALAR_VALUES))
        data = encode(text)
        assert data == text.encode("utf-8")
        assert decode(data) == text

    @pytest.mark.parametrize(
        ("code_point", "data"),
        [
            (0x0, "00"),
            (0x7F, "7f"),
            (0x80, "c2 80"),
            (0x7FF, "df bf"),
            (0x800, "e0 a0 80"),
            (0xD7FF, "ed 9f bf"),
            (0xE000, "ee 80 80"),
            (0x9F98, "e9 be 98"),  # 龘: not 9F 98 85, as one text has it
            (0xFFFF, "ef bf bf"),
            (0x10000, "f0 90 80 80"),
            (0x10FFFF, "f4 8f bf bf"),
        ],
    )
    def test_borders_spelled_out(self, code_point: int, data: str) -> None:
        assert encode_code_point(code_point).hex(" ") == data
        assert decode(bytes.fromhex(data)) == chr(code_point)


class TestBytesThatAreNotUtf8:
    def test_all_sequences_of_one_and_two_bytes(self) -> None:
        for n in (1, 2):
            assert all(agrees_with_python(bytes(data)) for data in product(range(256), repeat=n))

    def test_all_sequences_of_three_border_bytes(self) -> None:
        assert all(agrees_with_python(bytes(data)) for data in product(BORDERS, repeat=3))

    def test_100_000_random_sequences_of_border_bytes(self) -> None:
        rng = random.Random(2)
        for _ in range(100_000):
            data = bytes(rng.choices(BORDERS, k=rng.randint(4, 9)))
            assert agrees_with_python(data), data.hex(" ")

    @given(st.binary())
    def test_any_bytes(self, data: bytes) -> None:
        assert agrees_with_python(data)

    @given(any_text, st.integers(0, 3), st.integers(0, 3))
    def test_any_text_cut_anywhere(self, text: str, front: int, back: int) -> None:
        data = text_to_bytes(text)
        assert agrees_with_python(data[front : len(data) - back])

    @pytest.mark.parametrize(
        ("data", "count"),
        [
            ("80", 1),  # a byte that continues nothing
            ("c0 af", 2),  # an overlong /
            ("e0 80 af", 3),
            ("ed a0 80", 3),  # a surrogate
            ("f5 80 80 80", 4),  # beyond U+10FFFF
            ("e2 82", 1),  # the beginning of a character, cut off
            ("f0 9f a4", 1),
            ("f0 9f f0 9f", 2),
            ("f0 9f 41 e2", 2),
        ],
    )
    def test_how_many_replacements(self, data: str, count: int) -> None:
        assert decode(bytes.fromhex(data), errors="replace").count(REPLACEMENT) == count

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ("80", "byte 0x80 at position 0 cannot start a character: it continues a character"),
            (
                "41 ff",
                "byte 0xff at position 1 cannot start a character: it is never used in UTF-8",
            ),
            ("c3", "byte 0xc3 at position 0 needs 1 more byte, and the data ends after 0"),
            ("e2 82", "byte 0xe2 at position 0 needs 2 more bytes, and the data ends after 1"),
            (
                "ed a0 80",
                "0xed at position 0 needs 2 more bytes, and 0xa0 at position 1 is not one",
            ),
        ],
    )
    def test_message_names_byte_place_and_way_out(self, data: str, message: str) -> None:
        with pytest.raises(ValueError, match=f"{message}.*errors='replace'"):
            decode(bytes.fromhex(data))


class TestWhatDecodeTakes:
    @pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, list, tuple, iter])
    def test_bytes_and_ints(self, kind: type) -> None:
        assert decode(kind("é안🤗".encode())) == "é안🤗"

    def test_empty(self) -> None:
        assert decode(b"") == decode([], errors="replace") == ""
        assert encode("") == text_to_bytes("") == b""

    @pytest.mark.parametrize("ids", [[65, 256], (65, -1), iter([65, 10**30])])
    def test_an_int_that_is_no_byte(self, ids: object) -> None:
        with pytest.raises(
            ValueError, match=r"^cannot decode (256|-1|1000+) at position 1: .*0 to 255"
        ):
            decode(ids)

    def test_forgotten_brackets_are_not_128_zeros(self) -> None:
        with pytest.raises(TypeError, match="not iterable"):
            decode(128)

    @pytest.mark.parametrize("errors", ["ignore", "Strict", "", None])
    def test_errors_of_another_name(self, errors: object) -> None:
        with pytest.raises(ValueError, match=re.escape(f"errors={errors!r} is not known")):
            decode(b"a", errors=errors)


class TestWhatEncodeRefuses:
    def test_every_surrogate(self) -> None:
        for n in range(0xD800, 0xE000):
            with pytest.raises(ValueError, match=rf"U\+{n:04X} is a surrogate.*repair_surrogates"):
                encode_code_point(n)

    @pytest.mark.parametrize("n", [-1, 0x110000, 2**40])
    def test_no_code_point(self, n: int) -> None:
        with pytest.raises(ValueError, match=f"^{n:#x} is no code point: .* 0x0 to 0x10ffff"):
            encode_code_point(n)

    def test_text_with_a_surrogate_names_the_place(self) -> None:
        with pytest.raises(ValueError, match=r"position 2 of the text: U\+D83D is a surrogate"):
            encode("é🤗\ud83d")


class TestSurrogates:
    """As tiktoken treats them (its report 82 and the kind of it)."""

    ALPHABET = ("a", "é", "한", "🤗", "\ud800", "\udbc0", "\udc00", "\udfff", "\ufeff", "\ufffe")

    @pytest.fixture
    def byte_encoding(self) -> tiktoken.Encoding:
        """tiktoken without a single merge: its ids are bytes."""
        ranks = {bytes([n]): n for n in range(256)}
        return tiktoken.Encoding(
            "bytes", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={}
        )

    @pytest.mark.parametrize(
        ("text", "repaired"),
        [
            ("\udbc0", "\ufffd"),
            ("\udc4d", "\ufffd"),
            ("\ud83d\udc4d", "👍"),
            ("\udc4d\ud83d", "\ufffd\ufffd"),
            ("\ud83d\ud83d\udc4d", "\ufffd👍"),
            ("\ud83d\udc4d\udc4d", "👍\ufffd"),
            ("a\ud83db", "a\ufffdb"),
            ("\ufeff\ud83d", "\ufeff\ufffd"),  # a byte-order mark in the text is text
        ],
    )
    def test_spelled_out(self, text: str, repaired: str) -> None:
        assert repair_surrogates(text) == repaired
        assert text_to_bytes(text) == repaired.encode("utf-8")

    def test_as_tiktoken(self, byte_encoding: tiktoken.Encoding) -> None:
        for n in (1, 2, 3):
            for chars in product(self.ALPHABET, repeat=n):
                text = "".join(chars)
                assert list(text_to_bytes(text)) == byte_encoding.encode(text), ascii(text)

    @given(any_text)
    @example("\ud83d" * 3 + "\udc4d" * 3)
    def test_pairs_joined_and_lone_ones_replaced(self, text: str) -> None:
        joined = re.sub(
            "[\ud800-\udbff][\udc00-\udfff]",
            lambda pair: chr(0x10000 + (ord(pair[0][0]) - 0xD800 << 10) + ord(pair[0][1]) - 0xDC00),
            text,
        )
        assert repair_surrogates(text) == re.sub("[\ud800-\udfff]", REPLACEMENT, joined)

    @given(any_text)
    def test_repaired_once_is_repaired(self, text: str) -> None:
        repaired = repair_surrogates(text)
        assert repair_surrogates(repaired) == repaired == decode(text_to_bytes(text))


class TestProperties:
    @given(st.text())
    def test_round_trip(self, text: str) -> None:
        assert encode(text) == text_to_bytes(text) == text.encode("utf-8")
        assert decode(encode(text)) == text == repair_surrogates(text)

    @given(st.text(), st.text())
    def test_joined_before_or_after(self, first: str, second: str) -> None:
        assert encode(first + second) == encode(first) + encode(second)

    @given(st.lists(st.text()))
    def test_bytes_sort_as_code_points_do(self, texts: list[str]) -> None:
        assert sorted(map(encode, texts)) == list(map(encode, sorted(texts)))

    @given(st.text(), st.text(min_size=1))
    def test_a_text_is_found_in_bytes_exactly_where_it_is(self, text: str, part: str) -> None:
        assert (encode(part) in encode(text)) == (part in text)

    @given(st.text(), st.data())
    def test_every_character_starts_within_three_bytes(
        self, text: str, data: st.DataObject
    ) -> None:
        coded = encode(text + "é")
        i = data.draw(st.integers(0, len(coded) - 1))
        start = max(k for k in range(i + 1) if coded[k] & 0xC0 != 0x80)
        assert i - start <= 3
        assert decode(coded[:start]) + decode(coded[start:]) == text + "é"

    @given(st.binary())
    def test_decoded_with_replacements_encodes_again(self, data: bytes) -> None:
        text = decode(data, errors="replace")
        assert decode(encode(text)) == text
