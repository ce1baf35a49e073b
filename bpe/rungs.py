"""Beside the ladder: the trainer of chapter 06 on its way up, one idea a function (chapter 10).

All of these learn the same merges, those of ``splitting.train_words`` with ``ties="smallest"``, and
differ in what they look at again. For n bytes of text, of which u remain when each word is kept
once, and for m merges:

=====================  ==============================================  =============================
function               what one merge looks at                         time
=====================  ==============================================  =============================
``recount_all``        every byte of the text                          m times n
``count_words_once``   every byte of the different words               n, and m times u
``keep_counts``        words that hold the pair; all pairs for the top  n, u, and m times the pairs
``train_words``        words that hold the pair; the top of a heap     n, u, and m times a logarithm
``fast.training``      places of the pair; the top of a heap           the same, compiled
=====================  ==============================================  =============================
"""

from collections.abc import Iterable, Mapping

from bpe.pairs import Pair, get_stats, merge, top_pair
from bpe.training import N_BYTES


def recount_all(chunks: Iterable[bytes], num_merges: int) -> dict[Pair, int]:
    """Learn merges from words, each as often as it stands in the text; count all at each merge.

    Args:
        chunks: The words of the text, in its order (minbpe calls them chunks).
        num_merges: How many merges to learn; fewer are returned when the pairs run out.

    Returns:
        ``{(int, int): int}``, from each merged pair to its new id, in the order of learning.

    >>> recount_all([b"hug", b"pug", b"hug"], 2)
    {(117, 103): 256, (104, 256): 257}
    """
    sequences = [list(chunk) for chunk in chunks]
    merges: dict[Pair, int] = {}
    for idx in range(N_BYTES, N_BYTES + num_merges):
        stats: dict[Pair, int] = {}
        for ids in sequences:
            get_stats(ids, stats)
        if not stats:
            break
        pair = top_pair(stats, ties="smallest")
        sequences = [merge(ids, pair, idx) for ids in sequences]
        merges[pair] = idx
    return merges


def count_words_once(words: Mapping[bytes, int], num_merges: int) -> dict[Pair, int]:
    """The same on words with their counts: a word's pairs count as often as the word.

    >>> count_words_once({b"hug": 2, b"pug": 1}, 2)
    {(117, 103): 256, (104, 256): 257}
    """
    sequences = [list(word) for word in words]
    merges: dict[Pair, int] = {}
    for idx in range(N_BYTES, N_BYTES + num_merges):
        stats: dict[Pair, int] = {}
        for ids, count in zip(sequences, words.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not any(stats.values()):
            break
        pair = top_pair(stats, ties="smallest")
        sequences = [merge(ids, pair, idx) for ids in sequences]
        merges[pair] = idx
    return merges


def keep_counts(words: Mapping[bytes, int], num_merges: int) -> dict[Pair, int]:
    """The same with counts that are kept: a merge counts the words anew that hold its pair.

    ``where`` says which those are. It may name a word that has lost the pair since; it never
    misses one that has it.

    >>> keep_counts({b"hug": 2, b"pug": 1}, 2)
    {(117, 103): 256, (104, 256): 257}
    """
    sequences = [list(word) for word in words]
    times = list(words.values())
    stats: dict[Pair, int] = {}
    where: dict[Pair, set[int]] = {}

    def count(place: int, weight: int) -> None:
        ids = sequences[place]
        for pair in zip(ids, ids[1:]):
            stats[pair] = stats.get(pair, 0) + weight
            where.setdefault(pair, set()).add(place)
            if stats[pair] == 0:
                del stats[pair]

    for place, weight in enumerate(times):
        count(place, weight)
    merges: dict[Pair, int] = {}
    for idx in range(N_BYTES, N_BYTES + num_merges):
        if not stats:
            break
        pair = top_pair(stats, ties="smallest")
        for place in where.pop(pair):
            count(place, -times[place])
            sequences[place] = merge(sequences[place], pair, idx)
            count(place, times[place])
        merges[pair] = idx
    return merges
