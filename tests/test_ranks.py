"""Merging by ranks: short words, long words and tiktoken agree, and merges can be recovered."""

import time

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe.coding import apply_merges
from bpe.pairs import Pair
from bpe.ranks import _merge_long, merge_word, recover_merges
from bpe.training import build_vocab, train

BYTES = {bytes([byte]): byte for byte in range(256)}
Ranks = dict[bytes, int]
words = st.text("ab", max_size=40).map(str.encode)


@st.composite
def chains(draw: st.DrawFn) -> Ranks:
    """Ranks in which each token is two earlier ones joined."""
    ranks, tokens = dict(BYTES), [b"a", b"b"]
    for _ in range(draw(st.integers(0, 12))):
        token = draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens))
        if token not in ranks:
            ranks[token] = len(ranks)
            tokens.append(token)
    return ranks


@st.composite
def any_ranks(draw: st.DrawFn) -> Ranks:
    """Tokens of any kind in any order, no chain of merges."""
    tokens = draw(st.lists(st.text("ab", min_size=2, max_size=6).map(str.encode), unique=True))
    return BYTES | {token: 256 + i for i, token in enumerate(tokens)}


tables = st.one_of(chains(), any_ranks())


class TestMergeWord:
    @given(tables, words)
    def test_the_heap_gives_what_the_scan_gives(self, ranks: Ranks, word: bytes) -> None:
        if word and word not in ranks:
            assert _merge_long(word, ranks) == merge_word(word, ranks)

    @settings(max_examples=40, deadline=None)
    @given(tables, st.lists(words, max_size=5), st.text("ab", min_size=65, max_size=300))
    def test_equal_to_tiktoken(self, ranks: Ranks, some: list[bytes], long: str) -> None:
        theirs = tiktoken.Encoding(
            "test", pat_str=r"(?s:.+)", mergeable_ranks=ranks, special_tokens={}
        )
        for word in [*some, long.encode(), long.encode() * 5]:
            assert merge_word(word, ranks) == theirs.encode_ordinary(word.decode())

    @pytest.mark.filterwarnings("ignore:training stopped")
    @given(st.text("abc", max_size=200), words)
    def test_pairs_of_ids_say_the_same(self, text: str, word: bytes) -> None:
        merges = train(text, 276)
        vocab = build_vocab(merges)
        ranks = {token: idx for idx, token in vocab.items()}
        assert len(ranks) == len(vocab), "training made one token twice"
        assert merge_word(word, ranks) == apply_merges(word, merges)
        assert recover_merges(ranks) == merges

    def test_a_word_that_is_a_token_is_looked_up(self) -> None:
        unreachable = BYTES | {b"abc": 256}  # no pair leads to it
        assert merge_word(b"abc", unreachable) == [256]
        assert merge_word(b"abca", unreachable) == [97, 98, 99, 97]

    def test_no_bytes_and_one(self) -> None:
        assert merge_word(b"", BYTES) == []
        assert merge_word(b"a", BYTES) == [97]

    @pytest.mark.parametrize("size", [63, 64, 65, 66])
    def test_around_the_change_of_method(self, size: int) -> None:
        ranks = BYTES | {b"aa": 256, b"aaaa": 257, b"ab": 258}
        expected = [257] * (size // 4) + [[], [97], [256], [256, 97]][size % 4]
        assert merge_word(b"a" * size, ranks) == expected

    @pytest.mark.parametrize("word", [b"a" * 20_000, b"ab" * 10_000, b"aab" * 7_000])
    def test_work_grows_with_length(self, word: bytes) -> None:
        """Look-ups in the table are counted: a word twice as long needs about twice as many."""

        class Counting(dict):
            asked = 0

            def get(self, key, default=None):
                Counting.asked += 1
                return dict.get(self, key, default)

        merges = train("aabab" * 40 + "a" * 64, 270)
        ranks = Counting({token: idx for idx, token in build_vocab(merges).items()})
        asked = []
        for part in (word[: len(word) // 4], word):
            Counting.asked = 0
            merge_word(part, ranks)
            asked.append(Counting.asked)
        assert asked[1] <= 4.2 * asked[0]
        assert asked[1] <= 4 * len(word)


class TestRecoverMerges:
    @given(chains())
    def test_each_token_has_its_two_parts(self, ranks: Ranks) -> None:
        try:
            merges = recover_merges(ranks)
        except ValueError as error:  # a token that later merges would never meet
            assert "no chain of merges" in str(error)
            return
        vocab = {idx: token for token, idx in ranks.items()}
        assert len(merges) == len(ranks) - 256
        for (first, second), idx in merges.items():
            assert vocab[first] + vocab[second] == vocab[idx]
            assert max(first, second) < idx

    @pytest.mark.parametrize(
        ("ranks", "message"),
        [
            (BYTES | {b"abc": 256}, r"token b'abc' \(rank 256\) is made of 3 tokens"),
            (BYTES | {b"abc": 256, b"ab": 257}, "b'abc' .* is made of 3 tokens of lower rank"),
            (BYTES | {b"ab": 256, b"cd": 257, b"abcde": 258}, "b'abcde' .* is made of 3 tokens"),
            ({b"a": 0, b"ab": 1}, r"needs the byte b'b', which has no rank below"),
            ({b"a": 0, b"ab": 1, b"b": 2}, r"needs the byte b'b', which has no rank below"),
        ],
    )
    def test_no_chain_is_refused_by_name(self, ranks: Ranks, message: str) -> None:
        with pytest.raises(ValueError, match=message) as caught:
            recover_merges(ranks)
        assert "the ranks are no chain of merges" in str(caught.value)

    def test_order_of_the_dictionary_does_not_matter(self) -> None:
        ranks = BYTES | {b"ab": 256, b"abc": 257}
        expected: dict[Pair, int] = {(97, 98): 256, (256, 99): 257}
        shuffled = dict(reversed(ranks.items()))
        assert recover_merges(shuffled) == recover_merges(ranks) == expected

    def test_bytes_in_another_order(self) -> None:
        ranks = {bytes([byte]): 255 - byte for byte in range(256)} | {b"ab": 256}
        assert recover_merges(ranks) == {(255 - 97, 255 - 98): 256}


@pytest.mark.whole
def test_a_long_word_takes_seconds_not_hours() -> None:
    ranks = BYTES | {b"^" * 2**n: 255 + n for n in range(1, 7)}
    start = time.perf_counter()
    assert merge_word(b"^" * 1_000_000, ranks) == [261] * 15_625
    assert time.perf_counter() - start < 60
