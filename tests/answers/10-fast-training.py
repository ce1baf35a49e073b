"""Chapter 10: answers that are plausible and wrong, and what each one hears."""

PREDICTED = "at_start, pushed, out_of_date = 5, 4, 4\n"
COUNTED = """
from itertools import pairwise

from bpe.pairs import merge

def count_pushed(ids, pair, idx):
    return len({each for each in pairwise(merge(ids, pair, idx)) if idx in each})
"""

ANSWERS = {
    "count_pushed": [
        (
            "an entry for each occurrence",
            "at_start, pushed, out_of_date = 7, 4, 4\n" + COUNTED,
            "you predicted 7, and that is not what comes. One entry a pair",
        ),
        (
            "neighbors pushed once",
            "at_start, pushed, out_of_date = 5, 2, 4\n" + COUNTED,
            "Write the word down after the merge",
        ),
        (
            "a heap that is told",
            "at_start, pushed, out_of_date = 5, 4, 0\n" + COUNTED,
            "Which old pairs are still there?",
        ),
        (
            "two for each merge",
            PREDICTED
            + """
from itertools import pairwise

def count_pushed(ids, pair, idx):
    return 2 * sum(each == pair for each in pairwise(ids))
""",
            "Only (9, 3) is new",
        ),
        (
            "occurrences counted, not pairs",
            PREDICTED
            + """
from itertools import pairwise

from bpe.pairs import merge

def count_pushed(ids, pair, idx):
    return sum(idx in each for each in pairwise(merge(ids, pair, idx)))
""",
            "(3, 9) is there twice and has one entry",
        ),
        (
            "all pairs of the word pushed again",
            PREDICTED
            + """
from itertools import pairwise

from bpe.pairs import merge

def count_pushed(ids, pair, idx):
    return len(set(pairwise(merge(ids, pair, idx))))
""",
            "A pair without the new id was on the heap before",
        ),
        (
            "neighbors as they were before the merge",
            PREDICTED
            + """
def count_pushed(ids, pair, idx):
    new = set()
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            if i > 0:
                new.add((ids[i - 1], idx))
            if i + 2 < len(ids):
                new.add((idx, ids[i + 2]))
    return len(new)
""",
            "Two new ids side by side are one new pair",
        ),
    ],
    "changes": [
        (
            "only the neighbor to the right",
            """
from collections import Counter

def changes(ids, places, idx):
    found = Counter()
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        if p + 2 < len(ids):
            found[ids[p + 1], ids[p + 2]] -= 1
            found[idx, ids[p + 2]] += 1
    return dict(found)
""",
            "There is a neighbor to the left, too",
        ),
        (
            "only the neighbor to the left",
            """
from collections import Counter

def changes(ids, places, idx):
    found = Counter()
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        if p:
            found[ids[p - 1], ids[p]] -= 1
            found[ids[p - 1], idx] += 1
    return dict(found)
""",
            "The pair goes, its right neighbor goes",
        ),
        (
            "left of the first is the last",
            """
from collections import Counter

def changes(ids, places, idx):
    found, merged = Counter(), set(places)
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        if p + 2 < len(ids):
            found[ids[p + 1], ids[p + 2]] -= 1
            found[idx, idx if p + 2 in merged else ids[p + 2]] += 1
        if p - 2 not in merged:
            found[ids[p - 1], ids[p]] -= 1
            found[ids[p - 1], idx] += 1
    return dict(found)
""",
            "got {(1, 2): -1, (2, 3): -1, (9, 3): 1, (3, 1): -1, (3, 9): 1}",
        ),
        (
            "the border counted from both sides",
            """
from collections import Counter

def changes(ids, places, idx):
    found = Counter()
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        if p + 2 < len(ids):
            found[ids[p + 1], ids[p + 2]] -= 1
            found[idx, ids[p + 2]] += 1
        if p:
            found[ids[p - 1], ids[p]] -= 1
            found[ids[p - 1], idx] += 1
    return dict(found)
""",
            "(2, 1): -2, (9, 1): 1, (2, 9): 1}. Between two places side by side",
        ),
        (
            "zeros kept",
            """
from collections import Counter

def changes(ids, places, idx):
    found, merged = Counter(), set()
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        merged.add(p)
        if p + 2 < len(ids):
            found[ids[p + 1], ids[p + 2]] -= 1
            found[idx, ids[p + 2]] += 1
        if p - 2 in merged:
            found[idx, ids[p]] -= 1
            found[idx, idx] += 1
        elif p:
            found[ids[p - 1], ids[p]] -= 1
            found[ids[p - 1], idx] += 1
    return dict(found)
""",
            "(9, 1): 0",
        ),
        (
            "equal ids lost once",
            """
def changes(ids, places, idx):
    found, merged = {}, set(places)

    def add(pair, change):
        found[pair] = found.get(pair, 0) + change

    for p in places:
        pair = ids[p], ids[p + 1]
        add(pair, -1)
        if p + 2 < len(ids):
            if (ids[p + 1], ids[p + 2]) != pair:
                add((ids[p + 1], ids[p + 2]), -1)
            add((idx, idx if p + 2 in merged else ids[p + 2]), 1)
        if p and p - 2 not in merged:
            add((ids[p - 1], ids[p]), -1)
            add((ids[p - 1], idx), 1)
    return found
""",
            "(1, 1) is lost at the place and to its right",
        ),
        (
            "everything counted before and after",
            """
from bpe.pairs import get_stats, merge

def changes(ids, places, idx):
    if not places:
        return {}
    pair = ids[places[0]], ids[places[0] + 1]
    old, new = get_stats(ids), get_stats(merge(ids, pair, idx))
    both = {p: new.get(p, 0) - old.get(p, 0) for p in old | new}
    return {p: change for p, change in both.items() if change}
""",
            "Two places: look at these, not at the whole list",
        ),
        (
            "a search among the places",
            """
from collections import Counter

def changes(ids, places, idx):
    found = Counter()
    for p in places:
        found[ids[p], ids[p + 1]] -= 1
        if p + 2 < len(ids):
            found[ids[p + 1], ids[p + 2]] -= 1
            found[idx, idx if p + 2 in places else ids[p + 2]] += 1
        if p and p - 2 not in places:
            found[ids[p - 1], ids[p]] -= 1
            found[ids[p - 1], idx] += 1
    return dict(found)
""",
            "A set knows without a search",
        ),
    ],
    "merge_cells": [
        (
            "the second cell goes",
            """
def merge_cells(cells, places, pair, idx):
    cells = list(cells)
    for p in reversed(places):
        if cells[p : p + 2] == list(pair):
            cells[p : p + 2] = [idx]
    return cells
""",
            "As many cells as before",
        ),
        (
            "the next cell is taken for the next token",
            """
def merge_cells(cells, places, pair, idx):
    cells = list(cells)
    for p in places:
        if p + 1 < len(cells) and (cells[p], cells[p + 1]) == pair:
            cells[p], cells[p + 1] = idx, None
    return cells
""",
            "The next token is behind the None",
        ),
        (
            "places out of date are believed",
            """
def merge_cells(cells, places, pair, idx):
    cells = list(cells)
    for p in places:
        after = p + 1
        while after < len(cells) and cells[after] is None:
            after += 1
        if cells[p] is not None and after < len(cells):
            cells[p], cells[after] = idx, None
    return cells
""",
            "b has been swallowed",
        ),
        (
            "looks at the old cells",
            """
def merge_cells(cells, places, pair, idx):
    new = list(cells)
    for p in places:
        after = p + 1
        while after < len(cells) and cells[after] is None:
            after += 1
        if cells[p] == pair[0] and after < len(cells) and cells[after] == pair[1]:
            new[p], new[after] = idx, None
    return new
""",
            "After the first merge the place 1 holds no token",
        ),
        (
            "walks past the end",
            """
def merge_cells(cells, places, pair, idx):
    cells = list(cells)
    for p in places:
        after = p + 1
        while cells[after] is None:
            after += 1
        if (cells[p], cells[after]) == pair:
            cells[p], cells[after] = idx, None
    return cells
""",
            "but IndexError came: list index out of range",
        ),
        (
            "changes the argument",
            """
def merge_cells(cells, places, pair, idx):
    for p in places:
        after = p + 1
        while after < len(cells) and cells[after] is None:
            after += 1
        if cells[p] == pair[0] and after < len(cells) and cells[after] == pair[1]:
            cells[p], cells[after] = idx, None
    return cells
""",
            "the function changed its argument",
        ),
        (
            "a copy for each place",
            """
def merge_cells(cells, places, pair, idx):
    for p in places:
        tokens = [(i, each) for i, each in enumerate(cells) if each is not None]
        for (i, first), (j, second) in zip(tokens, tokens[1:]):
            if i == p and (first, second) == pair:
                cells = [*cells]
                cells[i], cells[j] = idx, None
    return cells
""",
            "Copy the cells once, then go from place to place",
        ),
    ],
    "drain": [
        (
            "entries out of date are believed",
            """
def drain(stats, falls):
    return sorted((p for p in stats if stats[p] > 0), key=lambda p: (-stats[p], p))
""",
            "bc has fallen to 1",
        ),
        (
            "ties by the order of the dictionary",
            """
def drain(stats, falls):
    stats, taken = dict(stats), []
    while stats and max(stats.values()) > 0:
        top = max(stats, key=stats.get)
        taken.append(top)
        if len(taken) <= len(falls):
            stats.update(falls[len(taken) - 1])
        stats.pop(top, None)
    return taken
""",
            "Of equals the smallest pair",
        ),
        (
            "an entry out of date is thrown away",
            """
from heapq import heapify, heappop

def drain(stats, falls):
    stats, taken = dict(stats), []
    heap = [(-count, pair) for pair, count in stats.items()]
    heapify(heap)
    while heap:
        negative, pair = heappop(heap)
        if stats[pair] == -negative > 0:
            if len(taken) < len(falls):
                stats.update(falls[len(taken)])
            taken.append(pair)
    return taken
""",
            "expected ['ab', 'cd', 'bc'], got ['ab', 'cd']",
        ),
        (
            "zeros are taken, too",
            """
from heapq import heapify, heappop, heappush

def drain(stats, falls):
    stats, taken = dict(stats), []
    heap = [(-count, pair) for pair, count in stats.items()]
    heapify(heap)
    while heap:
        negative, pair = heappop(heap)
        if stats[pair] < -negative:
            heappush(heap, (-stats[pair], pair))
            continue
        if len(taken) < len(falls):
            stats.update(falls[len(taken)])
        taken.append(pair)
    return taken
""",
            "A count of 0 is no pair",
        ),
        (
            "each fall is pushed",
            """
from heapq import heapify, heappop, heappush

def drain(stats, falls):
    stats, taken = dict(stats), []
    heap = [(-count, pair) for pair, count in stats.items()]
    heapify(heap)
    while heap:
        negative, pair = heappop(heap)
        if stats[pair] != -negative or not negative:
            continue
        if len(taken) < len(falls):
            stats.update(falls[len(taken)])
            for each, count in falls[len(taken)].items():
                heappush(heap, (-count, each))
        taken.append(pair)
    return taken
""",
            "ab was taken and does not come back",
        ),
        (
            "all pairs looked at each time",
            """
def drain(stats, falls):
    stats, taken = dict(stats), []
    while True:
        top = min((p for p in stats if stats[p] > 0), key=lambda p: (-stats[p], p), default=None)
        if top is None:
            return taken
        taken.append(top)
        if len(taken) <= len(falls):
            stats.update(falls[len(taken) - 1])
        del stats[top]
""",
            "Looking at all pairs for each one is n times n",
        ),
    ],
    "in_rounds": [
        (
            "one merge a round",
            """
from bpe.splitting import train_words

def in_rounds(words, num_merges, k):
    return train_words(words, num_merges)
""",
            "In a round the counts are old",
        ),
        (
            "pairs may share an id",
            """
from bpe.pairs import get_stats, merge

def in_rounds(words, num_merges, k):
    sequences, merges = [list(w) for w in words], {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(sequences, words.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        top = sorted((p for p in stats if stats[p]), key=lambda p: (-stats[p], p))[:k]
        if not top:
            break
        for pair in top[: num_merges - len(merges)]:
            idx = merges[pair] = 256 + len(merges)
            sequences = [merge(ids, pair, idx) for ids in sequences]
    return merges
""",
            "Two pairs that share no id, after one count",
        ),
        (
            "a round is always finished",
            """
from bpe.pairs import merge

def in_rounds(words, num_merges, k):
    sequences, merges = [list(w) for w in words], {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(sequences, words.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        used, chosen = set(), []
        for pair in sorted(stats, key=lambda p: (-stats[p], p)):
            if len(chosen) < k and stats[pair] and not used & {*pair}:
                chosen.append(pair)
                used.update(pair)
        if not chosen:
            break
        for pair in chosen:
            idx = merges[pair] = 256 + len(merges)
            sequences = [merge(ids, pair, idx) for ids in sequences]
    return merges
""",
            "No more merges than were asked for",
        ),
        (
            "words not weighted",
            """
from bpe.pairs import get_stats, merge

def in_rounds(words, num_merges, k):
    sequences, merges = [list(w) for w in words], {}
    while len(merges) < num_merges:
        stats = {}
        for ids in sequences:
            get_stats(ids, stats)
        used, chosen = set(), []
        for pair in sorted(stats, key=lambda p: (-stats[p], p)):
            if len(chosen) < k and not used & {*pair}:
                chosen.append(pair)
                used.update(pair)
        if not chosen:
            break
        for pair in chosen[: num_merges - len(merges)]:
            idx = merges[pair] = 256 + len(merges)
            sequences = [merge(ids, pair, idx) for ids in sequences]
    return merges
""",
            "expected {(99, 100): 256}, got {(97, 98): 256}",
        ),
    ],
}
