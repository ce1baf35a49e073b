"""Chapter 03: answers that are plausible and wrong, and what each one hears."""

ANSWERS = {
    "count_disjoint": [
        (
            "overlaps counted twice",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    return sum((a, b) == pair for a, b in zip(ids, ids[1:]))
""",
            "The middle 1 was used twice",
        ),
        (
            "stops before the last pair",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    count = i = 0
    while i < len(ids) - 2:
        if (ids[i], ids[i + 1]) == pair:
            count += 1
            i += 2
        else:
            i += 1
    return count
""",
            "expected 1, got 0. The last two ids are a pair",
        ),
        (
            "looks beyond the last id",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    count = i = 0
    while i < len(ids):
        if (ids[i], ids[i + 1]) == pair:
            count += 1
            i += 2
        else:
            i += 1
    return count
""",
            "IndexError came",
        ),
        (
            "moves on by two after every look",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    return sum((ids[i], ids[i + 1]) == pair for i in range(0, len(ids) - 1, 2))
""",
            "without a match, move on by one",
        ),
        (
            "counts in the digits",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    text = " ".join(str(idx) for idx in ids)
    return text.count(f"{pair[0]} {pair[1]}")
""",
            "An 11 is not two 1s",
        ),
        (
            "counts ids instead of neighbors",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    if pair[0] == pair[1]:
        return ids.count(pair[0]) // 2
    return min(ids.count(pair[0]), ids.count(pair[1]))
""",
            "Only ids that stand side by side",
        ),
        (
            "eats the argument",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    count = 0
    while len(ids) > 1:
        if (ids[0], ids[1]) == pair:
            count += 1
            del ids[:2]
        else:
            del ids[0]
    return count
""",
            "changed its argument",
        ),
        (
            "calls itself for the rest",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    if len(ids) < 2:
        return 0
    if (ids[0], ids[1]) == pair:
        return 1 + count_disjoint(ids[2:], pair)
    return count_disjoint(ids[1:], pair)
""",
            "recursion went too deep",
        ),
        (
            "cuts the rest off each time",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    count = 0
    while len(ids) > 1:
        if (ids[0], ids[1]) == pair:
            count += 1
            ids = ids[2:]
        else:
            ids = ids[1:]
    return count
""",
            "The work grows faster than the input",
        ),
        (
            "ids as bytes",
            """
counted, replaced = 100, 50

def count_disjoint(ids, pair):
    return bytes(ids).count(bytes(pair))
""",
            "ValueError came",
        ),
        (
            "one pair for each id",
            """
counted, replaced = 101, 50

def count_disjoint(ids, pair):
    raise NotImplementedError
""",
            "you predicted 101, and that is not what comes. counted:",
        ),
        (
            "half an id rounded up",
            """
counted, replaced = 100, 51

def count_disjoint(ids, pair):
    raise NotImplementedError
""",
            "you predicted 51, and that is not what comes. replaced:",
        ),
    ],
    "decompress": [
        (
            "oldest rule first",
            """
from bpe.pairs import unmerge

def decompress(ids, rules):
    ids = list(ids)
    for pair, idx in rules:
        ids = unmerge(ids, pair, idx)
    return ids
""",
            "undo the newest rule first",
        ),
        (
            "turns the caller's rules around",
            """
from bpe.pairs import unmerge

def decompress(ids, rules):
    ids = list(ids)
    rules.reverse()
    for pair, idx in rules:
        ids = unmerge(ids, pair, idx)
    return ids
""",
            "changed its argument",
        ),
        (
            "replaces the first occurrence only",
            """
def decompress(ids, rules):
    ids = list(ids)
    for pair, idx in reversed(rules):
        if idx in ids:
            place = ids.index(idx)
            ids[place : place + 1] = pair
    return ids
""",
            "got [1, 2, 5, 256]. Each 256 is replaced",
        ),
        (
            "puts the pair itself into the list",
            """
def decompress(ids, rules):
    for pair, idx in reversed(rules):
        ids = [pair if each == idx else each for each in ids]
    return list(ids)
""",
            "got [(1, 2), 5, (1, 2)]",
        ),
        (
            "calls itself for each half",
            """
def decompress(ids, rules):
    parts = {idx: pair for pair, idx in rules}

    def expand(idx):
        if idx not in parts:
            return [idx]
        return expand(parts[idx][0]) + expand(parts[idx][1])

    return [each for idx in ids for each in expand(idx)]
""",
            "recursion went too deep",
        ),
        (
            "forgets to return",
            """
from bpe.pairs import unmerge

def decompress(ids, rules):
    ids = list(ids)
    for pair, idx in reversed(rules):
        ids = unmerge(ids, pair, idx)
""",
            "Does the function end with return?",
        ),
        (
            "takes new ids to be numbered without a gap",
            """
from bpe.pairs import unmerge

def decompress(ids, rules):
    ids = list(ids)
    for pair, idx in sorted(rules, key=lambda rule: -rule[1]):
        ids = unmerge(ids, pair, idx)
    return ids
""",
            "New ids need not rise",
        ),
    ],
    "compress": [
        (
            "goes on while there are pairs",
            """
from bpe.pairs import get_stats, merge, top_pair

def compress(ids, idx):
    rules = []
    while stats := get_stats(ids):
        pair = top_pair(stats)
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
    return ids, rules
""",
            "after it, nothing repeats",
        ),
        (
            "asks for the top pair of nothing",
            """
from bpe.pairs import get_stats, merge

def compress(ids, idx):
    rules = []
    while True:
        stats = get_stats(ids)
        pair = max(stats, key=stats.get)
        if stats[pair] < 2:
            return ids, rules
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
""",
            "Where there is no pair, there is no top pair",
        ),
        (
            "merges once before it looks",
            """
from bpe.pairs import get_stats, merge, top_pair

def compress(ids, idx):
    rules = []
    stats = get_stats(ids)
    while stats:
        pair = top_pair(stats)
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
        stats = get_stats(ids)
        if not stats or max(stats.values()) < 2:
            break
    return ids, rules
""",
            "A pair that occurs once is not worth a rule",
        ),
        (
            "takes the smallest of equals",
            """
from bpe.pairs import get_stats, merge, top_pair

def compress(ids, idx):
    rules = []
    while (stats := get_stats(ids)) and max(stats.values()) > 1:
        pair = top_pair(stats, ties="smallest")
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
    return ids, rules
""",
            "(4, 3) and (1, 2) tie",
        ),
        (
            "counts only once",
            """
from bpe.pairs import get_stats, merge

def compress(ids, idx):
    rules = []
    stats = get_stats(ids)
    for pair in sorted(stats, key=lambda pair: -stats[pair]):
        if stats[pair] > 1:
            ids = merge(ids, pair, idx)
            rules.append((pair, idx))
            idx += 1
    return ids, rules
""",
            "count again after each one",
        ),
        (
            "changes the list in place",
            """
from bpe.pairs import get_stats, merge, top_pair

def compress(ids, idx):
    rules = []
    while (stats := get_stats(ids)) and max(stats.values()) > 1:
        pair = top_pair(stats)
        ids[:] = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
    return ids, rules
""",
            "changed its argument",
        ),
        (
            "makes the same id again and again",
            """
from bpe.pairs import get_stats, merge, top_pair

def compress(ids, idx):
    rules = []
    while (stats := get_stats(ids)) and max(stats.values()) > 1:
        pair = top_pair(stats)
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
    return ids, rules
""",
            "Each rule makes an id of its own",
        ),
        (
            "counts without overlap",
            """
from bpe.pairs import get_stats, merge

def compress(ids, idx):
    rules = []
    while True:
        used = {pair: merge(ids, pair, -1).count(-1) for pair in get_stats(ids)}
        if not used or max(used.values()) < 2:
            return ids, rules
        pair = max(used, key=used.get)
        ids = merge(ids, pair, idx)
        rules.append((pair, idx))
        idx += 1
""",
            "in a run, every neighbor counts",
        ),
    ],
    "greatest": [
        (
            "looks at the bytes and not at the count",
            """
def greatest(stats, vocab):
    return max(stats, key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
""",
            "The count comes first",
        ),
        (
            "takes the first of equals",
            """
def greatest(stats, vocab):
    return max(stats, key=stats.get)
""",
            "The greatest of equals, wherever",
        ),
        (
            "takes the smallest of equals",
            """
def greatest(stats, vocab):
    top = max(stats.values())
    return min((vocab[a], vocab[b], (a, b)) for (a, b), n in stats.items() if n == top)[2]
""",
            "and not the smallest",
        ),
        (
            "compares the ids",
            """
def greatest(stats, vocab):
    return max(stats, key=lambda pair: (stats[pair], pair))
""",
            "258 is a large number",
        ),
        (
            "joins the two strings",
            """
def greatest(stats, vocab):
    return max(stats, key=lambda pair: (stats[pair], vocab[pair[0]] + vocab[pair[1]]))
""",
            "got (66, 257). BA is greater than B",
        ),
        (
            "compares the first string only",
            """
def greatest(stats, vocab):
    return max(stats, key=lambda pair: (stats[pair], vocab[pair[0]]))
""",
            "When the first ids agree",
        ),
        (
            "returns the bytes",
            """
def greatest(stats, vocab):
    return max((n, vocab[a], vocab[b]) for (a, b), n in stats.items())[1:]
""",
            "got (b'A', b'B')",
        ),
        (
            "turns the bytes into text",
            """
def greatest(stats, vocab):
    def name(idx):
        return vocab[idx].decode("utf-8")

    return max(stats, key=lambda pair: (stats[pair], name(pair[0]), name(pair[1])))
""",
            "UnicodeDecodeError came",
        ),
    ],
    "whose_rule_wins": [
        (
            "the texts of the chapter",
            """
first_wins = "banana bad"
smallest_wins = "and dad panda"
""",
            "expected 3, got 1",
        ),
        (
            "written twice",
            """
first_wins = "banana bad banana bad"
smallest_wins = "and dad panda and dad panda"
""",
            "expected 3, got 2. Make three merges",
        ),
        (
            "the second one only written twice",
            """
first_wins = "banana bad" * 3
smallest_wins = "and dad panda and dad panda"
""",
            "The other rule, and again three ids",
        ),
        (
            "the two mixed up",
            """
first_wins = "that hath that hath that hath"
smallest_wins = "banana bad" * 3
""",
            "got -3",
        ),
        (
            "a sentence at random",
            """
first_wins = "she sells seashells by the sea"
smallest_wins = "that hath that hath that hath"
""",
            "got 0",
        ),
        (
            "longer than asked for",
            """
first_wins = "banana bad banana bad banana bad"
smallest_wins = "and dad panda and dad panda and dad panda"
""",
            "The text is too long",
        ),
        (
            "characters counted, and not bytes",
            """
first_wins = "banana bad" * 3
smallest_wins = "bbaaaababaébébébbabbébébbba"
""",
            "outside of ASCII a character has several",
        ),
        (
            "bytes instead of text",
            """
first_wins = b"banana bad" * 3
smallest_wins = b"that hath that hath that hath"
""",
            "AttributeError came",
        ),
    ],
}
