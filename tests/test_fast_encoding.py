"""The compiled encoder: the ids of tiktoken and of the plain tokenizer, whatever the text."""

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import count_accesses
import fuzz_kernels
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe
from bpe import datasets
from bpe.fast import Encoder, encoding
from bpe.fast.caching import LINE_BITS
from comparing import (
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
SPECIAL = "<|endoftext|>"


@cache
def fast(name: str) -> Encoder:
    return Encoder(ours(name))


def differing(name: str, texts: Iterable[str]) -> list[str]:
    """The texts whose ids are not tiktoken's."""
    encoder, other = fast(name), theirs(name)
    return [
        ascii(text)
        for text in texts
        if encoder.encode_ordinary(text) != other.encode_ordinary(text)
    ]


@each_peer
class TestAgainstTiktoken:
    def test_every_211th_character(self, name: str) -> None:
        chosen = sorted({*SCALARS[:0x3000], *SCALARS[::211]})
        assert not differing(name, map(IN_EVERY_PLACE.format, map(chr, chosen)))

    @pytest.mark.whole
    def test_every_character(self, name: str) -> None:
        assert not differing(name, map(IN_EVERY_PLACE.format, map(chr, SCALARS)))

    def test_hostile_strings(self, name: str) -> None:
        assert not differing(name, hostile_strings(20_000, seed=8))

    @pytest.mark.whole
    def test_many_hostile_strings(self, name: str) -> None:
        assert not differing(name, hostile_strings(300_000, seed=100))

    @given(text=st.text(st.characters()))
    def test_any_text(self, name: str, text: str) -> None:
        assert not differing(name, [text])

    def test_a_megabyte_whole_and_in_documents(self, name: str) -> None:
        texts = [*shuffled_messages(random.Random(4)), datasets.hamlet()]
        texts += [datasets.python_code(300_000), datasets.article(), datasets.paragraph()]
        expected = theirs(name).encode_ordinary_batch(texts)
        assert fast(name).encode_batch(texts, threads=2, disallowed_special=()) == expected
        whole = "\n".join(texts)
        array = fast(name).encode_ordinary_to_numpy(whole)
        assert array.dtype == np.uint32
        assert array.tolist() == theirs(name).encode_ordinary(whole)
        assert fast(name).encode_batch([whole], threads=2)[0] == array.tolist()
        arrays = fast(name).encode_batch_to_numpy([*texts, whole], disallowed_special=())
        assert {each.dtype for each in arrays} == {np.dtype(np.uint32)}
        assert [each.tolist() for each in arrays] == [*expected, array.tolist()]

    @pytest.mark.whole
    def test_twenty_megabytes(self, name: str) -> None:
        for text in twenty_megabytes():
            assert fast(name).encode_ordinary(text) == theirs(name).encode_ordinary(text)

    @pytest.mark.parametrize(
        "piece", ["^", "a", "ab", "\n", " ", "  x", "1", "é", "한", "👍", "'", "\r\n", "\u0301"]
    )
    def test_runs_of_every_length(self, name: str, piece: str) -> None:
        texts = [piece * n for n in (1, 2, 15, 16, 31, 32, 63, 64, 65, 500, 3000)]
        assert not differing(name, texts)

    def test_lone_surrogates(self, name: str) -> None:
        for text in ("\udbc0", "\udc00", "\ud83d", "\ud83d\ude00", "a\udfff b"):
            assert not differing(name, [text, f" {text}\n{text}"])

    def test_specials(self, name: str) -> None:
        text = f"one{SPECIAL}two {SPECIAL}"
        encoder, other = fast(name), theirs(name)
        assert encoder.encode(text, allowed_special="all") == other.encode(
            text, allowed_special="all"
        )
        assert encoder.encode(text, disallowed_special=()) == other.encode_ordinary(text)
        with pytest.raises(ValueError, match="endoftext"):
            encoder.encode(text)
        with pytest.raises(ValueError, match="endoftext"):
            encoder.encode_batch(["plain", text])
        with pytest.raises(ValueError, match="endoftext"):
            encoder.encode_batch_to_numpy(["plain", text])
        [plain, found] = encoder.encode_batch_to_numpy(["plain", text], allowed_special="all")
        assert [plain.tolist(), found.tolist()] == other.encode_batch(
            ["plain", text], allowed_special="all"
        )
        assert found.dtype == np.uint32
        found = encoder.encode_to_numpy(text, allowed_special={SPECIAL})
        assert found.tolist() == encoder.encode(text, allowed_special={SPECIAL})

    def test_back_again(self, name: str) -> None:
        text = "\n".join(shuffled_messages(random.Random(5)))
        ids = fast(name).encode(text)
        assert fast(name).decode(ids) == text
        assert fast(name).decode(np.array(ids, np.uint16 if name == "gpt2" else np.uint32)) == text
        assert fast(name).decode_bytes(iter(ids)) == text.encode("utf-8")
        assert fast(name).decode(ids[:7]) == theirs(name).decode(ids[:7])


@pytest.mark.parametrize("text", ["", "a", " ", "\n", "\x00"])
def test_next_to_nothing(text: str) -> None:
    encoder = fast("gpt2")
    ids = theirs("gpt2").encode(text)
    assert encoder.encode(text) == ids
    assert encoder.encode_to_numpy(text).tolist() == ids
    assert encoder.encode_batch([text, text]) == [ids, ids]
    assert encoder.decode(ids) == text
    assert encoder.encode_batch([]) == encoder.encode_batch_to_numpy([]) == []
    [array] = encoder.encode_batch_to_numpy([text])
    assert array.dtype == np.uint32 and array.tolist() == ids


@pytest.mark.parametrize("ids", [[-1], [97, 50_257], [1 << 40], [1 << 70], [97, -(1 << 63)]])
def test_unknown_ids_are_named(ids: list[int]) -> None:
    with pytest.raises(KeyError, match=f"id {ids[-1]} at position {len(ids) - 1}"):
        fast("gpt2").decode(ids)


@pytest.mark.parametrize("text", [None, 7, b"bytes", ["a"]])
def test_what_is_no_text(text: object) -> None:
    for call in (fast("gpt2").encode, fast("gpt2").encode_ordinary):
        with pytest.raises(ValueError, match=type(text).__name__):
            call(text)


def test_what_is_no_tokenizer() -> None:
    with pytest.raises(ValueError, match="made of a bpe.Tokenizer"):
        Encoder({b"a": 0})
    with pytest.raises(ValueError, match="threads=0"):
        fast("gpt2").encode_batch(["a"], threads=0)


def test_more_words_than_the_memory_holds() -> None:
    """Words push each other out and come back; the ids stay."""
    rng = random.Random(6)
    letters = "abcdefghij"
    words = ["".join(rng.choices(letters, k=rng.randint(1, 30))) for _ in range(3 << LINE_BITS)]
    text = " ".join(words + words[::-1])
    assert fast("gpt2").encode_ordinary(text) == theirs("gpt2").encode_ordinary(text)


def test_threads_share_an_encoder() -> None:
    encoder, other = Encoder(ours("cl100k_base")), theirs("cl100k_base")
    texts = hostile_strings(2_000, seed=12)
    expected = other.encode_ordinary_batch(texts)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [*map(encoder.encode_ordinary, texts)], range(4)):
            assert found == expected


def test_travels_between_processes() -> None:
    encoder = Encoder(bpe.Tokenizer.train("low low lower", 259, special_tokens=[]))
    assert pickle.loads(pickle.dumps(encoder)).encode("lower") == encoder.encode("lower")


@pytest.mark.parametrize("seed", range(2))
def test_fuzzed_against_the_plain_tokenizer(seed: int) -> None:
    fuzz_kernels.rounds(2, seed=1_000 * seed)


@pytest.mark.whole
def test_fuzzed_for_longer() -> None:
    fuzz_kernels.rounds(20, seed=77)


@pytest.mark.whole
def test_no_index_is_out_of_bounds() -> None:
    """In a process of its own: numba reads the setting once, and compiles everything anew."""
    script = Path(fuzz_kernels.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "2", "5"],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "2 rounds, every index checked: True" in done.stdout


def test_a_long_text_takes_no_more_accesses_for_a_byte() -> None:
    """Four times the text, four times the accesses and a little more; quadratic would be 16."""
    for case, (short, long) in count_accesses.run("encoding", 300).items():
        assert long < 1.5 * short, case


@pytest.mark.whole
def test_a_longer_text_neither() -> None:
    for case, (short, long) in count_accesses.run("encoding", 1000).items():
        assert long < 1.3 * short, case


def test_a_token_too_long_for_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place and size do not fit into one number: the tokenizer itself decodes."""
    monkeypatch.setattr(encoding, "MOST_BYTES_OF_AN_ID", 5)
    tok = bpe.Tokenizer.train("abcdef" * 9, 262, pattern=r"\w+")
    encoder = Encoder(tok)
    assert encoder._pieces is None
    for text in ("abcdefabc", ""):
        assert encoder.decode(encoder.encode(text)) == text


def test_long_lists_of_ids_far_apart() -> None:
    """There is no table of ints for them; the ids are those of the tokenizer all the same."""
    ranks = {bytes([byte]): 1000 * byte for byte in range(256)}
    tok = bpe.Tokenizer(ranks, pattern=bpe.GPT4_PATTERN)
    text = "ab " * encoding.MANY_IDS
    assert Encoder(tok).encode_ordinary(text) == tok.encode_ordinary(text)
