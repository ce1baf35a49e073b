"""Beside the ladder: one table of letters, marks, numbers and spaces for every engine."""

import copy
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, pairwise

import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets
from bpe.categories import _exact, _in_doubt, compile_split, ranges, spell_out
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, SIMPLE_PATTERN
from course import ROOT

PATTERNS = {
    "simple": SIMPLE_PATTERN,
    "gpt2": GPT2_PATTERN,
    "cl100k_base": GPT4_PATTERN,
    "o200k_base": GPT4O_PATTERN,
}
each_pattern = pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
NAMES = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "space", "word"]
LAST = 0x10FFFF

# All kinds of space, apostrophes, digits, marks, joiners, case without a partner, parts of emoji,
# and characters that tiktoken, regex and Python put into different categories.
HOSTILE = [
    *"abcXYZ'sStTdDmMlLvVeErR’ʼ  \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u3000",
    *"\u200b\u200c\u200d\u2060\ufeff0123456789٣Ⅷ²½.,!?/<|>_-ſKéİıßǅʕª\u0301\u0903\u20dd",
    *"हिन्दीไทยを한中文𝒳😀👨🏽\ufe0f🇺🇳\ue000\U000e0001",
    *"\u0558\u058b\u088f\u1acf\ua7ce\U00010d50\U00011de0\U000323b0\U0010ffff",
]
hostile = st.text(alphabet=st.sampled_from(HOSTILE), max_size=30)


def hostile_strings(count, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices(HOSTILE, k=rng.randint(1, 14))) for _ in range(count)]


def pieces_of_tiktoken(pattern, text):
    """tiktoken's own cuts: every part of the text is a token, so each piece comes out as one id."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    for start, end in combinations(range(len(text) + 1), 2):
        ranks.setdefault(text[start:end].encode(), len(ranks))
    probe = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return [probe.decode_single_token_bytes(idx).decode() for idx in probe.encode_ordinary(text)]


class TestTable:
    def test_is_what_the_installed_tiktoken_knows(self):
        script = ROOT / "tests" / "unicode_table.py"
        done = subprocess.run([sys.executable, script, "--check"], cwd=ROOT, check=False)
        assert done.returncode == 0, "run: python tests/unicode_table.py"

    @pytest.mark.parametrize("name", [*NAMES, "L", "M", "N"])
    def test_ranges_are_in_order_and_apart(self, name):
        found = ranges(name)
        assert all(0 <= first <= last <= LAST for first, last in found)
        assert all(one[1] + 1 < other[0] for one, other in pairwise(found))

    @pytest.mark.parametrize("group", ["L", "M", "N"])
    def test_a_group_is_the_sum_of_its_categories(self, group):
        def members(name):
            return {c for first, last in ranges(name) for c in range(first, last + 1)}

        assert members(group) == set().union(*(members(n) for n in NAMES if n[0] == group))

    def test_categories_do_not_overlap(self):
        sizes = [sum(b - a + 1 for a, b in ranges(name)) for name in NAMES[:11]]
        together = {
            c for name in NAMES[:11] for first, last in ranges(name) for c in range(first, last + 1)
        }
        assert sum(sizes) == len(together)

    def test_known_members(self):
        def holds(name, char):
            return any(first <= ord(char) <= last for first, last in ranges(name))

        assert holds("Lu", "A") and holds("Ll", "ß") and holds("Lt", "ǅ") and holds("Lo", "한")
        assert holds("M", "\u093f") and not holds("L", "\u093f")
        assert holds("Nd", "٣") and holds("Nl", "Ⅷ") and holds("No", "²")
        assert holds("space", "\u3000") and holds("space", "\x85")
        assert not any(holds("space", char) for char in "\x1c\x1d\x1e\x1f\u200b")
        assert holds("word", "_") and holds("word", "\u200d") and not holds("word", "-")

    @pytest.mark.parametrize("name", ["", "Xx", "l", "s", "Han", "Letter", "LC", "Cn", "P"])
    def test_unknown_category(self, name):
        with pytest.raises(ValueError, match=f"no category '{name}' in the table: it holds L, M,"):
            ranges(name)


class TestSpellOut:
    def test_both_engines_read_it_alike(self):
        scalars = "".join(map(chr, [*range(0xD800), *range(0xE000, LAST + 1)]))
        for pattern in (r"\p{Lt}+", r"[\p{Nl}x]+", r"\s+", r"[^\s]+"):
            spelled = spell_out(pattern)
            assert re.findall(spelled, scalars) == regex.findall(spelled, scalars)

    @pytest.mark.parametrize(
        ("pattern", "matches", "does_not"),
        [
            (r"\p{L}", "aß한", "1 _\u093f"),
            (r"\P{L}", "1 _\u093f", "aß한"),
            (r"[\p{L}\d]", "a1٣", " _²"),
            (r"[^\p{L}\d]", " _²", "a1٣"),
            (r"\s", " \n\x85\u3000", "\x1cx\u200b"),
            (r"\S", "\x1cx\u200b", " \n\x85\u3000"),
            (r"[\S\n]", "\x1cx\n", " \t"),
            (r"[^\S\n]", " \t\u3000", "x\n"),
            (r"[\W_]", "-_ ", "ax\u0301"),
            (r"\D", "x²", "1٣"),
            (r"[]\s]", "] ", "[x"),
            (r"[^]\s]", "[x", "] "),
            (r"\[", "[", "\\]"),
            (r"[\]\s]", "] ", "\\["),
            (r"\\p", "", "p\\"),
            (r"[\\\s]", "\\ ", "s"),
        ],
    )
    def test_stands_for_the_same(self, pattern, matches, does_not):
        for engine in (re, regex):
            found = engine.compile(spell_out(pattern)).fullmatch
            assert [char for char in matches if not found(char)] == []
            assert [char for char in does_not if found(char)] == []

    @pytest.mark.parametrize(
        "pattern", ["", "abc", r"a|b", r"\n\t", r"(?:x)+", "[a-z]", r"\\s", "]"]
    )
    def test_leaves_the_rest_alone(self, pattern):
        assert spell_out(pattern) == pattern

    @pytest.mark.parametrize(
        ("pattern", "message"),
        [
            (r"\p{Han}+", "no category 'Han'"),
            (r"a\P{Greek}", "no category 'Greek'"),
            (r"[a[b]]", r"\[ inside brackets \(at 2"),
            (r"x[\p{L}&&[^\p{Lu}]]", "&& inside brackets \\(at 7"),
            (r"[a-z--b]", "-- inside brackets"),
            (r"[[:alpha:]]", r"\[ inside brackets"),
        ],
    )
    def test_what_engines_read_in_different_ways_is_refused(self, pattern, message):
        with pytest.raises(ValueError, match=message):
            spell_out(pattern)

    def test_operators_outside_brackets_are_text(self):
        assert spell_out(r"a--b&&c||d~~") == r"a--b&&c||d~~"


class TestTwoEngines:
    def test_no_character_of_ascii_is_in_doubt(self):
        # compile_split does not look for them in an ASCII text.
        for pattern in PATTERNS.values():
            assert not any(char.isascii() for char in _in_doubt(pattern))

    @each_pattern
    def test_ascii_alone_is_read_alike(self, pattern):
        for text in map(chr, range(128)):
            for form in (text, f"a{text}", f" {text}b", f"{text}{text} ", f"1{text}\n"):
                pieces = [match[0] for match in _exact(pattern).finditer(form)]
                assert regex.findall(pattern, form) == pieces

    @each_pattern
    def test_quick_and_exact_agree_on_hostile_strings(self, pattern):
        split, doubt = compile_split(pattern), _in_doubt(pattern)
        for text in hostile_strings(4000, seed=1):
            pieces = split(text)
            assert "".join(pieces) == text
            assert pieces == [match[0] for match in _exact(pattern).finditer(text)], ascii(text)
            if doubt.isdisjoint(text):
                assert pieces == regex.findall(pattern, text)

    @pytest.mark.whole
    @each_pattern
    def test_quick_and_exact_agree_on_many_hostile_strings(self, pattern):
        split = compile_split(pattern)
        for text in hostile_strings(100_000, seed=2):
            assert split(text) == [match[0] for match in _exact(pattern).finditer(text)]

    @each_pattern
    def test_cuts_where_tiktoken_cuts(self, pattern):
        split = compile_split(pattern)
        for text in hostile_strings(300, seed=3):
            assert split(text) == pieces_of_tiktoken(pattern, text), ascii(text)

    @pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
    def test_ids_of_the_real_tiktoken_show_the_same_cuts(self, name):
        # No id reaches across a cut: ids of the pieces, joined, are the ids of the text.
        encoding, split = datasets.tiktoken_encoding(name), compile_split(PATTERNS[name])
        for text in hostile_strings(2000, seed=4):
            joined = [idx for piece in split(text) for idx in encoding._encode_single_piece(piece)]
            assert joined == encoding.encode_ordinary(text), ascii(text)

    @pytest.mark.parametrize("char", ["\U000323b0", "\u088f", "\U00010d50", "ʕ"])
    def test_a_newcomer_is_what_tiktoken_says(self, char):
        for text in (f"a{char}b", f" {char}", f"{char}{char}a", f"1{char}'s"):
            for pattern in PATTERNS.values():
                assert compile_split(pattern)(text) == pieces_of_tiktoken(pattern, text)

    def test_one_character_in_doubt_does_not_change_the_rest(self):
        # \w is a matter of the engine as well: the table decides, far from the newcomer, too.
        hindi = "हिन्दी"
        split = compile_split(SIMPLE_PATTERN)
        assert split(hindi) == [hindi]
        assert split(f"{hindi} \U000323b0")[0] == hindi


class TestCompileSplit:
    @given(hostile, st.sampled_from(list(PATTERNS.values())))
    def test_joined_the_pieces_are_the_text(self, text, pattern):
        pieces = compile_split(pattern)(text)
        assert "".join(pieces) == text
        assert "" not in pieces

    @given(st.text(max_size=60), st.sampled_from(list(PATTERNS.values())))
    def test_so_they_are_for_every_text(self, text, pattern):
        assert "".join(compile_split(pattern)(text)) == text

    @pytest.mark.parametrize(
        ("pattern", "text", "pieces"),
        [
            (r"\w+", "two words", ["two", " ", "words"]),
            (r"\w+", " a ", [" ", "a", " "]),
            (r"\w*", "a  b", ["a", "  ", "b"]),
            ("", "ab", ["ab"]),
            ("x", "", []),
            ("x", "abc", ["abc"]),
            (r"(a)(b)?", "abac", ["ab", "a", "c"]),
            (r"(?P<word>\w+)|\s", "a b", ["a", " ", "b"]),
            (r"(?=b)", "ab", ["ab"]),
            (r"\p{Han}+", "ab漢字c", ["ab", "漢字", "c"]),
            (r"\p{Han}+", "ab漢字\U000323b0c", None),
            (r"[[:alpha:]]+", "ab é\U000323b0", None),
        ],
    )
    def test_nothing_is_lost_whatever_the_pattern(self, pattern, text, pieces):
        found = compile_split(pattern)(text)
        assert "".join(found) == text
        assert pieces is None or found == pieces

    @pytest.mark.parametrize(
        ("pattern", "message"),
        [
            ("(", r"'\(' is no regular expression: missing \) at position 1"),
            (r"\p{NoSuch}", "is no regular expression: unknown property"),
            ("[a", "is no regular expression"),
            ("a**", "is no regular expression: multiple repeat"),
            (b"a", "pattern is a bytes, not a str"),
            (None, "pattern is a NoneType, not a str"),
            (re.compile("a"), "pattern is a Pattern, not a str"),
        ],
    )
    def test_no_pattern(self, pattern, message):
        with pytest.raises(ValueError, match=message):
            compile_split(pattern)

    def test_from_several_threads(self):
        texts = hostile_strings(400, seed=5)
        split = compile_split(GPT4O_PATTERN)
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(split, texts)) == [split(text) for text in texts]

    def test_copies(self):
        split = compile_split(GPT2_PATTERN)
        assert copy.deepcopy(split)("a b") == ["a", " b"]

    @each_pattern
    @pytest.mark.parametrize(
        "unit",
        [
            "a",
            "A",
            " ",
            "\n",
            "^",
            "1",
            "a ",
            " a",
            "'",
            "'s",
            "\u0301",
            "한",
            "aB",
            " \n",
            "\t\n ",
        ],
    )
    def test_time_in_proportion_to_length(self, pattern, unit):
        # A quadratic engine would need hours for these, not milliseconds.
        split = compile_split(pattern)
        for tail in ("", "a", "\U000323b0"):
            text = unit * 50_000 + tail
            assert "".join(split(text)) == text
