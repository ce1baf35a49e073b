"""Chapter 03: the two moves of byte-pair encoding, counting pairs and merging one.

``ids`` is a list of ints, ``pair`` two neighbours in it, ``idx`` the new id that replaces them.
The names are those of minbpe (A. Karpathy, 2024); the idea is P. Gage's (1994).
"""

from collections.abc import Mapping, Sequence

Pair = tuple[int, int]

TIES = ("first", "smallest")


def get_stats(ids: Sequence[int], counts: dict[Pair, int] | None = None) -> dict[Pair, int]:
    """Return how often each pair of neighbours occurs in ``ids``.

    Pairs may overlap: in ``[1, 1, 1]`` the pair ``(1, 1)`` occurs twice, though ``merge`` can
    replace it only once. The keys stand in the order in which the pairs first occur.

    Args:
        ids: The sequence to count in.
        counts: Counts to add to (and to return), so that several documents can be counted
            together without a pair across their borders.

    >>> get_stats([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    >>> get_stats([3, 1], counts={(3, 1): 1})
    {(3, 1): 2}
    """
    if counts is None:
        counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def top_pair(stats: Mapping[Pair, int], ties: str = "first") -> Pair:
    """Return the pair with the highest count.

    Several pairs may share that count, and "the most frequent pair" does not say which is meant.

    Args:
        stats: Counts, as ``get_stats`` gives them.
        ties: ``"first"`` takes the pair that was counted first, which is the one that stands first
            in the text (minbpe's rule); ``"smallest"`` takes the lowest pair of ids (rustbpe's).

    Raises:
        ValueError: ``stats`` is empty, or ``ties`` is not a rule.

    >>> stats = {(5, 9): 2, (7, 7): 1, (1, 4): 2}
    >>> top_pair(stats)
    (5, 9)
    >>> top_pair(stats, ties="smallest")
    (1, 4)
    """
    if ties not in TIES:
        raise ValueError(f"ties={ties!r} is not a rule: use one of {', '.join(map(repr, TIES))}")
    if not stats:
        raise ValueError("there is no pair to choose from: stats is empty (fewer than two ids?)")
    if ties == "first":
        return max(stats, key=stats.get)
    return min(stats, key=lambda pair: (-stats[pair], pair))


def merge(ids: Sequence[int], pair: Pair, idx: int) -> list[int]:
    """Return ``ids`` with each occurrence of ``pair`` replaced by ``idx``.

    The scan goes from left to right, and an id that was used is not used again: ``aaa`` becomes
    ``Za``, never ``aZ``. ``ids`` itself is left as it was.

    >>> merge([5, 6, 6, 7, 9, 1], (6, 7), 99)
    [5, 6, 99, 9, 1]
    >>> merge([1, 1, 1], (1, 1), 2)
    [2, 1]
    """
    first, second = pair
    merged = []
    i, last = 0, len(ids) - 1
    while i <= last:
        if i < last and ids[i] == first and ids[i + 1] == second:
            merged.append(idx)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def unmerge(ids: Sequence[int], pair: Pair, idx: int) -> list[int]:
    """Return ``ids`` with each ``idx`` replaced by ``pair``: the way back from ``merge``.

    It gives back what was merged if ``idx`` was new then. Several merges are undone newest first.

    >>> unmerge([5, 6, 99, 9, 1], (6, 7), 99)
    [5, 6, 6, 7, 9, 1]
    """
    expanded = []
    for each in ids:
        expanded.extend(pair if each == idx else (each,))
    return expanded
