"""Words counted by compiled code: the same as by the plain counter, in the same order."""

import random

import numpy as np
import pytest
from fuzz_kernels import long_text, short_text
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets, splitting
from bpe.fast import scanning
from bpe.fast.patterns import KINDS
from bpe.fast.scanning import Block, WordCounts, WordTable, count_words, parts

each_pattern = pytest.mark.parametrize("pattern", KINDS, ids=["gpt2", "gpt4", "gpt4o"])


def assert_same(texts: str | list[str], pattern: str, **options: int) -> None:
    ours = count_words(texts, pattern, **options).as_dict()
    assert list(ours.items()) == list(splitting.count_words(texts, pattern).items())


@each_pattern
def test_real_text(pattern: str) -> None:
    texts = [datasets.hamlet(), datasets.python_code(200_000), datasets.paragraph()]
    texts += ["\n".join(datasets.messages(language)) for language in datasets.languages()[::6]]
    assert_same(texts, pattern)


@each_pattern
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_and_threads_change_nothing(
    pattern: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "BLOCK", 1000)
    monkeypatch.setattr(parts, "__defaults__", (1000,))
    rng = random.Random(5)
    texts = [datasets.hamlet()[:30_000], "", *(short_text(rng) for _ in range(300))]
    texts += [long_text(rng) for _ in range(20)]
    assert_same(texts, pattern, threads=threads)


@given(st.lists(st.text(), max_size=5), st.sampled_from([*KINDS, r"\w+", "(a|b)+"]))
def test_any_texts(texts: list[str], pattern: str) -> None:
    assert_same(texts, pattern)


@each_pattern
def test_surrogates(pattern: str) -> None:
    assert_same(["\ud83d\udc4d a\udbc0", "\udfff"], pattern)


def test_words_do_not_reach_from_one_document_into_the_next() -> None:
    for pattern in KINDS:
        assert count_words(["a", "b"], pattern).as_dict() == {b"a": 1, b"b": 1}


@pytest.mark.parametrize("texts", ["", [], ["", ""]])
def test_nothing(texts: str | list[str]) -> None:
    for pattern in [*KINDS, r"\w+"]:
        counts = count_words(texts, pattern, threads=2)
        assert counts.as_dict() == {}
        assert counts.starts.tolist() == [0]


def test_types() -> None:
    counts = count_words("a b a", splitting.GPT4_PATTERN)
    assert [array.dtype for array in counts] == [np.uint8, np.int64, np.int64]
    assert counts.bytes.tobytes() == b"a b a" and counts.starts.tolist() == [0, 1, 3, 5]


def test_a_table_grows_in_both_ways() -> None:
    """Many words, long words, and one that is longer than all room there is."""
    texts = [" ".join(f"w{number}x" for number in range(3000)), "a" * 5000 + " " + "b" * 300]
    kind = KINDS[splitting.GPT4_PATTERN]
    small = WordTable(most_words=2, most_bytes=16).count(Block.of(texts), kind)
    expected = splitting.count_words(texts, splitting.GPT4_PATTERN)
    assert list(small.result().as_dict().items()) == list(expected.items())
    total = WordTable(most_words=2, most_bytes=16)
    for _ in range(2):
        total.add(small)
    doubled = {word: 2 * count for word, count in expected.items()}
    assert list(total.result().as_dict().items()) == list(doubled.items())


def test_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "MOST_WORDS_EVER", 100)
    with pytest.raises(MemoryError, match="different words"):
        WordTable(2, 1 << 20).count(Block.of([" ".join(map(str, range(999)))]), 0)


@each_pattern
@given(seed=st.integers(0, 1 << 30), length=st.integers(1, 60))
def test_parts_have_the_words_of_the_whole(pattern: str, seed: int, length: int) -> None:
    rng = random.Random(seed)
    text = short_text(rng) + " " + short_text(rng)
    assert "".join(parts(text, length)) == text
    whole = splitting.count_words(text, pattern)
    assert splitting.count_words(parts(text, length), pattern) == whole


def test_parts_are_about_as_long_as_asked_for() -> None:
    text = datasets.hamlet()
    assert all(999 <= len(part) < 1200 for part in list(parts(text, 1000))[:-1])


def test_progress(capsys: pytest.CaptureFixture) -> None:
    for pattern in (splitting.GPT2_PATTERN, r"\w+"):
        count_words(["a cat", "b"], pattern, progress=True)
        assert "counting" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("texts", "pattern", "threads", "said"),
    [
        (b"bytes", splitting.GPT4_PATTERN, 1, "decode"),
        (["a", 3], splitting.GPT4_PATTERN, 1, "document 1 is int"),
        (["a", 3], splitting.GPT4_PATTERN, 2, "document 1 is int"),
        ("a", "(", 1, "no regular expression"),
        ("a", splitting.GPT4_PATTERN, 0, "at least one"),
    ],
)
def test_wrong_arguments(texts: object, pattern: str, threads: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        count_words(texts, pattern, threads=threads)


def test_counts_of_a_dict() -> None:
    words = {b"a": 3, b"": 2, b"long word": 1}
    assert WordCounts.of(words).as_dict() == words
    assert WordCounts.of({}).as_dict() == {}
