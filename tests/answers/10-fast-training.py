"""Chapter 10: answers that are plausible and wrong, and what each one hears."""

ANSWERS = {
    "text_and_words": [
        (
            "factors added",
            """
minutes = 5

def text_and_words(words):
    return sum(len(w) * n for w, n in words.items()), sum(map(len, words))
""",
            "you predicted 5, and that is not what comes. Longer passes",
        ),
        (
            "words counted, not bytes",
            """
minutes = 6

def text_and_words(words):
    return sum(words.values()), len(words)
""",
            "expected (11, 4), got (5, 2). Bytes are counted",
        ),
        (
            "spaces taken off",
            """
minutes = 6

def text_and_words(words):
    sizes = {w: len(w.strip()) for w in words}
    return sum(sizes[w] * n for w, n in words.items()), sum(sizes.values())
""",
            "A space belongs to its word",
        ),
        (
            "characters for bytes",
            """
minutes = 6

def text_and_words(words):
    sizes = {w: len(w.decode()) for w in words}
    return sum(sizes[w] * n for w, n in words.items()), sum(sizes.values())
""",
            "A letter beyond ASCII has several bytes",
        ),
    ],
    "changes": [
        (
            "only the neighbors behind",
            """
def changes(ids, pair, idx):
    found = {}
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            found[pair] = found.get(pair, 0) - 1
            if i + 2 < len(ids):
                old, new = (pair[1], ids[i + 2]), (idx, ids[i + 2])
                found[old] = found.get(old, 0) - 1
                found[new] = found.get(new, 0) + 1
    return found
""",
            "There is a neighbor before the pair",
        ),
        (
            "zeros kept",
            """
from bpe.pairs import get_stats, merge

def changes(ids, pair, idx):
    old, new = get_stats(ids), get_stats(merge(ids, pair, idx))
    return {p: new.get(p, 0) - old.get(p, 0) for p in old | new}
""",
            "What keeps its count is left out",
        ),
        (
            "losses forgotten",
            """
from collections import Counter
from bpe.pairs import get_stats, merge

def changes(ids, pair, idx):
    return dict(Counter(get_stats(merge(ids, pair, idx))) - Counter(get_stats(ids)))
""",
            "The pair goes, its neighbor goes",
        ),
        (
            "the pair counted by its merges",
            """
from bpe.pairs import get_stats, merge

def changes(ids, pair, idx):
    merged = merge(ids, pair, idx)
    old, new = get_stats(ids), get_stats(merged)
    both = {p: new.get(p, 0) - old.get(p, 0) for p in old | new}
    both[pair] = -merged.count(idx)
    return {p: change for p, change in both.items() if change}
""",
            "get_stats counts overlapping pairs",
        ),
        (
            "the rest copied each time",
            """
from bpe.pairs import get_stats, merge

def changes(ids, pair, idx):
    rest = list(ids)
    old = {}
    while len(rest) > 1:
        old[rest[0], rest[1]] = old.get((rest[0], rest[1]), 0) + 1
        rest = [each for each in rest[1:]]
    new = get_stats(merge(ids, pair, idx))
    both = {p: new.get(p, 0) - old.get(p, 0) for p in old | new}
    return {p: change for p, change in both.items() if change}
""",
            "A pass or two over the ids is enough",
        ),
    ],
    "merge_at": [
        (
            "places not moved",
            """
def merge_at(ids, places, idx):
    ids = list(ids)
    for place in places:
        ids[place : place + 2] = [idx]
    return ids
""",
            "Places are those of the old list",
        ),
        (
            "overlaps merged twice",
            """
def merge_at(ids, places, idx):
    begins = set(places)
    seconds = {place + 1 for place in places}
    return [idx if i in begins else each for i, each in enumerate(ids)
            if i in begins or i not in seconds]
""",
            "The pair at 1 overlaps the one at 0",
        ),
        (
            "changes the argument",
            """
def merge_at(ids, places, idx):
    end = len(ids)
    for place in reversed(places):
        if place + 2 <= end:
            ids[place : place + 2] = [idx]
    return ids
""",
            "the function changed its argument",
        ),
        (
            "the end forgotten",
            """
def merge_at(ids, places, idx):
    merged, done = [], 0
    for place in places:
        if place >= done:
            merged += ids[done:place] + [idx]
            done = place + 2
    return merged
""",
            "Two ids become one",
        ),
        (
            "every second overlap dropped for good",
            """
def merge_at(ids, places, idx):
    kept = [p for k, p in enumerate(places) if k == 0 or p != places[k - 1] + 1]
    merged, done = [], 0
    for place in kept:
        merged += ids[done:place] + [idx]
        done = place + 2
    return merged + ids[done:]
""",
            "After an overlap the next place is free again",
        ),
        (
            "a new list for each place",
            """
def merge_at(ids, places, idx):
    ids, moved, done = list(ids), 0, 0
    for place in places:
        if place >= done:
            at = place - moved
            ids = [x for x in ids[:at]] + [idx] + [x for x in ids[at + 2:]]
            moved += 1
            done = place + 2
    return ids
""",
            "Build a new list from left to right",
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
