"""Plausible wrong answers to the exercises of chapter 01, and what each is told."""

ANSWERS = {
    "build_stoi": [
        (
            "ids from 1",
            """
def build_stoi(texts):
    chars = sorted(set("".join(texts)))
    return {char: idx for idx, char in enumerate(chars, start=1)}
""",
            "The first id is 0",
        ),
        (
            "order of appearance",
            """
def build_stoi(texts):
    stoi = {}
    for text in texts:
        for char in text:
            if char not in stoi:
                stoi[char] = len(stoi)
    return stoi
""",
            "not the order of appearance",
        ),
        (
            "lower case",
            """
def build_stoi(texts):
    chars = sorted(set("".join(texts).lower()))
    return {char: idx for idx, char in enumerate(chars)}
""",
            "A capital is a character of its own",
        ),
        (
            "last text only",
            """
def build_stoi(texts):
    chars = []
    for text in texts:
        chars = sorted(set(text))
    return {char: idx for idx, char in enumerate(chars)}
""",
            "Every text counts, not only the last one",
        ),
        (
            "joined with a newline",
            """
def build_stoi(texts):
    chars = sorted(set("\\n".join(texts)))
    return {char: idx for idx, char in enumerate(chars)}
""",
            "Nothing stands between two texts",
        ),
        (
            "the first text as a start",
            """
def build_stoi(texts):
    chars = set(texts[0])
    for text in texts[1:]:
        chars |= set(text)
    return {char: idx for idx, char in enumerate(sorted(chars))}
""",
            "No text, no characters",
        ),
        (
            "ASCII only",
            """
def build_stoi(texts):
    chars = sorted(char for char in set("".join(texts)) if char.isascii())
    return {char: idx for idx, char in enumerate(chars)}
""",
            "Characters beyond ASCII are characters, too",
        ),
    ],
    "encode_lossy": [
        (
            "unknown left out",
            """
def encode_lossy(text, stoi):
    ids = [stoi[char] for char in text if char in stoi]
    return ids, len(text) - len(ids)
""",
            "leaving one out moves all that follow",
        ),
        (
            "unknown is 0",
            """
def encode_lossy(text, stoi):
    ids = [stoi.get(char, 0) for char in text]
    return ids, sum(char not in stoi for char in text)
""",
            "expected ([3], 1), got ([0], 1). Ids 0 to 2 belong to e, g and s",
        ),
        (
            "unknown is the highest id",
            """
def encode_lossy(text, stoi):
    ids = [stoi.get(char, len(stoi) - 1) for char in text]
    return ids, sum(char not in stoi for char in text)
""",
            "expected ([3], 1), got ([2], 1). Ids 0 to 2 belong to e, g and s",
        ),
        (
            "a letter lost twice counted once",
            """
def encode_lossy(text, stoi):
    ids = [stoi.get(char, len(stoi)) for char in text]
    return ids, len(set(text) - set(stoi))
""",
            "though it is one letter both times",
        ),
        (
            "vocabulary grows",
            """
def encode_lossy(text, stoi):
    lost = 0
    for char in text:
        if char not in stoi:
            stoi[char] = len(stoi)
            lost += 1
    return [stoi[char] for char in text], lost
""",
            "changed its argument",
        ),
        (
            "a new id for each unknown character",
            """
def encode_lossy(text, stoi):
    known = dict(stoi)
    ids = [known.setdefault(char, len(known)) for char in text]
    return ids, sum(char not in stoi for char in text)
""",
            "All unknown characters share one id",
        ),
        (
            "max of nothing",
            """
def encode_lossy(text, stoi):
    unk = max(stoi.values()) + 1
    ids = [stoi.get(char, unk) for char in text]
    return ids, ids.count(unk)
""",
            "In an empty vocabulary id 0 is free",
        ),
    ],
    "frequent_first": [
        (
            "rarest first",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter(text)
    chars = sorted(counts, key=lambda char: (counts[char], char))
    return {char: idx for idx, char in enumerate(chars[:size])}
""",
            "The most frequent character has the lowest id",
        ),
        (
            "code points only",
            """
def frequent_first(text, size):
    return {char: idx for idx, char in enumerate(sorted(set(text))[:size])}
""",
            "The count decides first",
        ),
        (
            "everything reversed",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter(text)
    chars = sorted(counts, key=lambda char: (counts[char], char), reverse=True)
    return {char: idx for idx, char in enumerate(chars[:size])}
""",
            "Reversing the whole order turns the ties around",
        ),
        (
            "ties by appearance",
            """
from collections import Counter
def frequent_first(text, size):
    pairs = Counter(text).most_common(size)
    return {char: idx for idx, (char, count) in enumerate(pairs)}
""",
            "not the one seen first",
        ),
        (
            "no limit",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter(text)
    chars = sorted(counts, key=lambda char: (-counts[char], char))
    return {char: idx for idx, char in enumerate(chars)}
""",
            "At most size entries",
        ),
        (
            "as many as size, come what may",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter(text)
    chars = sorted(counts, key=lambda char: (-counts[char], char))
    return {chars[idx]: idx for idx in range(size)} if text else {}
""",
            "There may be fewer characters than ids",
        ),
        (
            "white space left out",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter("".join(text.split()))
    chars = sorted(counts, key=lambda char: (-counts[char], char))
    return {char: idx for idx, char in enumerate(chars[:size])}
""",
            "White space and letters beyond ASCII count like any other",
        ),
        (
            "no room",
            """
from collections import Counter
def frequent_first(text, size):
    counts = Counter(text)
    stoi = {}
    for char in sorted(counts, key=lambda char: (-counts[char], char)):
        stoi[char] = len(stoi)
        if len(stoi) == size:
            break
    return stoi
""",
            "There may be no room at all",
        ),
        (
            "capitals counted with their small letters",
            """
from collections import Counter
def frequent_first(text, size):
    both = Counter(text.lower())
    chars = sorted(set(text), key=lambda char: (-both[char.lower()], char))
    return {char: idx for idx, char in enumerate(chars[:size])}
""",
            "A capital and its small letter are counted apart",
        ),
        (
            "counts anew at each place",
            """
def frequent_first(text, size):
    counts = {}
    for char in text:
        counts[char] = text.count(char)
    chars = sorted(counts, key=lambda char: (-counts[char], char))
    return {char: idx for idx, char in enumerate(chars[:size])}
""",
            "The work grows faster than the input",
        ),
    ],
    "move_rows": [
        (
            "row not as long as the others",
            """
def move_rows(table, old, new):
    moved = [[0] for _ in new]
    for char, idx in new.items():
        if char in old:
            moved[idx] = list(table[old[char]])
    return moved
""",
            "A new row is as long as the others",
        ),
        (
            "new rows at the end",
            """
def move_rows(table, old, new):
    added = [[0] * len(table[0]) for char in new if char not in old]
    return [list(row) for row in table] + added
""",
            "got [[1, 2], [3, 4], [0, 0]]. b comes before c",
        ),
        (
            "row of the new id",
            """
def move_rows(table, old, new):
    moved = [[0] * len(table[0]) for _ in new]
    for char, idx in new.items():
        if char in old:
            moved[idx] = list(table[idx])
    return moved
""",
            "but IndexError came: list index out of range. b comes before c",
        ),
        (
            "removed character stays",
            """
def move_rows(table, old, new):
    chars = sorted(set(old) | set(new))
    return [list(table[old[c]]) if c in old else [0] * len(table[0]) for c in chars]
""",
            "so its row goes",
        ),
        (
            "one list for all new rows",
            """
def move_rows(table, old, new):
    moved = [[0] * len(table[0])] * len(new)
    for char, idx in new.items():
        if char in old:
            moved[idx] = list(table[old[char]])
    return moved
""",
            "Training one row must not change another",
        ),
        (
            "rows of the old table themselves",
            """
def move_rows(table, old, new):
    moved = [[0] * len(table[0]) for _ in new]
    for char, idx in new.items():
        if char in old:
            moved[idx] = table[old[char]]
    return moved
""",
            "changed its argument",
        ),
        (
            "order of the dictionary",
            """
def move_rows(table, old, new):
    return [list(table[old[c]]) if c in old else [0] * len(table[0]) for c in new]
""",
            "The ids count, not the order of the dictionary",
        ),
    ],
    "shared_vocabulary": [
        (
            "the most frequent of all texts",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    counts = Counter("".join(texts.values()))
    return {char: idx for idx, (char, n) in enumerate(counts.most_common(size))}
""",
            "Count the text of each language by itself",
        ),
        (
            "a character of two languages gets two ids",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    stoi, idx = {}, 0
    orders = [[char for char, n in Counter(text).most_common()] for text in texts.values()]
    for place in range(max(map(len, orders), default=0)):
        for order in orders:
            if place < len(order) and idx < size:
                stoi[order[place]] = idx
                idx += 1
    return stoi
""",
            "a character of two languages needs one",
        ),
        (
            "stops with the shortest language",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    orders = [[char for char, n in Counter(text).most_common()] for text in texts.values()]
    stoi = {}
    for chars in zip(*orders):
        for char in chars:
            if char not in stoi and len(stoi) < size:
                stoi[char] = len(stoi)
    return stoi
""",
            "With room for all, each character of the texts gets an id",
        ),
        (
            "the shortest text first",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    stoi = {}
    for text in sorted(texts.values(), key=len):
        for char, n in Counter(text).most_common():
            if char not in stoi and len(stoi) < size:
                stoi[char] = len(stoi)
    return stoi
""",
            "Is a language left with little",
        ),
        (
            "divides by the length of every text",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    shares = Counter()
    for text in texts.values():
        length = 1 / len(text)
        for char, n in Counter(text).items():
            shares[char] += n * length
    return {char: idx for idx, (char, share) in enumerate(shares.most_common(size))}
""",
            "A text may be empty",
        ),
        (
            "asks for the worst of none",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    stoi = {}
    missing = {name: Counter(text) for name, text in texts.items()}
    while len(stoi) < size:
        worst = max(texts, key=lambda name: missing[name].total() / (len(texts[name]) or 1))
        if not missing[worst]:
            break
        char = max(missing[worst], key=missing[worst].get)
        stoi[char] = len(stoi)
        for counts in missing.values():
            counts.pop(char, None)
    return stoi
""",
            "There may be no language at all",
        ),
        (
            "joins the other languages",
            """
from collections import Counter
def shared_vocabulary(texts, size):
    english = Counter(texts.pop("en", ""))
    rest = Counter("".join(texts.values()))
    stoi = {}
    for pair in zip(rest.most_common(), english.most_common()):
        for char, n in pair:
            if char not in stoi and len(stoi) < size:
                stoi[char] = len(stoi)
    return stoi
""",
            "changed its argument",
        ),
    ],
}
