"""Safe places: text cut there has the words of the whole."""

import io
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe import datasets
from bpe.blocks import (
    _AFTER_VISIBLE,
    CUT_AT_SPACES,
    Block,
    Borders,
    check_errors,
    decode,
    list_files,
    pieces,
    plan_blocks,
    read_block,
)
from bpe.categories import compile_split, ranges
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN

# Overlapping on purpose, with spaces and newlines inside and at their ends.
SPECIALS = ["<|end|>", "<|e", "d|> x", "aa", "aaa", " <s> ", "\n\n<p>", ">\n", "《終》"]
MORE = ["  ", "\n\n", "'S", "'ll "]
AWKWARD = st.sampled_from(
    [*SPECIALS, *"a b1'’s\n\r\t/.<|>\u00a0\u3000\u0085\u2028éǅß中ーあ。\u0301😀٣", *MORE]
)
TEXTS = st.lists(AWKWARD, max_size=30).map("".join)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def words(text: str, borders: Borders) -> list[list[str]]:
    """The words of each part between special tokens."""
    split = compile_split(borders.pattern)
    return [split(part) for part in borders.cut_out(text)]


def flat(lists: list[list[str]]) -> list[str]:
    return [word for each in lists for word in each]


def all_places(data: bytes, borders: Borders) -> list[tuple[int, str | None]]:
    found = (borders.find(data, start) for start in range(1, len(data)))
    return sorted({place for place in found if place}, key=lambda place: place[0])


class TestPlaces:
    @pytest.mark.parametrize("pattern", CUT_AT_SPACES)
    @given(text=TEXTS | ANY_TEXT, specials=st.lists(st.sampled_from(SPECIALS), max_size=3))
    @example(text="a.\n\n/ b", specials=[])
    @settings(max_examples=300)
    def test_the_words_of_the_parts_are_those_of_the_whole(self, pattern, text, specials) -> None:
        borders = Borders(pattern, specials)
        data = text.encode()
        whole = words(text, borders)
        for place, special in all_places(data, borders):
            left, right = (part.decode() for part in (data[:place], data[place:]))
            assert flat(words(left, borders)) + flat(words(right, borders)) == flat(whole)
            if special:  # the token stands there as one, and not as plain text
                assert left.endswith(special)
                assert words(left, borders)[-1] == []
                assert words(left, borders)[:-1] + words(right, borders) == whole

    @given(text=TEXTS, specials=st.lists(st.sampled_from(SPECIALS), min_size=1, max_size=3))
    @settings(max_examples=300)
    def test_a_place_that_is_not_said_to_follow_a_special_token_follows_none(
        self, text, specials
    ) -> None:
        borders = Borders(GPT4_PATTERN, specials)
        data = text.encode()
        for place, special in all_places(data, borders):
            if special is None:
                left, right = (part.decode() for part in (data[:place], data[place:]))
                inner = [*words(left, borders)[:-1], *words(right, borders)[1:]]
                joined = words(left, borders)[-1] + words(right, borders)[0]
                assert joined in words(text, borders)
                assert len(inner) + 1 == len(words(text, borders))

    # A pattern that looks back and far ahead: only special tokens stop it.
    @given(text=TEXTS, specials=st.lists(st.sampled_from(SPECIALS), min_size=1, max_size=3))
    @settings(max_examples=300)
    def test_any_pattern_is_cut_at_special_tokens_alone(self, text, specials) -> None:
        borders = Borders(r"(?<=b )a|\w+(?=.*1)|(?s:.)", specials)
        data = text.encode()
        for place, special in all_places(data, borders):
            assert special is not None
            left, right = (part.decode() for part in (data[:place], data[place:]))
            assert words(left, borders)[:-1] + words(right, borders) == words(text, borders)

    def test_where_it_cuts(self) -> None:
        def shown(text: str, *specials: str, pattern: str = GPT4_PATTERN) -> str:
            data, borders = text.encode(), Borders(pattern, specials)
            ends = [0, *(place for place, _ in all_places(data, borders)), len(data)]
            return "·".join(data[i:j].decode() for i, j in pairwise(ends))

        assert shown("one two  three\n four") == "one· two·  three\n four"
        assert shown("one\ntwo\n\nthree.\nfour\n/five") == "one\n·two\n\nthree.\n·four\n/five"
        assert shown("中文 字。\n然\u3000 a\u00a0 b") == "中文· 字。\n·然\u3000 a\u00a0 b"
        assert shown("ab<e>cd <e> e", "<e>") == "ab<e>·cd <e>· e"
        assert shown("a b<e>c d", "<e>", pattern=r"\w+") == "a b<e>·c d"
        assert shown("a b c", pattern=r"\w+") == "a b c"
        # Which of two that overlap wins is decided further left: no cut there.
        assert shown("<<e>>>", "<<e>>", "<e>>>", pattern=r"\w+") == "<<e>>>"
        assert shown("x the end y", " the end") == "x the end· y"

    def test_white_space_is_what_the_patterns_take_for_it(self) -> None:
        space = re.compile(_AFTER_VISIBLE)
        whites = {code for first, last in ranges("space") for code in range(first, last + 1)}
        for code in range(0x21, 0x11000):
            if not 0xD800 <= code < 0xE000:
                data = chr(code).encode()
                assert bool(space.match(data, len(data))) == (code not in whites), hex(code)

    @pytest.mark.parametrize("special", ["", 7, "\ud800"])
    def test_special_tokens_that_cannot_be(self, special) -> None:
        with pytest.raises(ValueError, match="special token"):
            Borders(GPT4_PATTERN, [special])
        with pytest.raises(ValueError, match="give a list"):
            Borders(GPT4_PATTERN, "<|end|>")


class TestBlocks:
    @given(text=TEXTS, size=st.integers(1, 40), pattern=st.sampled_from(CUT_AT_SPACES))
    def test_blocks_and_pieces_are_the_file(self, tmp_path_factory, text, size, pattern) -> None:
        file = tmp_path_factory.getbasetemp() / "text.txt"
        file.write_bytes(text.encode())
        borders = Borders(pattern, SPECIALS[:4])
        blocks = list(plan_blocks(file, borders, size))
        parts = [read_block(block) for block in blocks]
        assert b"".join(parts) == text.encode()
        assert all(len(part) >= size for part in parts[:-1])
        found = [word for part in parts for word in flat(words(part.decode(), borders))]
        assert found == flat(words(text, borders))
        cut = list(pieces(io.BytesIO(text.encode()), borders, size))
        assert b"".join(cut) == text.encode()
        found = [word for part in cut for word in flat(words(part.decode(), borders))]
        assert found == flat(words(text, borders))

    @pytest.mark.parametrize("pattern", [GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN])
    def test_one_long_document(self, tmp_path: Path, pattern: str) -> None:
        text = (datasets.article() + datasets.paragraph()) * 40
        file = tmp_path / "long.txt"
        file.write_text(text, encoding="utf-8", newline="")
        borders = Borders(pattern)
        blocks = list(plan_blocks(file, borders, 10_000))
        lengths = [block.stop - block.start for block in blocks]
        assert max(lengths) < 11_000 and min(lengths[:-1]) >= 10_000
        found = [w for block in blocks for w in flat(words(read_block(block).decode(), borders))]
        assert found == flat(words(text, borders))

    def test_a_document_without_a_place_is_read_once_and_kept_whole(self, tmp_path: Path) -> None:
        file = tmp_path / "solid.txt"
        file.write_bytes(b"x" * 300_000 + b" y")
        blocks = list(plan_blocks(file, Borders(GPT4_PATTERN, ["<e>"]), 1000))
        assert [(block.start, block.stop) for block in blocks] == [(0, 300_000), (300_000, 300_002)]
        assert len(list(plan_blocks(file, Borders(r"\w+"), 1000))) == 1
        with file.open("rb") as stream:
            lengths = list(map(len, pieces(stream, Borders(GPT4_PATTERN), 999)))
        assert lengths == [300_000, 2]

    def test_a_special_token_is_preferred_and_told(self, tmp_path: Path) -> None:
        file = tmp_path / "documents.txt"
        file.write_bytes(b"a few words here<e>and there <e>")
        blocks = list(plan_blocks(file, Borders(GPT4_PATTERN, ["<e>"]), 3))
        assert [(block.start, block.after) for block in blocks][:2] == [(0, None), (19, "<e>")]

    def test_specials_at_every_border(self, tmp_path: Path) -> None:
        """The token lies across the border wherever a block would end."""
        for size in range(1, 60):
            file = tmp_path / "documents.txt"
            text = "".join(f"document {i}<|endoftext|>" for i in range(12))
            file.write_text(text)
            borders = Borders(GPT2_PATTERN, ["<|endoftext|>"])
            blocks = list(plan_blocks(file, borders, size))
            found = [flat(words(read_block(block).decode(), borders)) for block in blocks]
            assert flat(found) == flat(words(text, borders))
            assert not any(b"<|endoftext|>" in read_block(block)[:12] for block in blocks)

    def test_wide_windows_find_places_beyond_them(self, tmp_path: Path) -> None:
        rng = random.Random(5)
        file = tmp_path / "wide.txt"
        borders = Borders(GPT4_PATTERN, ["<e>"])
        text = "".join(rng.choice(["x" * rng.randrange(200_000), " ", "<e>"]) for _ in range(12))
        file.write_text(text)
        parts = [read_block(block).decode() for block in plan_blocks(file, borders, 9)]
        assert flat([flat(words(part, borders)) for part in parts]) == flat(words(text, borders))

    def test_nothing_and_too_little(self, tmp_path: Path) -> None:
        file = tmp_path / "empty.txt"
        file.touch()
        assert list(plan_blocks(file, Borders(GPT4_PATTERN))) == []
        assert list(pieces(io.BytesIO(b""), Borders(GPT4_PATTERN))) == []
        with pytest.raises(ValueError, match="block_size=0"):
            list(plan_blocks(file, Borders(GPT4_PATTERN), 0))
        with pytest.raises(ValueError, match="shorter"):
            read_block(Block(str(file), 0, 10))


class TestFilesAndBytes:
    def test_files(self, tmp_path: Path) -> None:
        file = tmp_path / "a.txt"
        file.touch()
        assert list_files(file) == list_files([str(file)]) == [str(file)]
        with pytest.raises(ValueError, match="is a folder"):
            list_files(tmp_path)
        with pytest.raises(ValueError, match="there is no file .*b.txt"):
            list_files([file, tmp_path / "b.txt"])

    def test_bytes_that_are_no_text(self) -> None:
        with pytest.raises(ValueError, match=r"a.txt, byte 103: not UTF-8 \(invalid start byte\)"):
            decode(b"abc\xff", "strict", "a.txt", 100)
        with pytest.raises(ValueError, match="errors='ignore'"):
            check_errors("ignore", [])
        with pytest.raises(ValueError, match="U\\+FFFD"):
            check_errors("replace", ["<\ufffd>"])

    @given(st.lists(st.sampled_from([b"a", b" ", b"\n", b"\xe3\x80", b"\x80", b"\xff", b"\xc2"])))
    def test_cuts_do_not_change_what_wrong_bytes_become(self, parts: list[bytes]) -> None:
        data = b"".join(parts)
        for place, _ in all_places(data, Borders(GPT4_PATTERN)):
            left, right = (part.decode("utf-8", "replace") for part in (data[:place], data[place:]))
            assert left + right == data.decode("utf-8", "replace")
            split = compile_split(GPT4_PATTERN)
            assert split(left) + split(right) == split(left + right)
