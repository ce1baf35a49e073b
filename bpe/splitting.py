r"""Chapter 06: cut text into words first, then merge inside the words.

A pattern says where text may be cut. No merge crosses a cut, so ``dog.`` and ``dog!`` share the
token ``dog``; and since every word is merged alone, equal words need to be counted only once.

Follows GPT-2 (Radford et al. 2019) and tiktoken's patterns; the word counts are Sennrich's (2016).
Not handled here: special tokens (chapter 07).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from bpe.categories import compile_split
from bpe.coding import BasicTokenizer, apply_merges
from bpe.pairs import Pair
from bpe.training import N_BYTES, count_merges, documents, warn_of_early_stop
from bpe.utf8 import repair_surrogates

SIMPLE_PATTERN = r"\s+|\w+|[^\w\s]+"
"""The first idea: words, runs of white space, runs of punctuation."""

GPT2_PATTERN = (
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
)
"""GPT-2 and GPT-3 (gpt2, r50k_base, p50k_base), as tiktoken writes it."""

GPT4_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
"""GPT-3.5 and GPT-4 (cl100k_base), as tiktoken writes it."""

GPT4O_PATTERN = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"""
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"""
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)
"""GPT-4o (o200k_base), as tiktoken writes it."""

TIES = ("smallest", "first", "printable", "greatest")

KNOWN_WORDS = 1 << 16  # words whose ids an encoder remembers
SHORT = 64  # characters: longer words are hardly met twice


def count_words(texts: str | Iterable[str], pattern: str) -> dict[bytes, int]:
    """Return how often each word occurs, in the order in which the words first occur.

    Args:
        texts: A string, or several (documents). No word reaches from one into the next.
        pattern: What a word is; text that it does not match is a word of its own.

    Raises:
        ValueError: A document is no str, or ``pattern`` is no regular expression.

    >>> count_words("a cat, a hat", GPT2_PATTERN)
    {b'a': 1, b' cat': 1, b',': 1, b' a': 1, b' hat': 1}
    """
    split = compile_split(pattern)
    words: Counter[str] = Counter()
    for text in documents(texts):
        words.update(split(repair_surrogates(text)))
    return {word.encode("utf-8"): count for word, count in words.items()}


def printable_order() -> list[int]:
    """Return the 256 bytes in GPT-2's order: those that can be printed, then the rest.

    Byte number ``printable_order()[i]`` has id ``i`` in GPT-2's vocabulary.

    >>> printable_order()[:3], printable_order()[-1]
    ([33, 34, 35], 173)
    """
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return printed + [byte for byte in range(N_BYTES) if byte not in printed]


def _order(
    ties: str,
    vocab: list[bytes],
    where: Mapping[Pair, set[int]],
    sequences: list[list[int]],
) -> tuple[Callable[[Pair], Any], Callable[[Pair], Any]]:
    """Two keys by which pairs of equal count are sorted: the least is merged.

    The first is for a pair that goes on the heap, the second for one that has come to the top. They
    differ for the rule "first" only: there the first key may be too low, and is quick to find.
    """
    if ties == "first":
        return (
            lambda pair: (min(where[pair]), 0),
            lambda pair: _first_place(pair, vocab, where, sequences),
        )
    # Hugging Face sorts the alphabet by the characters that stand for the bytes: those that can be
    # printed stand for themselves, the others for U+0100 and up.
    place = {byte: i for i, byte in enumerate(printable_order())}
    order: Callable[[Pair], Any] = {
        "smallest": lambda pair: pair,
        "printable": lambda pair: (place.get(pair[0], pair[0]), place.get(pair[1], pair[1])),
        "greatest": lambda pair: _Reversed((vocab[pair[0]], vocab[pair[1]])),
    }[ties]
    return order, order


def _first_place(
    pair: Pair,
    vocab: list[bytes],
    where: Mapping[Pair, set[int]],
    sequences: list[list[int]],
) -> tuple[int, int]:
    """Where a pair stands first: the word, and how many of its bytes come before.

    Bytes and not ids, since merges to the left of it change how many ids there are.
    """
    for word in sorted(where[pair]):
        place = 0
        for each in zip(sequences[word], sequences[word][1:]):
            if each == pair:
                return word, place
            place += len(vocab[each[0]])
    raise AssertionError(f"{pair} is counted and stands nowhere")


class _Reversed:
    """Turns an order around, for values that cannot be negated."""

    __slots__ = ("value",)

    def __init__(self, value: tuple[bytes, bytes]) -> None:
        self.value = value

    def __lt__(self, other: "_Reversed") -> bool:
        return self.value > other.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


def check_rule(ties: str) -> None:
    """Refuse what is no tie rule.

    Raises:
        ValueError: ``ties`` is not among ``TIES``.
    """
    if ties not in TIES:
        raise ValueError(f"ties={ties!r} is not a rule: use one of {', '.join(map(repr, TIES))}")


def train_words(
    words: Mapping[bytes, int],
    num_merges: int,
    *,
    ties: str = "smallest",
    on_merge: Callable[[Pair, int], object] | None = None,
) -> dict[Pair, int]:
    """Learn merges from words and their counts.

    Counts are kept from step to step: a merge changes only the words that hold its pair, which
    ``where`` remembers, and in them only the pairs to its left and right. A pair is complete in
    the step that makes it and only shrinks afterwards, so the pairs can wait in a heap: an entry
    whose count has changed in the meantime is put back with the new one when it comes up.

    Args:
        words: ``{bytes: int}``, as ``count_words`` gives them.
        num_merges: How many merges to learn; fewer are returned when the pairs run out.
        ties: Which of several pairs with the highest count is merged: ``"smallest"`` pair of ids
            (rustbpe, bpeasy), ``"first"`` in the text (minbpe), ``"printable"`` (smallest, with
            the bytes in GPT-2's order: Hugging Face tokenizers), ``"greatest"`` pair of byte
            strings (Stanford CS336).
        on_merge: Called with each pair and its count, for progress.

    Returns:
        ``{(int, int): int}``, from each merged pair to its new id, in the order of learning. Two
        merges may make the same bytes from other halves; each has an id of its own.

    Raises:
        ValueError: ``ties`` is not a rule, a word is no bytes, or a count is negative.

    >>> train_words({b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}, 2)
    {(117, 103): 256, (117, 110): 257}
    """
    check_rule(ties)
    for word, count in words.items():
        if not isinstance(word, bytes):
            raise ValueError(
                f"word {word!r} is a {type(word).__name__}: words are counted as bytes"
            )
        if count < 0:
            raise ValueError(f"word {word!r} has the count {count}: counts start at 0")
    sequences = [list(word) for word in words]
    times = list(words.values())
    vocab = [bytes([byte]) for byte in range(N_BYTES)]
    stats: defaultdict[Pair, int] = defaultdict(int)
    where: defaultdict[Pair, set[int]] = defaultdict(set)
    for place, (ids, count) in enumerate(zip(sequences, times)):
        for pair in zip(ids, ids[1:]):
            stats[pair] += count
            where[pair].add(place)

    order, settle = _order(ties, vocab, where, sequences)
    heap: list = [(-count, order(pair), pair) for pair, count in stats.items()]
    heapify(heap)
    merges: dict[Pair, int] = {}
    while len(merges) < num_merges:
        pair = _pop_top(heap, stats, settle)
        if pair is None:
            break
        idx = N_BYTES + len(merges)
        merges[pair] = idx
        vocab.append(vocab[pair[0]] + vocab[pair[1]])
        if on_merge:
            on_merge(pair, stats[pair])
        new_stats: defaultdict[Pair, int] = defaultdict(int)
        new_where: defaultdict[Pair, set[int]] = defaultdict(set)
        for place in where.pop(pair):
            ids, count = sequences[place], times[place]
            for before, after in _merge_in_place(ids, pair, idx):
                if before is not None:
                    # What stands before may be the new id: aaaa becomes Zaa, and then ZZ.
                    (new_stats if before == idx else stats)[before, pair[0]] -= count
                    new_stats[before, idx] += count
                    new_where[before, idx].add(place)
                if after is not None:
                    stats[pair[1], after] -= count
                    new_stats[idx, after] += count
                    new_where[idx, after].add(place)
        del stats[pair]
        stats.update(new_stats)
        where.update(new_where)
        for each, count in new_stats.items():
            if count > 0:
                heappush(heap, (-count, order(each), each))
    return merges


def _merge_in_place(
    ids: list[int], pair: Pair, idx: int
) -> Iterator[tuple[int | None, int | None]]:
    """Merge inside ``ids`` itself, and yield the neighbours of each pair before it goes.

    None stands for no neighbour: the word begins or ends there.
    """
    first, second = pair
    end = start = 0  # ids[:end] is done, ids[start:] is not, what lies between is left over
    last = len(ids) - 1
    i = 0
    while i < last:
        try:
            i = ids.index(first, i, last)
        except ValueError:
            break
        if ids[i + 1] != second:
            i += 1
            continue
        if start:
            ids[end : end + i - start] = ids[start:i]
        end += i - start
        i = start = i + 2
        yield (ids[end - 1] if end else None), (ids[start] if start <= last else None)
        ids[end] = idx
        end += 1
    del ids[end:start]


def _pop_top(heap: list, stats: Mapping[Pair, int], settle: Callable[[Pair], Any]) -> Pair | None:
    """Take the pair to merge next off the heap: a lazy heap, mended when looked at.

    An entry may stand too high, since counts fall and first places move on, and never too low.
    """
    while heap:
        negative, key, pair = heappop(heap)
        count = stats.get(pair, 0)
        if count > 0:
            now = settle(pair)
            if count == -negative and now == key:
                return pair
            heappush(heap, (-count, now, pair))
    return None


def learn(
    texts: str | Iterable[str],
    vocab_size: int,
    pattern: str,
    ties: str,
    progress: bool,
    reserved: int = 0,
) -> dict[Pair, int]:
    """Count words, learn merges: what ``RegexTokenizer.train`` and ``Tokenizer.train`` share.

    Args:
        reserved: Ids of ``vocab_size`` that are not for merges (special tokens).
    """
    wanted = count_merges(vocab_size, reserved)
    check_rule(ties)  # before the counting, which may take long
    words = count_words(texts, pattern)
    if progress:
        from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

        with tqdm(total=wanted, desc="merges") as bar:
            merges = train_words(words, wanted, ties=ties, on_merge=lambda *_: bar.update())
    else:
        merges = train_words(words, wanted, ties=ties)
    if len(merges) < wanted:
        warn_of_early_stop(len(merges), wanted, reserved, stacklevel=4)
    return merges


class RegexTokenizer(BasicTokenizer):
    """Byte-level BPE inside words, as GPT-2 and GPT-4 do it; special tokens come in chapter 07.

    Args:
        merges: ``{(int, int): int}`` in the order of learning.
        pattern: What a word is. It must be the pattern that the merges were learned with.

    Attributes:
        merges: The merges, as given.
        vocab: ``{int: bytes}``, what each id stands for.
        pattern: The pattern, as given.

    Raises:
        ValueError: The merges are no chain from the bytes upwards, or the pattern is none.

    Example:
        >>> tok = RegexTokenizer.train("dog. dog! dog?", 258)
        >>> [tok.vocab[idx] for idx in tok.encode("dog? dog.")]
        [b'dog', b'?', b' ', b'dog', b'.']
    """

    def __init__(self, merges: Mapping[Pair, int], pattern: str = GPT4_PATTERN) -> None:
        super().__init__(merges)
        self.pattern = pattern
        self._split = compile_split(pattern)
        self._known: dict[str, list[int]] = {}  # words met before

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        vocab_size: int,
        *,
        pattern: str = GPT4_PATTERN,
        ties: str = "smallest",
        progress: bool = False,
    ) -> "RegexTokenizer":
        """Learn merges inside the words of ``texts`` until there are ``vocab_size`` ids.

        Args:
            texts: A string, or several (documents).
            vocab_size: 256 bytes plus the number of merges wanted.
            pattern: What a word is.
            ties: See ``train_words``.
            progress: Show a progress bar (needs tqdm).

        Raises:
            ValueError: ``vocab_size`` is no whole number or below 256, ``ties`` is not a rule,
                ``pattern`` is no regular expression, or a document is no str.

        Warns:
            UserWarning: The words ran out of pairs before ``vocab_size`` was reached.

        >>> RegexTokenizer.train("hug hug pug", 257, pattern=SIMPLE_PATTERN).vocab[256]
        b'ug'
        """
        return cls(learn(texts, vocab_size, pattern, ties, progress), pattern)

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``: each word is merged alone.

        Raises:
            ValueError: ``text`` is no str.

        >>> RegexTokenizer({(32, 32): 256}).encode("a   b")
        [97, 256, 32, 98]
        """
        if not isinstance(text, str):
            return super().encode(text)  # which says what is wrong
        ids: list[int] = []
        known = self._known
        for word in self._split(repair_surrogates(text)):
            found = known.get(word)
            if found is None:
                found = apply_merges(word.encode("utf-8"), self.merges)
                if len(known) < KNOWN_WORDS and len(word) <= SHORT:
                    known[word] = found
            ids += found
        return ids

    def __reduce__(self) -> tuple:
        # What was compiled and what is remembered stays behind.
        return type(self), (self.merges, self.pattern)
