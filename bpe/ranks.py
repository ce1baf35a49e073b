"""Beside the ladder: merging by ranks of bytes, as tiktoken does, instead of by pairs of ids.

A table of ranks says for each token when it was learned: ``{bytes: int}``. Which pair it was made
of need not be written down: no two merges that training finds make the same bytes. Chapter 07 says
why the two ways agree; chapter 08 reads such tables from OpenAI's files.
"""

import sys
from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from bpe.pairs import Pair

SHORT = 64  # bytes: up to here a plain scan is quicker than a heap
NONE = sys.maxsize  # the rank of a pair that is no token


def merge_word(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the ids of one word: join the two parts whose whole has the lowest rank, repeat.

    A word that is a token itself is that token, as in tiktoken.

    >>> ranks = {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4}
    >>> merge_word(b"abc", ranks)
    [0, 3]
    """
    if (rank := ranks.get(word)) is not None:
        return [rank]
    if len(word) > SHORT:
        return _merge_long(word, ranks)
    parts = [word[i : i + 1] for i in range(len(word))]
    pairs = [ranks.get(a + b, NONE) for a, b in zip(parts, parts[1:])]
    while pairs and (lowest := min(pairs)) != NONE:
        i = pairs.index(lowest)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
        del pairs[i]
        if i:
            pairs[i - 1] = ranks.get(parts[i - 1] + parts[i], NONE)
        if i < len(pairs):
            pairs[i] = ranks.get(parts[i] + parts[i + 1], NONE)
    return [ranks[part] for part in parts]


def _merge_long(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The same with a heap, as in chapter 05: n bytes take about n log n steps."""
    n = len(word)
    after = list(range(1, n + 1))  # where the part that begins here ends; 0 when it is gone
    before = list(range(-1, n - 1))
    heap = [
        (rank, i, i + 2) for i in range(n - 1) if (rank := ranks.get(word[i : i + 2])) is not None
    ]
    heapify(heap)
    while heap:
        _, i, end = heappop(heap)
        j = after[i]
        if not j or j == n or after[j] != end:
            continue  # one of the two parts has been joined with another one
        after[i], after[j] = end, 0
        if end < n:
            before[end] = i
            if (rank := ranks.get(word[i : after[end]])) is not None:
                heappush(heap, (rank, i, after[end]))
        h = before[i]
        if h >= 0 and (rank := ranks.get(word[h:end])) is not None:
            heappush(heap, (rank, h, end))
    ids, i = [], 0
    while i < n:
        ids.append(ranks[word[i : after[i]]])
        i = after[i]
    return ids


def recover_merges(ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Return the merges behind ranks: for each token the two tokens that it was made of.

    Merging a token's own bytes with the ranks below its own must end in two parts.

    Raises:
        ValueError: For some token it does not: the ranks are no chain of merges.

    >>> recover_merges({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3})
    {(0, 1): 2, (2, 0): 3}
    """
    merges: dict[Pair, int] = {}
    lower: dict[bytes, int] = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            try:
                parts = merge_word(token, lower)
            except KeyError as error:
                raise ValueError(
                    f"token {token!r} (rank {rank}) needs the byte {error}, which has no rank "
                    "below: the ranks are no chain of merges"
                ) from None
            if len(parts) != 2:
                raise ValueError(
                    f"token {token!r} (rank {rank}) is made of {len(parts)} tokens of lower rank, "
                    "not of 2: the ranks are no chain of merges. Is a rank missing or misplaced?"
                )
            merges[parts[0], parts[1]] = rank
        lower[token] = rank
    return merges
