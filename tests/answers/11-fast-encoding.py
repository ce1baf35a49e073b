"""Chapter 11: answers that are plausible and wrong, and what each one hears."""

ANSWERS = {
    "hits": [
        (
            "spaces not counted",
            """
met = 3

def hits(words, room):
    known, found = set(), 0
    for word in words:
        if word in known:
            found += 1
        elif len(known) < room:
            known.add(word)
    return found
""",
            "you predicted 3, and that is not what comes. Write the eight words down",
        ),
        (
            "room without a limit",
            """
met = 2

def hits(words, room):
    return len(words) - len(set(words))
""",
            "With room for one word, only the first is ever known",
        ),
        (
            "the oldest makes room",
            """
met = 2

def hits(words, room):
    known, found = {}, 0
    for word in words:
        if word in known:
            found += 1
            continue
        known[word] = True
        if len(known) > room:
            del known[next(iter(known))]
    return found
""",
            "expected 2, got 0. With room for one word",
        ),
        (
            "one word too many",
            """
met = 2

def hits(words, room):
    known, found = set(), 0
    for word in words:
        if word in known:
            found += 1
        elif len(known) <= room:
            known.add(word)
    return found
""",
            "expected 2, got 3. With room for one word",
        ),
        (
            "a list of known words",
            """
met = 2

def hits(words, room):
    known, found = [], 0
    for word in words:
        if any(each == word for each in known):
            found += 1
        elif len(known) < room:
            known.append(word)
    return found
""",
            "Looking through all known words at each word is n times n",
        ),
    ],
    "history": [
        (
            "left to right",
            """
def history(word, ranks):
    made, ends = [], list(range(len(word) + 1))
    while True:
        for a, _, c in zip(ends, ends[1:], ends[2:]):
            if word[a:c] in ranks:
                made.append((a, c))
                ends.remove(_)
                break
        else:
            return made
""",
            "expected [(2, 4), (0, 2)], got [(0, 2), (2, 4)]",
        ),
        (
            "every place of a rank at once",
            """
def history(word, ranks):
    made, ends = [], list(range(len(word) + 1))
    while True:
        found = [ranks[word[a:c]] for a, c in zip(ends, ends[2:]) if word[a:c] in ranks]
        if not found:
            return made
        low, i = min(found), 0
        while i + 2 < len(ends):
            if ranks.get(word[ends[i] : ends[i + 2]]) == low:
                made.append((ends[i], ends[i + 2]))
                del ends[i + 1]
            i += 1
""",
            "A new pair may have a lower rank than those that wait",
        ),
        (
            "the rightmost of equals",
            """
def history(word, ranks):
    made, ends = [], list(range(len(word) + 1))
    while True:
        found = [(ranks[word[a:c]], -k) for k, (a, c) in enumerate(zip(ends, ends[2:]))
                 if word[a:c] in ranks]
        if not found:
            return made
        i = -min(found)[1]
        made.append((ends[i], ends[i + 2]))
        del ends[i + 1]
""",
            "got [(2, 4), (0, 2), (0, 4)]",
        ),
        (
            "entries out of date are believed",
            """
from heapq import heapify, heappop, heappush

def history(word, ranks):
    n = len(word)
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    heap = [(ranks[word[i : i + 2]], i) for i in range(n - 1) if word[i : i + 2] in ranks]
    heapify(heap)
    made = []
    while heap:
        _, i = heappop(heap)
        j = after[i]
        if j >= n:
            continue
        end = after[j]
        after[i] = end
        if end < n:
            before[end] = i
        made.append((i, end))
        for k in (i, before[i]):
            if k >= 0 and after[k] < n and word[k : after[after[k]]] in ranks:
                heappush(heap, (ranks[word[k : after[after[k]]]], k))
    return made
""",
            "expected [(0, 2)], got [(0, 2), (1, 3)]. The leftmost of two",
        ),
        (
            "all pairs looked at for each merge",
            """
def history(word, ranks):
    made, ends = [], list(range(len(word) + 1))
    while True:
        found = [(ranks[word[a:c]], k) for k, (a, c) in enumerate(zip(ends, ends[2:]))
                 if word[a:c] in ranks]
        if not found:
            return made
        i = min(found)[1]
        made.append((ends[i], ends[i + 2]))
        del ends[i + 1]
""",
            "Looking at all pairs for each merge is n times n",
        ),
    ],
    "cut_safely": [
        (
            "any space will do",
            """
def cut_safely(text, n):
    parts, start = [], 0
    for k in range(1, n):
        cut = text.find(" ", max(k * len(text) // n, 1))
        if cut > start:
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]]
""",
            "A space behind a space is no safe place",
        ),
        (
            "behind the aim, not at it",
            """
import re

def cut_safely(text, n):
    parts, start = [], 0
    safe = [match.start() for match in re.finditer(r"(?<=[!-~]) ", text)]
    for k in range(1, n):
        cut = next((p for p in safe if p > k * len(text) // n), 0)
        if cut > start:
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]]
""",
            "At or after: place 7 is a safe one",
        ),
        (
            "empty parts",
            """
import re

def cut_safely(text, n):
    parts, start = [], 0
    safe = [match.start() for match in re.finditer(r"(?<=[!-~]) ", text)]
    for k in range(1, n):
        cut = next((p for p in safe if p >= k * len(text) // n), len(text))
        parts.append(text[start:cut])
        start = cut
    return [*parts, text[start:]]
""",
            "Where several k find one place, it is cut once",
        ),
        (
            "no part for the empty text",
            """
import re

def cut_safely(text, n):
    parts, start = [], 0
    safe = [match.start() for match in re.finditer(r"(?<=[!-~]) ", text)]
    for k in range(1, n):
        cut = next((p for p in safe if p >= k * len(text) // n), 0)
        if cut > start:
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]] if text else []
""",
            "The empty text is one part",
        ),
        (
            "letters beyond ASCII are visible, too",
            """
def cut_safely(text, n):
    parts, start = [], 0
    safe = [i for i in range(1, len(text)) if text[i] == " " and not text[i - 1].isspace()]
    for k in range(1, n):
        cut = next((p for p in safe if p >= k * len(text) // n), 0)
        if cut > start:
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]]
""",
            "A space is safe only behind a visible ASCII character",
        ),
        (
            "a search to the end for each k",
            """
def cut_safely(text, n):
    parts, start = [], 0
    for k in range(1, n):
        i = max(k * len(text) // n, 1)
        while i < len(text) and not (text[i] == " " and "!" <= text[i - 1] <= "~"):
            i += 1
        if start < i < len(text):
            parts.append(text[start:i])
            start = i
    return [*parts, text[start:]]
""",
            "Searching to the end of the text for each k",
        ),
    ],
    "encode_bounded": [
        (
            "no bound",
            """
def encode_bounded(words, merge, room):
    known, ids, asked = {}, [], []
    for word in words:
        if word not in known:
            asked.append(word)
            known[word] = merge(word)
        ids += known[word]
    return ids, asked
""",
            "With room for one word, b has pushed a out",
        ),
        (
            "the oldest goes, used or not",
            """
from collections import OrderedDict

def encode_bounded(words, merge, room):
    known, ids, asked = OrderedDict(), [], []
    for word in words:
        if word not in known:
            asked.append(word)
            known[word] = merge(word)
        ids += known[word]
        if len(known) > room:
            known.popitem(last=False)
    return ids, asked
""",
            "a was used after b, so c pushes b out",
        ),
        (
            "the ids of the first word grow",
            """
from collections import OrderedDict

def encode_bounded(words, merge, room):
    known, ids, asked = OrderedDict(), None, []
    for word in words:
        if word in known:
            known.move_to_end(word)
        else:
            asked.append(word)
            known[word] = merge(word)
        if ids is None:
            ids = known[word]
        else:
            ids += known[word]
        if len(known) > room:
            known.popitem(last=False)
    return ids, asked
""",
            "The second a is remembered",
        ),
        (
            "room for one is always there",
            """
def encode_bounded(words, merge, room):
    known, ids, asked = {}, [], []
    for word in words:
        if word in known:
            found = known.pop(word)
        else:
            asked.append(word)
            found = merge(word)
            if known and len(known) >= room:
                del known[next(iter(known))]
        known[word] = found
        ids += found
    return ids, asked
""",
            "Without room each word is merged anew",
        ),
        (
            "no ids means not known",
            """
from collections import OrderedDict

def encode_bounded(words, merge, room):
    known, ids, asked = OrderedDict(), [], []
    for word in words:
        found = known.get(word)
        if not found:
            asked.append(word)
            found = merge(word)
        known[word] = found
        known.move_to_end(word)
        ids += found
        if len(known) > room:
            known.popitem(last=False)
    return ids, asked
""",
            "A word of no ids is remembered, too",
        ),
        (
            "uses kept in a list",
            """
def encode_bounded(words, merge, room):
    known, uses, ids, asked = {}, [], [], []
    for word in words:
        if word in known:
            uses.remove(word)
        else:
            asked.append(word)
            known[word] = merge(word)
        uses.append(word)
        ids += known[word]
        if len(uses) > room:
            del known[uses.pop(0)]
    return ids, asked
""",
            "Looking through the memory at each word is n times n",
        ),
    ],
    "worst": [
        (
            "one letter",
            """
def worst(n):
    return "a" * n
""",
            "Exactly n characters, and nine tenths in long words",
        ),
        (
            "whole words only",
            """
from random import Random

def worst(n):
    rng = Random(1)
    return "".join(" " + "".join(rng.choices("qxzjk", k=39)) for _ in range(n // 40 + 1))
""",
            "expected (500, True, True)",
        ),
        (
            "another text at each call",
            """
import random

def worst(n):
    words = (" " + "".join(random.choices("qxzjk", k=39)) for _ in range(n // 40 + 1))
    return "".join(words)[:n]
""",
            "The same text at each call",
        ),
        (
            "the words of a short text, repeated",
            """
from random import Random

def worst(n):
    rng = Random(1)
    words = [" " + "".join(rng.choices("qxzjk", k=39)) for _ in range(150)]
    return ("".join(words) * (n // 6000 + 1))[:n]
""",
            "Words must not come back in a longer text",
        ),
    ],
}
