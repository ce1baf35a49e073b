"""Chapter 04: learning merges from text.

One step: count all pairs, take the most frequent, give it the next id, replace it everywhere.
Training repeats the step until the vocabulary is as large as it was asked to be. What it leaves
behind is one dictionary, ``merges``, in the order in which the merges were learned.

Follows Sennrich et al. (2016) and, on bytes, Radford et al. (2019) and minbpe.

Not handled here: splitting into words (chapter 06), special tokens (07), speed (10). Every step
counts everything again, so the cost of a step is the length of the text.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import index
from typing import NamedTuple

from bpe.pairs import TIES, Pair, get_stats, merge, top_pair
from bpe.utf8 import text_to_bytes

N_BYTES = 256  # ids 0 to 255 are the bytes themselves


class Step(NamedTuple):
    """One step of training.

    Attributes:
        pair: The two ids that were merged.
        idx: The new id.
        count: How often the pair was counted, overlaps included.
        rivals: How many other pairs had the same count: above 0, the tie rule decided.
        length: How many ids the whole text has after the step.
    """

    pair: Pair
    idx: int
    count: int
    rivals: int
    length: int


def training_steps(
    texts: str | Iterable[str], *, ties: str = "first", min_count: int = 1
) -> Iterator[Step]:
    """Yield the steps of training one by one, until no pair is left.

    Args:
        texts: A string, or several (documents). No pair crosses from one document to the next.
        ties: Which of several pairs with the highest count is merged: see ``pairs.top_pair``.
        min_count: Stop when the best pair occurs less often than this.

    Raises:
        ValueError: ``ties`` is not a rule, or a document is not a str.

    >>> for step in training_steps("aaabdaaabac", min_count=2):
    ...     print(step.pair, "->", step.idx, "count", step.count, "length", step.length)
    (97, 97) -> 256 count 4 length 9
    (256, 97) -> 257 count 2 length 7
    (257, 98) -> 258 count 2 length 5
    """
    # Not a generator itself, so that a wrong argument is refused here and not at the first step.
    if ties not in TIES:
        raise ValueError(f"ties={ties!r} is not a rule: use one of {', '.join(map(repr, TIES))}")
    return _steps([list(text_to_bytes(text)) for text in documents(texts)], ties, min_count)


def documents(texts: str | Iterable[str]) -> Iterator[str]:
    """Yield the documents one by one: a string is one document, an iterable of strings several.

    Raises:
        ValueError: A document is no str, or ``texts`` is nothing that holds documents.

    >>> list(documents("one text")), list(documents(["two", "texts"]))
    (['one text'], ['two', 'texts'])
    """
    if isinstance(texts, bytes):
        raise ValueError("texts is bytes: training starts from text, so decode it first")
    try:
        several = iter([texts] if isinstance(texts, str) else texts)
    except TypeError:
        raise ValueError(
            f"texts is {type(texts).__name__}: give it as one str or as several"
        ) from None
    for place, text in enumerate(several):
        if not isinstance(text, str):
            raise ValueError(
                f"document {place} is {type(text).__name__}, not str: "
                "give texts as one str or as several"
            )
        yield text


def _steps(sequences: list[list[int]], ties: str, min_count: int) -> Iterator[Step]:
    idx = N_BYTES
    while True:
        stats: dict[Pair, int] = {}
        for ids in sequences:
            get_stats(ids, stats)
        if not stats:
            return
        pair = top_pair(stats, ties)
        count = stats[pair]
        if count < min_count:
            return
        rivals = sum(other == count for other in stats.values()) - 1
        sequences = [merge(ids, pair, idx) for ids in sequences]
        yield Step(pair, idx, count, rivals, sum(map(len, sequences)))
        idx += 1


def train(
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    ties: str = "first",
    min_count: int = 1,
    progress: bool = False,
) -> dict[Pair, int]:
    """Learn merges from ``texts`` until there are ``vocab_size`` ids, bytes included.

    Args:
        texts: A string, or several (documents). No pair crosses from one document to the next.
        vocab_size: 256 bytes plus the number of merges wanted.
        ties: Which of several pairs with the highest count is merged: see ``pairs.top_pair``.
        min_count: Stop when the best pair occurs less often than this.
        progress: Show a progress bar (needs tqdm).

    Returns:
        ``{(int, int): int}``, from each merged pair to its new id, in the order of learning.

    Raises:
        ValueError: ``vocab_size`` is no whole number or below 256, ``ties`` is not a rule, or a
            document is not a str.

    Warns:
        UserWarning: The text ran out of pairs before ``vocab_size`` was reached.

    >>> train("aaabdaaabac", 259)
    {(97, 97): 256, (256, 97): 257, (257, 98): 258}
    """
    wanted = count_merges(vocab_size)
    steps: Iterable[Step] = islice(training_steps(texts, ties=ties, min_count=min_count), wanted)
    if progress:
        from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

        steps = tqdm(steps, total=wanted, desc="merges")
    merges = {step.pair: step.idx for step in steps}
    if len(merges) < wanted:
        warn_of_early_stop(len(merges), wanted, min_count=min_count)
    return merges


def count_merges(vocab_size: int, reserved: int = 0) -> int:
    """Return how many merges make a vocabulary of this size: bytes and reserved ids come off.

    Raises:
        ValueError: ``vocab_size`` is no whole number, or too small.

    >>> count_merges(1000, reserved=1)
    743
    """
    try:
        wanted = index(vocab_size) - N_BYTES - reserved
    except TypeError:
        raise ValueError(f"vocab_size={vocab_size!r} is not a whole number") from None
    if wanted < 0:
        least = N_BYTES + reserved
        specials = f" and {reserved} special tokens" if reserved else ""
        raise ValueError(
            f"vocab_size={vocab_size} is too small: the {N_BYTES} bytes{specials} come first, "
            f"and each merge adds one id. Use {least} or more."
        )
    return wanted


def warn_of_early_stop(
    learned: int, wanted: int, reserved: int = 0, *, min_count: int = 1, stacklevel: int = 3
) -> None:
    """Warn whoever called ``train`` that the text ran out of pairs."""
    others = N_BYTES + reserved
    warnings.warn(
        f"training stopped at {others + learned} ids, {others + wanted} were asked for: "
        f"no pair occurs {'any more' if min_count < 2 else f'{min_count} times or more'}. "
        "Train on more text, or ask for a smaller vocab_size.",
        stacklevel=stacklevel,
    )


def build_vocab(merges: Mapping[Pair, int]) -> dict[int, bytes]:
    """Return the bytes that each id stands for: 256 single bytes, then one entry for each merge.

    The merges must come in the order of learning, since a later one may use an earlier one's id.

    Raises:
        ValueError: A merge uses an id that no earlier merge has made, or makes one that is taken.

    >>> build_vocab({(97, 97): 256, (256, 98): 257})[257]
    b'aab'
    """
    vocab = {idx: bytes([idx]) for idx in range(N_BYTES)}
    for (first, second), idx in merges.items():
        for part in (first, second):
            if part not in vocab:
                raise ValueError(
                    f"merge ({first}, {second}) -> {idx} uses id {part} before it is made: "
                    "give the merges in the order in which they were learned"
                )
        if idx < N_BYTES or idx in vocab:
            raise ValueError(
                f"merge ({first}, {second}) -> {idx}: id {idx} is taken or below {N_BYTES}. "
                "Every merge needs an id of its own."
            )
        vocab[idx] = vocab[first] + vocab[second]
    return vocab
