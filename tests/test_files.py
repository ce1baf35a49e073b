"""Chapter 09: every format there and back, the same ids in three libraries, malformed files."""

import base64
import json
import os
import pickle
import random
import re
import stat
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regex
import tiktoken
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, Tokenizer, datasets, files, get_encoding
from bpe.fetching import write_file
from bpe.huggingface import as_tokenizer_json, from_oniguruma, to_oniguruma
from bpe.openai import byte_characters, from_characters, to_characters
from bpe.ranks import recover_merges
from bpe.splitting import SIMPLE_PATTERN

END = "<|endoftext|>"
PATTERNS = [GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, SIMPLE_PATTERN]
AWKWARD = [
    "<|end|>",
    "two words",
    " around ",
    "new\nline",
    "tab\t",
    "#version: 0.2",
    "结束👋",
    "\u2028",
    'quote"\\',
    "ſ",
    "<|endoftext|>",
    "\x00",
]
HOSTILE = [
    *(
        "",
        "a",
        "é",
        "한",
        "👩\u200d👩\u200d👧",
        "\r\n",
        "\n\n",
        "   x",
        "\u00a0",
        "\u2028",
        "'s",
        "it'ſabc",
    ),
    *(
        "1234567",
        "歯",
        "e\u0301",
        "\x00\x7f",
        "#version: 0.2",
        "Ġ",
        "Ċthe",
        "\u00ad",
        "�",
        "<|",
        "|>",
    ),
    *AWKWARD,
]


def train_quietly(texts: Any, vocab_size: int, **options: Any) -> Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Tokenizer.train(texts, vocab_size, **options)


def mixed_text() -> str:
    languages = ("en", "de", "ru", "hi", "ko", "zh_Hans", "ar")
    lines = [line for each in languages for line in datasets.messages(each)[:60]]
    return "\n".join(lines) + datasets.paragraph() + datasets.python_code(8_000)


@pytest.fixture(scope="module")
def text() -> str:
    return mixed_text()


@pytest.fixture(scope="module")
def tok(text: str) -> Tokenizer:
    return Tokenizer.train(text, 900, special_tokens=AWKWARD)


@pytest.fixture(scope="module")
def toy() -> Tokenizer:
    return Tokenizer.train("abcd abc abc cd", 260, special_tokens=["<|end|>"])


def same(one: Tokenizer, other: Tokenizer) -> bool:
    return (one.ranks, one.pattern, one.special_tokens, list(one.merges.items())) == (
        other.ranks,
        other.pattern,
        other.special_tokens,
        list(other.merges.items()),
    )


# --- there and back -----------------------------------------------------------------------------


def own(tok: Tokenizer, folder: Path) -> Tokenizer:
    tok.save(folder / "tok.json")
    return Tokenizer.load(folder / "tok.json")


def gpt2_files(tok: Tokenizer, folder: Path) -> Tokenizer:
    files.write_vocab_and_merges(tok, folder)
    return files.read_vocab_and_merges(folder, pattern=tok.pattern)


def tiktoken_file(tok: Tokenizer, folder: Path) -> Tokenizer:
    files.write_tiktoken(tok, folder / "t.tiktoken")
    return files.read_tiktoken(
        folder / "t.tiktoken", pattern=tok.pattern, special_tokens=tok.special_tokens
    )


def tokenizer_json(tok: Tokenizer, folder: Path) -> Tokenizer:
    files.write_tokenizer_json(tok, folder / "tokenizer.json")
    return files.read_tokenizer_json(folder / "tokenizer.json")


WAYS = [own, gpt2_files, tiktoken_file, tokenizer_json]
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@each_way
def test_there_and_back(way: Callable, tok: Tokenizer, tmp_path: Path) -> None:
    back = way(tok, tmp_path)
    assert same(back, tok)
    for each in HOSTILE:
        assert back.encode(each, allowed_special="all") == tok.encode(each, allowed_special="all")


@each_way
def test_written_twice_the_same_bytes(way: Callable, tok: Tokenizer, tmp_path: Path) -> None:
    back = way(tok, tmp_path / "one")
    way(back, tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        if way is not own:  # its ties are not in the other formats
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


corpora = st.lists(st.text(alphabet="ab é\n#'1한👋\u00ad", max_size=40), min_size=1, max_size=4)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    corpus=corpora,
    size=st.integers(256, 290),
    pattern=st.sampled_from(PATTERNS),
    specials=st.lists(st.sampled_from(AWKWARD), unique=True, max_size=4),
    ties=st.sampled_from(["first", "smallest", "printable", "greatest"]),
    sample=st.text(alphabet="ab é\n#'1한👋\u00ad", max_size=30),
)
def test_trained_tokenizers_there_and_back(
    corpus: list[str], size: int, pattern: str, specials: list[str], ties: str, sample: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    tok = train_quietly(
        corpus, size + len(specials), pattern=pattern, special_tokens=specials, ties=ties
    )
    expected = tok.encode(sample, allowed_special="all")
    for way in WAYS:
        back = way(tok, tmp_path_factory.mktemp("there"))
        assert same(back, tok), way
        assert back.encode(sample, allowed_special="all") == expected
    assert own(tok, tmp_path_factory.mktemp("own")).ties == ties
    assert tok.to_huggingface().encode(sample).ids == expected


@pytest.mark.parametrize("special", AWKWARD)
@each_way
def test_one_special_token(way: Callable, special: str, tmp_path: Path) -> None:
    tok = Tokenizer.train("abab", 258, special_tokens=[special])
    back = way(tok, tmp_path)
    assert back.special_tokens == {special: 257}
    assert back.encode(f"ab{special}ab", allowed_special="all") == [256, 257, 256]


@each_way
def test_no_merges_at_all(way: Callable, tmp_path: Path) -> None:
    assert same(way(Tokenizer.train("", 256), tmp_path), Tokenizer.train("", 256))


@each_way
def test_newline_and_letter_is_one_token(way: Callable, tmp_path: Path) -> None:
    """A merge of a newline and a letter: merges.txt lives on lines (tokenizers 482)."""
    tok = Tokenizer.train("a\nb" * 9, 258, pattern=r"(?s:.+)")
    assert any(b"\nb" in token or b"b\n" in token or b"a\n" in token for token in tok.ranks)
    back = way(tok, tmp_path)
    assert same(back, tok)
    assert back.decode(back.encode("a\nb")) == "a\nb"


def test_the_shuffled_bytes() -> None:
    """GPT-2's map: byte 0xAD is U+0143; every byte has one visible character (cactus 806)."""
    assert to_characters(b"\xad") == "\u0143"
    assert len(set(byte_characters().values())) == 256
    for text in ("歯", "\u00ad", "Ġ", " \n"):
        assert from_characters(to_characters(text.encode())).decode() == text


def test_numpy_ids_can_be_saved(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    ranks = {bytes([i]): np.int64(i) for i in range(256)}
    tok = Tokenizer(ranks, pattern=GPT2_PATTERN, special_tokens={"<|end|>": np.int32(300)})
    for way in WAYS:
        assert way(tok, tmp_path).special_tokens == {"<|end|>": 300}


def test_the_pattern_travels(tok: Tokenizer, tmp_path: Path) -> None:
    """A loaded tokenizer cuts as the saved one did, not by some default (nanochat 291)."""
    for pattern in PATTERNS:
        one = Tokenizer(tok.ranks, pattern=pattern)
        for way in (own, tokenizer_json):
            assert way(one, tmp_path).pattern == pattern
    files.write_vocab_and_merges(tok, tmp_path)
    other = files.read_vocab_and_merges(tmp_path, pattern=r"\S+|\s+")
    text = "def f(x):\n    return x12345"
    assert other.encode(text) != tok.encode(text)


def test_the_pattern_of_tiktoken_is_asked_for(tok: Tokenizer, tmp_path: Path) -> None:
    files.write_tiktoken(tok, tmp_path / "t.tiktoken")
    with pytest.raises(TypeError, match="pattern"):
        files.read_tiktoken(tmp_path / "t.tiktoken")


# --- OpenAI's tokenizers ------------------------------------------------------------------------

each_encoding = pytest.mark.parametrize(
    "name",
    [
        "gpt2",
        pytest.param("p50k_base", marks=pytest.mark.whole),
        pytest.param("cl100k_base", marks=pytest.mark.whole),
        pytest.param("o200k_base", marks=pytest.mark.whole),
    ],
)


@each_encoding
def test_openai_there_and_back_and_in_three_libraries(name: str, tmp_path: Path, text: str) -> None:
    tok = get_encoding(name)
    for way in WAYS:
        assert same(way(tok, tmp_path), tok), way
    hf = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    tik = tok.to_tiktoken()
    real = tik if name == "p50k_base" else datasets.tiktoken_encoding(name)
    for special, idx in tok.special_tokens.items():
        assert hf.token_to_id(special) == idx
    for each in [*HOSTILE, *text.splitlines(), f"a {END} b", *map(str, tok.special_tokens)]:
        expected = real.encode(each, allowed_special="all")
        assert tok.encode(each, allowed_special="all") == expected
        assert tik.encode(each, allowed_special="all") == expected
        assert hf.encode(each).ids == expected
        assert hf.decode(expected, skip_special_tokens=False) == real.decode(expected)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_every_scalar_value_and_token_in_hugging_face(name: str) -> None:
    """The engine of Hugging Face has the table of Unicode that tiktoken has."""
    tok = get_encoding(name)
    hf = tok.to_huggingface()
    texts = [f"a{chr(c)}b" for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    texts += [token.decode("utf-8", "ignore") for token in tok.ranks]
    hundreds = ["\n".join(texts[place : place + 100]) for place in range(0, len(texts), 100)]
    for each, found in zip(hundreds, hf.encode_batch(hundreds), strict=True):
        assert found.ids == tok.encode_ordinary(each), each


def test_gpt2_files_read_by_two(tmp_path: Path) -> None:
    """What OpenAI published, read here and by Hugging Face's own reader of the two files."""
    (tmp_path / "vocab.json").write_bytes(datasets.ranks_file("encoder.json"))
    (tmp_path / "merges.txt").write_bytes(datasets.ranks_file("vocab.bpe"))
    ours = files.read_vocab_and_merges(tmp_path)
    assert ours.special_tokens == {END: 50256}
    assert ours.ranks == get_encoding("gpt2").ranks
    theirs = tokenizers.models.BPE.from_file(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )
    hf = tokenizers.Tokenizer(theirs)
    hf.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    for each in HOSTILE:
        assert hf.encode(each).ids == ours.encode_ordinary(each)


def test_a_file_that_hugging_face_wrote(tmp_path: Path, text: str) -> None:
    """Trained and saved over there; the specials have the first ids there, and ByteLevel cuts."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        show_progress=False,
        special_tokens=["<s>", "</s>", END],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    theirs.train_from_iterator([text], trainer)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = files.read_tokenizer_json(tmp_path / "tokenizer.json")
    assert ours.special_tokens == {"<s>": 0, "</s>": 1, END: 2}
    assert ours.pattern == GPT2_PATTERN
    for each in [*HOSTILE, *text.splitlines()]:
        assert ours.encode(each, allowed_special="all") == theirs.encode(each).ids
    assert same(own(ours, tmp_path), ours)
    assert same(tokenizer_json(ours, tmp_path), ours)


# --- three libraries, the same ids --------------------------------------------------------------


def test_same_ids_in_three_libraries(tok: Tokenizer, text: str) -> None:
    tik, hf = tok.to_tiktoken(), tok.to_huggingface()
    rng = random.Random(9)
    samples = [*HOSTILE, *text.splitlines()]
    samples += ["".join(rng.choices(text + "".join(AWKWARD), k=30)) for _ in range(300)]
    samples += [f"{rng.choice(AWKWARD)}{rng.choice(AWKWARD)}x" for _ in range(50)]
    for each in samples:
        ids = tok.encode(each, allowed_special="all")
        assert tik.encode(each, allowed_special="all") == ids, each
        assert hf.encode(each).ids == ids, each
        assert tik.encode_ordinary(each) == tok.encode_ordinary(each)
        assert hf.decode(ids, skip_special_tokens=False) == tik.decode(ids) == tok.decode(ids)
    assert tik.n_vocab == tok.n_vocab


def test_special_ids_with_gaps(toy: Tokenizer) -> None:
    """Hugging Face numbers added tokens itself unless they stand in the vocabulary, too."""
    ranks, start = toy.ranks, max(toy.ranks.values())
    specials = {"<|b|>": start + 20, "<|a|>": start + 5, "one": start + 90}
    tok = Tokenizer(ranks, pattern=GPT4_PATTERN, special_tokens=specials)
    hf = tok.to_huggingface()
    assert {text: hf.token_to_id(text) for text in specials} == specials
    assert hf.encode("<|a|> one abc").ids == tok.encode("<|a|> one abc", allowed_special="all")
    assert hf.decode([start + 20], skip_special_tokens=False) == "<|b|>"


def test_special_tokens_taken_as_text(toy: Tokenizer) -> None:
    """Hugging Face's switch for untrusted text: a word like a special token is no special token."""
    start = max(toy.ranks.values())
    tok = Tokenizer(toy.ranks, pattern=GPT4_PATTERN, special_tokens={"PAD": start + 9})
    hf = tok.to_huggingface()
    hf.encode_special_tokens = True
    assert hf.encode("PAD").ids == tok.encode_ordinary("PAD")


def test_special_that_looks_like_bytes(toy: Tokenizer) -> None:
    """The text é is the bytes C3 A9, which these files write Ã©: a special Ã© is not é."""
    tok = Tokenizer(toy.ranks, pattern=GPT4_PATTERN, special_tokens={"Ã©": 400})
    hf = tok.to_huggingface()
    for each in ("é", "Ã©", "aé", "Ã© é"):
        assert hf.encode(each).ids == tok.encode(each, allowed_special="all")


def test_the_longest_special_wins(toy: Tokenizer) -> None:
    tok = Tokenizer(toy.ranks, pattern=GPT4_PATTERN, special_tokens=["<|a|>", "<|a|><|b|>"])
    text = "<|a|><|b|><|a|>"
    assert tok.to_huggingface().encode(text).ids == tok.encode(text, allowed_special="all")


def test_tiktoken_can_be_pickled_with_its_name(toy: Tokenizer) -> None:
    tik = pickle.loads(pickle.dumps(toy.to_tiktoken("mine")))
    assert (tik.name, tik.encode("abcd")) == ("mine", toy.encode("abcd"))


# --- the pattern in the other engine ------------------------------------------------------------

WRITTEN = {
    r"\p{N}{1,3}+": r"(?>\p{N}{1,3})",
    r"[0-9\]+]{1,2}+|x": r"(?>[0-9\]+]{1,2})|x",
    r"(?:ab){1,2}+": r"(?>(?:ab){1,2})",
    r"(a(?:b|c){2}+)+": r"(a(?>(?:b|c){2}))+",
    r"\{{1,2}+": r"(?>\{{1,2})",
    r"xa{,3}+": r"x(?>a{,3})",
    r"(?s:.)x": r"(?m:.)x",
    r"a{2,}+b{2}": r"(?>a{2,})b{2}",
    r"\s++$|^x": r"\s++\Z|\Ax",
    r"[$^]+": r"[$^]+",
    r"\$\^": r"\$\^",
    r"a++b*+c?+": r"a++b*+c?+",
    r"(?i:s|t)(?!\S)(?<=x)": r"(?i:s|t)(?!\S)(?<=x)",
    r"x\Z": r"x\z",
}


@pytest.mark.parametrize(("pattern", "expected"), WRITTEN.items())
def test_pattern_for_oniguruma(pattern: str, expected: str) -> None:
    assert to_oniguruma(pattern) == expected
    back = from_oniguruma(expected)
    assert back == pattern.replace("^x", r"\Ax")
    assert to_oniguruma(back) == expected


@pytest.mark.parametrize("pattern", PATTERNS)
def test_known_patterns_come_back(pattern: str) -> None:
    assert from_oniguruma(to_oniguruma(pattern)) == pattern


def oniguruma(pattern: str, text: str) -> list[str]:
    step = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    return [piece for piece, _ in step.pre_tokenize_str(text)]


FOREIGN = [
    *(r"\d{1,3}+", r"(?>a|b{1,3})", r"(?>a*b{1,3})", r"(?>ab{2})", r"(?>[ab]{1,2})", r"a$", r"^a"),
    *(r"(?:ab){1,2}+", r"(?>\p{L})", r"(?>(?:a|b){1,2})c?", r"(?>a{2}b{2})", r"b\Z", r"b\z"),
    *(r"a(?m:.)", r"^b$"),
]


@pytest.mark.parametrize("pattern", FOREIGN)
def test_foreign_patterns_come_back_with_their_meaning(pattern: str) -> None:
    again = from_oniguruma(to_oniguruma(from_oniguruma(pattern)))
    assert again == from_oniguruma(pattern)


@pytest.mark.parametrize("pattern", [*WRITTEN.values(), *FOREIGN])
def test_both_engines_cut_alike(pattern: str) -> None:
    """What Oniguruma makes of a pattern is what Python makes of its reading of it."""
    rng = random.Random(1)
    ours = regex.compile(from_oniguruma(pattern) + r"|(?s:.)")
    for _ in range(200):
        text = "".join(rng.choices("ab12$^x{\n \n", k=12))
        assert oniguruma(pattern + r"|\n|.", text) == [m[0] for m in ours.finditer(text)], text


@pytest.mark.parametrize(
    "pattern", [*WRITTEN, r"\w+\b|\W", "(?s:.+)", r"(?m:^)a|b(?m:$)|\s", SIMPLE_PATTERN]
)
def test_custom_patterns_in_hugging_face(pattern: str, toy: Tokenizer) -> None:
    rng = random.Random(2)
    tok = Tokenizer(toy.ranks, pattern=pattern)
    hf = tok.to_huggingface()
    for _ in range(200):
        text = "".join(rng.choices("abcd12$^x{\n éſ", k=14))
        assert hf.encode(text).ids == tok.encode_ordinary(text), text


def test_a_pattern_that_oniguruma_does_not_know(toy: Tokenizer) -> None:
    tok = Tokenizer(toy.ranks, pattern=r"(?P<name>a)|\m\w+")
    with pytest.raises(ValueError, match=r"Hugging Face cannot build it: .*P<name>a"):
        tok.to_huggingface()


# --- what cannot be written is refused by name --------------------------------------------------


def chain(*tokens: bytes, **options: Any) -> Tokenizer:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token: 256 + i for i, token in enumerate(tokens)}
    return Tokenizer(ranks, pattern=GPT4_PATTERN, **options)


VERSION = [b"#v", b"er", b"si", b"on", b"#ver", b"sion", b"#version"]


def test_a_merge_that_looks_like_a_comment_is_refused(tmp_path: Path) -> None:
    harmless = chain(*VERSION)
    assert same(gpt2_files(harmless, tmp_path), harmless)
    tok = chain(*VERSION, b"#version:")
    files.write_vocab_and_merges(harmless, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=r"the merge '#version' ':' cannot stand in merges.txt"):
        files.write_vocab_and_merges(tok, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    for way in (own, tiktoken_file, tokenizer_json):
        assert same(way(tok, tmp_path), tok)
    hf = tok.to_huggingface()
    assert hf.encode("#version: 0.2").ids == tok.encode("#version: 0.2")


@pytest.mark.parametrize(
    ("special", "learned"), [("Ġa", b" a"), ("ab", b"ab"), ("é", None), ("A", None)]
)
def test_a_special_written_like_a_learned_token(
    special: str, learned: bytes | None, tmp_path: Path
) -> None:
    tok = chain(*([learned] if learned else []), special_tokens={special: 999})
    for write in (
        lambda: files.write_vocab_and_merges(tok, tmp_path),
        lambda: files.write_tokenizer_json(tok, tmp_path / "t.json"),
        tok.to_huggingface,
    ):
        with pytest.raises(ValueError, match=f"the special token {special!r} .id 999. cannot be"):
            write()
    assert not list(tmp_path.iterdir())
    assert same(own(tok, tmp_path), tok)


def test_ranks_that_are_no_chain(tmp_path: Path) -> None:
    tok = chain(b"abc")
    for way in (own, gpt2_files, tokenizer_json):
        with pytest.raises(ValueError, match=r"b'abc'.* no chain of merges"):
            way(tok, tmp_path)
    assert not list(tmp_path.iterdir())
    assert tiktoken_file(tok, tmp_path).ranks == tok.ranks  # holds ranks, and no more


# --- malformed files ----------------------------------------------------------------------------


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_bytes().decode("utf-8")
    for old, new in changes:
        assert old in text, (old, text[:2000])
        text = text.replace(old, new, 1)
    path.write_bytes(text.encode("utf-8"))


def merge_line(path: Path, number: int) -> tuple[int, str]:
    """Number (from 1) and content of the line of a merge in the course's own format."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    at = lines.index(' "merges": [') + 1 + number
    return at + 1, lines[at]


TOY = [(97, 98, 256, "ab"), (256, 99, 257, "abc"), (99, 100, 258, "cd")]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    chain(b"ab", b"abc", b"cd", special_tokens={"<|end|>": 259}).save(tmp_path / "toy.json")
    return tmp_path / "toy.json"


OWN_ERRORS = {
    "another version": ('"version": 1', '"version": 2', r"is of version 2, and .* knows 1"),
    "version as text": ('"version": 1', '"version": "1"', r"is of version '1'"),
    "another format": ('"format": "from-text-to-tokens"', '"format": "x"', r"no \"format\""),
    "no pattern": ('"pattern"', '"patern"', r'"pattern" is missing'),
    "pattern null": ('"pattern": "', '"pattern": null, "x": "', r'"pattern" is missing'),
    "no expression": ('"pattern": "', '"pattern": "(', r"no regular expression"),
    "no special tokens": ('"special_tokens": {', '"special": {', r'"special_tokens" is missing'),
    "empty special": ('"<|end|>"', '""', r"a special token needs a text"),
    "lone surrogate": ('"<|end|>"', r'"\ud800"', r"toy.json: "),
    "special id taken": ('"<|end|>": 259', '"<|end|>": 258', r"has id 258, which b'cd' has"),
    "special id a float": ('"<|end|>": 259', '"<|end|>": 259.0', r"has id 259.0"),
    "special id text": ('"<|end|>": 259', '"<|end|>": "259"', r"has id '259'"),
    "special id negative": ('"<|end|>": 259', '"<|end|>": -1', r"has id -1"),
    "key twice": ('"<|end|>": 259', '"<|end|>": 259, "<|end|>": 260', r"comes twice"),
    "a byte missing": ('"bytes": [0, 1,', '"bytes": [1,', r"no list of 256 ids"),
    "a byte too many": ('"bytes": [0,', '"bytes": [0, 0,', r"no list of 256 ids"),
    "bytes alike": ('"bytes": [0, 1,', '"bytes": [0, 0,', r"has id 0, which b'\\x00' has"),
    "byte as text": ('"bytes": [0,', '"bytes": ["0",', r"no list of 256 ids"),
    "ties a number": ('"ties": null', '"ties": 3', r'"ties" is 3'),
    "merges an object": ('"merges": [', '"merges": {}, "x": [', r'"merges" is missing'),
    "id before it is made": ('[256, 99, 257, "abc"]', '[258, 99, 257, "abc"]', r"uses id 258"),
    "id out of order": ('[99, 100, 258, "cd"]', '[99, 100, 250, "cd"]', r"order of the merges"),
    "id as text": ('[99, 100, 258, "cd"]', '[99, 100, "258", "cd"]', r"is not two ids"),
    "two ids only": ('[99, 100, 258, "cd"]', "[99, 100]", r"is not two ids"),
    "token lies": ('[99, 100, 258, "cd"]', '[99, 100, 258, "dc"]', r"make 'cd', not 'dc'"),
    "merge missing": ('  [97, 98, 256, "ab"],\n', "", r"uses id 256, which is not made yet"),
    "made twice": ('[99, 100, 258, "cd"]', '[97, 98, 258, "ab"]', r"b'ab' is made once more"),
    "never reached": (
        '[256, 99, 257, "abc"],\n  [99, 100, 258, "cd"]',
        '[98, 99, 257, "bc"],\n  [97, 257, 258, "abc"]',
        r"b'abc' can't come from b'a' and b'bc'",
    ),
    "comma missing": ('[97, 98, 256, "ab"],', '[97, 98, 256, "ab"]', r"line \d+: not JSON"),
}


@pytest.mark.parametrize(("old", "new", "message"), OWN_ERRORS.values(), ids=OWN_ERRORS)
def test_own_format_malformed(old: str, new: str, message: str, saved: Path) -> None:
    edit(saved, (old, new))
    with pytest.raises(ValueError, match=message) as caught:
        Tokenizer.load(saved)
    assert "toy.json" in str(caught.value)


def test_the_line_of_a_merge_is_named(saved: Path) -> None:
    number, line = merge_line(saved, 2)
    assert line == '  [99, 100, 258, "cd"]'
    edit(saved, ('258, "cd"', '258, "x"'))
    with pytest.raises(ValueError, match=rf"toy.json, line {number}: "):
        Tokenizer.load(saved)
    saved.write_text(json.dumps(json.loads(saved.read_text("utf-8"))), "utf-8")  # one line
    with pytest.raises(ValueError, match=r"toy.json, merge 2: "):
        Tokenizer.load(saved)


def test_rewritten_by_another_program(saved: Path) -> None:
    """Any JSON of this content is read: order of keys, indentation and escapes do not matter."""
    before = Tokenizer.load(saved)
    data = json.loads(saved.read_text("utf-8"))
    saved.write_text(json.dumps(dict(reversed(data.items())), indent=7), "utf-8")
    assert same(Tokenizer.load(saved), before)


@pytest.mark.parametrize("cut", [0, 1, 40, 300, 1200, -3, -2])
def test_half_a_file(cut: int, saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:cut])
    with pytest.raises(ValueError, match=r"toy.json, line \d+: not JSON"):
        Tokenizer.load(saved)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1, 2]", "own format"),
        (b"null", "own format"),
        (b"{}", "own format"),
        (b'\n\n{"format": "\xff"}', "line 3: not UTF-8"),
        ("{}".encode("utf-16"), "line 1: not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (pickle.dumps({"format": "from-text-to-tokens"}), "line 1: not UTF-8"),
        (pickle.dumps("text", protocol=0), "line 1: not JSON"),
    ],
)
def test_another_file_altogether(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        Tokenizer.load(tmp_path / "x.json")
    assert "x.json" in str(caught.value)


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    """A pickle runs what it says; none of the readers here opens one."""

    class Bomb:
        def __reduce__(self) -> tuple:
            return os.mkdir, (str(tmp_path / "ran"),)

    for protocol in (0, pickle.HIGHEST_PROTOCOL):
        for name in ("tok.json", "vocab.json", "merges.txt"):
            (tmp_path / name).write_bytes(pickle.dumps(Bomb(), protocol=protocol))
        for read in (
            lambda: Tokenizer.load(tmp_path / "tok.json"),
            lambda: files.read_vocab_and_merges(tmp_path),
            lambda: files.read_tiktoken(tmp_path / "tok.json", pattern="x"),
            lambda: files.read_tokenizer_json(tmp_path / "tok.json"),
        ):
            with pytest.raises(ValueError):
                read()
    assert not (tmp_path / "ran").exists()
    assert "pickle" not in Path(files.__file__).read_text("utf-8")


def test_a_missing_file_names_itself(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        Tokenizer.load(tmp_path / "nothing.json")
    with pytest.raises(FileNotFoundError, match=r"vocab\.json"):
        files.read_vocab_and_merges(tmp_path)


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    files.write_vocab_and_merges(
        chain(b"ab", b"abc", b"cd", special_tokens={"<|end|>": 259}), tmp_path
    )
    return tmp_path


MERGES_ERRORS = {
    "three tokens": ("ab c\n", "ab c d\n", r"merges.txt, line 3: 'ab c d' is not two tokens"),
    "one token": ("ab c\n", "abc\n", r"merges.txt, line 3: 'abc' is not two"),
    "two spaces": ("ab c\n", "ab  c\n", r"merges.txt, line 3: 'ab  c' is not two"),
    "space at the end": ("ab c\n", "ab c \n", r"merges.txt, line 3: "),
    "an empty line": ("ab c\n", "ab c\n\n", r"merges.txt, line 4: '' is not two"),
    "no such byte": ("ab c\n", "ab 한\n", r"line 3: '한' .U.D55C. in '한' stands for no byte"),
    "not in the vocabulary": ("c d\n", "d c\n", r"line 4: .*vocab.json has no token 'dc'"),
    "part not made yet": ("a b\nab c\nc d\n", "ab c\na b\nc d\n", r"line 2: b'ab' is not made yet"),
    "other order": ("ab c\nc d\n", "c d\nab c\n", r"line 4: b'abc' has id 257.* the order"),
    "twice": ("c d\n", "c d\na b\n", r"line 5: b'ab' is made once more"),
    "first line missing": ("a b\nab c\n", "ab c\n", r"line 2: b'ab' is not made yet"),
    "last line missing": ("c d\n", "", r"vocab.json has the token 'cd' \(id 258\), and no merge"),
    "half a line": ("c d\n", "c", r"merges.txt, line 4: 'c' is not two"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), MERGES_ERRORS.values(), ids=MERGES_ERRORS)
def test_merges_malformed(old: str, new: str, message: str, two_files: Path) -> None:
    edit(two_files / "merges.txt", (old, new))
    with pytest.raises(ValueError, match=message):
        files.read_vocab_and_merges(two_files)


VOCAB_ERRORS = {
    "a byte missing": ('"!": 33,\n', "", r"byte 0x21: .*vocab.json has no token '!'"),
    "a token missing": ('"abc": 257,\n', "", r"line 3: .*vocab.json has no token 'abc'"),
    "id as text": ('"abc": 257', '"abc": "257"', r"line 3: b'abc' has id '257'"),
    "id a float": ('"abc": 257', '"abc": 2.5', r"line 3: b'abc' has id 2.5"),
    "id null": ('"!": 33', '"!": null', r"vocab.json: token b'!' has id None"),
    "id taken": ('"<|end|>": 259', '"<|end|>": 258', r"vocab.json: special token .* has id 258"),
    "token twice": ('"abc": 257', '"abc": 257,\n"abc": 260', r"vocab.json: 'abc' comes twice"),
    "comma missing": ('"abc": 257,', '"abc": 257', r"vocab.json, line 260: not JSON"),
    "a list": ("{", "[{", r"vocab.json, line \d+: not JSON"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), VOCAB_ERRORS.values(), ids=VOCAB_ERRORS)
def test_vocab_malformed(old: str, new: str, message: str, two_files: Path) -> None:
    edit(two_files / "vocab.json", (old, new))
    with pytest.raises(ValueError, match=message):
        files.read_vocab_and_merges(two_files)


def test_vocab_is_no_object(two_files: Path) -> None:
    (two_files / "vocab.json").write_text("[1]", "utf-8")
    with pytest.raises(ValueError, match=r"vocab.json holds no object"):
        files.read_vocab_and_merges(two_files)


def test_which_tokens_are_special(two_files: Path) -> None:
    read = files.read_vocab_and_merges
    assert read(two_files).special_tokens == {"<|end|>": 259}
    assert read(two_files, special_tokens=["<|end|>"]).special_tokens == {"<|end|>": 259}
    with pytest.raises(ValueError, match=r"has the token '<\|end\|>' \(id 259\), and no merge"):
        read(two_files, special_tokens=[])
    with pytest.raises(ValueError, match=r"has no token '<pad>' that could be special"):
        read(two_files, special_tokens=["<|end|>", "<pad>"])
    with pytest.raises(ValueError, match=r"has no token 'ab' that could be special"):
        read(two_files, special_tokens=["<|end|>", "ab"])


def test_a_special_of_two_learned_tokens_has_to_be_named(tmp_path: Path) -> None:
    tok = chain(b"ab", b"cd", special_tokens={"abcd": 300})
    files.write_vocab_and_merges(tok, tmp_path)
    with pytest.raises(ValueError, match=r"'abcd' \(id 300\), and no merge makes it"):
        files.read_vocab_and_merges(tmp_path)
    back = files.read_vocab_and_merges(tmp_path, pattern=GPT4_PATTERN, special_tokens=["abcd"])
    assert same(back, tok)


def test_windows_line_ends_and_byte_order_mark(two_files: Path, saved: Path) -> None:
    """Read alike; written without."""
    tok = files.read_vocab_and_merges(two_files, pattern=GPT4_PATTERN)
    files.write_tiktoken(tok, two_files / "t.tiktoken")
    files.write_tokenizer_json(tok, two_files / "tokenizer.json")
    for path in two_files.iterdir():
        content = path.read_bytes()
        assert b"\r" not in content and not content.startswith(b"\xef\xbb\xbf")
        assert content.endswith(b"\n")
        path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    specials = tok.special_tokens
    back = [
        files.read_vocab_and_merges(two_files, pattern=GPT4_PATTERN),
        files.read_tiktoken(
            two_files / "t.tiktoken", pattern=GPT4_PATTERN, special_tokens=specials
        ),
        files.read_tokenizer_json(two_files / "tokenizer.json"),
        Tokenizer.load(saved),
    ]
    assert all(same(each, tok) for each in back)


def test_merges_without_a_heading_or_a_last_newline(two_files: Path) -> None:
    (two_files / "merges.txt").write_bytes(b"a b\nab c\nc d")
    assert len(files.read_vocab_and_merges(two_files).merges) == 3


def test_tiktoken_malformed(tmp_path: Path) -> None:
    lines = [b"%s %d" % (base64.b64encode(bytes([b])), b) for b in range(256)]
    for number, line, message in [
        (7, b"?? 6", r"x.tiktoken, line 7"),
        (7, b"BQ== six", r"x.tiktoken, line 7"),
        (7, lines[1], r"x.tiktoken, line 7"),
        (7, b"YWI= 5", r"x.tiktoken, line 7: .*5"),
        (7, b"YWI= 6", r"x.tiktoken: 1 bytes have no rank, 0x06"),
        (7, b"Bg== -6", r"x.tiktoken.*-6"),
    ]:
        wrong = lines.copy()
        wrong[number - 1] = line
        (tmp_path / "x.tiktoken").write_bytes(b"\n".join(wrong))
        with pytest.raises(ValueError, match=message):
            files.read_tiktoken(tmp_path / "x.tiktoken", pattern=GPT4_PATTERN)


HF_ERRORS: dict[str, tuple[Callable[[dict], object], str]] = {
    "wordpiece": (lambda d: d["model"].update(type="WordPiece"), "the model is WordPiece"),
    "no model": (lambda d: d.pop("model"), "no tokenizer.json that can be read"),
    "no vocab": (lambda d: d["model"].pop("vocab"), "no tokenizer.json .*'vocab'"),
    "no steps": (lambda d: d.update(pre_tokenizer=None), "not on bytes"),
    "metaspace": (lambda d: d.update(pre_tokenizer={"type": "Metaspace"}), "not on bytes"),
    "digits too": (
        lambda d: d["pre_tokenizer"]["pretokenizers"].insert(0, {"type": "Digits"}),
        "step Digits of pre_tokenizer",
    ),
    "cut twice": (
        lambda d: d["pre_tokenizer"]["pretokenizers"][1].update(use_regex=True),
        "cuts the text 2 times",
    ),
    "removed": (
        lambda d: d["pre_tokenizer"]["pretokenizers"][0].update(behavior="Removed"),
        "Split does something else",
    ),
    "inverted": (
        lambda d: d["pre_tokenizer"]["pretokenizers"][0].update(invert=True),
        "Split does something else",
    ),
    "plain text": (
        lambda d: d["pre_tokenizer"]["pretokenizers"][0].update(pattern={"String": " "}),
        "no regular expression",
    ),
    "prefix space": (
        lambda d: d["pre_tokenizer"]["pretokenizers"][1].update(add_prefix_space=True),
        "add_prefix_space",
    ),
    "normalizer": (lambda d: d.update(normalizer={"type": "NFC"}), "normalizer NFC"),
    "dropout": (lambda d: d["model"].update(dropout=0.1), "dropout 0.1"),
    "suffix": (lambda d: d["model"].update(end_of_word_suffix="</w>"), "end_of_word_suffix"),
    "stripping": (lambda d: d["added_tokens"][0].update(lstrip=True), "'<|end|>' is lstrip"),
    "another id": (lambda d: d["added_tokens"][0].update(id=300), "two ids, 300 and 259"),
    "added and learned": (
        lambda d: d["added_tokens"].append({"id": 256, "content": "ab"}),
        "has no token 'ab' that could be special",
    ),
    "not added": (lambda d: d["added_tokens"].clear(), r"token '<\|end\|>' .id 259., and no merge"),
    "merge missing": (lambda d: d["model"]["merges"].pop(0), "merge 0: b'ab' is not made yet"),
    "last merge missing": (lambda d: d["model"]["merges"].pop(), "token 'cd' .id 258., and no"),
    "merge of three": (
        lambda d: d["model"]["merges"].append(["a", "b", "c"]),
        "merge 3: .* is not two tokens",
    ),
    "merge of numbers": (lambda d: d["model"]["merges"].append([1, 2]), "no tokenizer.json"),
}


@pytest.mark.parametrize(("change", "message"), HF_ERRORS.values(), ids=HF_ERRORS)
def test_tokenizer_json_malformed(
    change: Callable[[dict], object], message: str, tmp_path: Path
) -> None:
    tok = chain(b"ab", b"abc", b"cd", special_tokens={"<|end|>": 259})
    data = json.loads(json.dumps(as_tokenizer_json(tok)))
    change(data)
    (tmp_path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(ValueError, match=re.compile(message)) as caught:
        files.read_tokenizer_json(tmp_path / "tokenizer.json")
    assert "tokenizer.json" in str(caught.value)


def test_tokenizer_json_without_a_pattern(tmp_path: Path) -> None:
    tok = chain(b"ab")
    data = as_tokenizer_json(tok)
    data["pre_tokenizer"] = data["pre_tokenizer"]["pretokenizers"][1]
    (tmp_path / "t.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(ValueError, match="does not say what a word is: pass pattern="):
        files.read_tokenizer_json(tmp_path / "t.json")
    assert same(files.read_tokenizer_json(tmp_path / "t.json", pattern=GPT4_PATTERN), tok)


def test_merges_as_lines_in_older_tokenizer_json(tmp_path: Path) -> None:
    tok = chain(b"ab", b" ab")
    data = as_tokenizer_json(tok)
    data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
    (tmp_path / "t.json").write_text(json.dumps(data), "utf-8")
    assert same(files.read_tokenizer_json(tmp_path / "t.json"), tok)


def test_own_reader_and_hugging_face_agree_on_every_table() -> None:
    """Tables that training would not find are refused; those that pass give the same ids."""
    rng = random.Random(3)
    accepted = 0
    for _ in range(400):
        ranks = {bytes([byte]): byte for byte in range(256)}
        tokens, pairs = [b"a", b"b"], []
        for _ in range(rng.randrange(1, 7)):
            first, second = rng.choice(tokens), rng.choice(tokens)
            if first + second not in tokens:
                pairs.append((first, second))
                tokens.append(first + second)
                ranks[first + second] = 256 + len(pairs)
        named = {to_characters(token): idx for token, idx in ranks.items()}
        listed = [(f"merge {i}", *map(to_characters, pair)) for i, pair in enumerate(pairs)]
        try:
            found, merges, _ = files.unnamed_ranks(named, listed, "vocab")
        except ValueError as error:
            assert "can't come from" in str(error)
            continue
        accepted += 1
        assert recover_merges(found) == merges
        tok = Tokenizer(found, pattern=r"(?s:.+)")
        hf = tok.to_huggingface()
        for _ in range(30):
            text = "".join(rng.choices("ab", k=12))
            assert hf.encode(text).ids == tok.encode(text), (pairs, text)
    assert accepted > 50


# --- writing ------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failure_in_the_middle(
    call: str, failure: BaseException, saved: Path, tok: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def fail(*_: object) -> None:
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(type(failure)):
            tok.save(saved)
        for write in (files.write_tiktoken, files.write_tokenizer_json):
            with pytest.raises(type(failure)):
                write(tok, saved)
    assert saved.read_bytes() == before
    assert names(saved.parent) == ["toy.json"]
    tok.save(saved)
    assert same(Tokenizer.load(saved), tok)


def test_the_mode_follows_the_umask(tmp_path: Path) -> None:
    if os.name != "posix":
        pytest.skip("mode bits are for POSIX")
    for mask in (0o022, 0o077, 0o002):
        old = os.umask(mask)
        try:
            write_file(tmp_path / "f", b"x")
        finally:
            os.umask(old)
        assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o666 & ~mask


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    try:
        (tmp_path / "link").symlink_to("real")
    except OSError:
        pytest.skip("no symbolic links here")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert names(tmp_path) == ["link", "real"]


def test_a_folder_in_the_way_and_folders_that_are_missing(toy: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        toy.save(tmp_path / "taken")
    assert names(tmp_path) == ["taken"]
    toy.save(str(tmp_path / "a" / "b" / "tok.json"))
    assert same(Tokenizer.load(str(tmp_path / "a" / "b" / "tok.json")), toy)


def test_many_writers_and_readers(tmp_path: Path) -> None:
    """Whoever reads while others write gets one of the versions, whole."""
    versions = [bytes([n]) * 200_000 for n in range(4)]
    path = tmp_path / "f"
    write_file(path, versions[0])
    stop, seen = threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            seen.append(path.read_bytes())

    reader = threading.Thread(target=read)
    writers = [
        threading.Thread(target=lambda v=v: [write_file(path, v) for _ in range(10)])
        for v in versions
    ]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    reader.join()
    assert seen and set(seen) <= set(versions)
    assert names(tmp_path) == ["f"]


# --- the locale ---------------------------------------------------------------------------------

PROBE = """
import sys
from pathlib import Path
from bpe import Tokenizer, files
folder = Path(sys.argv[1])
tok = Tokenizer.load(folder / "tok.json")
tok.save(folder / "again.json")
files.write_vocab_and_merges(tok, folder)
files.write_tokenizer_json(tok, folder / "tokenizer.json")
files.write_tiktoken(tok, folder / "t.tiktoken")
back = [files.read_vocab_and_merges(folder, pattern=tok.pattern),
        files.read_tokenizer_json(folder / "tokenizer.json"),
        files.read_tiktoken(folder / "t.tiktoken", pattern=tok.pattern,
                            special_tokens=tok.special_tokens)]
text = "".join(tok.special_tokens) + "caf\\u00e9 \\u6b6f"
ids = [each.encode(text, allowed_special="all") for each in [tok, *back]]
print(ids[0] if ids.count(ids[0]) == 4 else "they differ")
"""


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_files_are_utf8_whatever_the_locale(locale: str, tok: Tokenizer, tmp_path: Path) -> None:
    """gpt-2 26 and 30: written here, read and written again where text is ASCII by default."""
    tok.save(tmp_path / "tok.json")
    quiet = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": locale, "LANG": locale}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path)],
        env=os.environ | quiet,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    text = "".join(tok.special_tokens) + "café 歯"
    assert json.loads(done.stdout) == tok.encode(text, allowed_special="all")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "tok.json").read_bytes()


def test_one_readable_file(toy: Tokenizer, tmp_path: Path) -> None:
    """The course's own format: a line a merge, the token beside its ids, text as text."""
    Tokenizer.train("东东", 258, special_tokens=["结束"]).save(tmp_path / "han.json")
    assert '"结束": 257' in (tmp_path / "han.json").read_text("utf-8")
    toy.save(tmp_path / "toy.json")
    lines = (tmp_path / "toy.json").read_text("utf-8").split("\n")
    assert lines[1:3] == [' "format": "from-text-to-tokens",', ' "version": 1,']
    assert '  [97, 98, 256, "ab"],' in lines
    assert len(lines) < 20


def test_subclasses_load_as_themselves(toy: Tokenizer, tmp_path: Path) -> None:
    class Mine(Tokenizer):
        pass

    toy.save(tmp_path / "t.json")
    assert type(Mine.load(tmp_path / "t.json")) is Mine
    assert type(get_encoding("gpt2")) is Tokenizer


def test_tiktoken_is_the_real_one(toy: Tokenizer) -> None:
    assert isinstance(toy.to_tiktoken(), tiktoken.Encoding)
    assert isinstance(toy.to_huggingface(), tokenizers.Tokenizer)
