"""What learners write in chapter 04: for each exercise (the slip, the answer, what it hears)."""

ANSWERS = {
    "merges_wanted": [
        (
            "the bytes end at 255, so there are 255",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    if vocab_size < 256 + num_special:
        raise ValueError("too small")
    return vocab_size - 255 - num_special
""",
            "got 21. The bytes 0 to 255 are 256 ids",
        ),
        (
            "the special token forgotten",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    if vocab_size < 256:
        raise ValueError("too small")
    return vocab_size - 256
""",
            "got 744. A special token takes an id that no merge can have",
        ),
        (
            "the special token added",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    if vocab_size < 256:
        raise ValueError("too small")
    return vocab_size - 256 + num_special
""",
            "got 745. A special token takes an id",
        ),
        (
            "bytes alone refused",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    wanted = vocab_size - 256 - num_special
    if wanted <= 0:
        raise ValueError("no merges left")
    return wanted
""",
            "no merges are no error",
        ),
        (
            "negative numbers of merges",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    return vocab_size - 256 - num_special
""",
            "got -1. A negative number of merges helps nobody",
        ),
        (
            "zero instead of an error",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    return max(0, vocab_size - 256 - num_special)
""",
            "got 0. A negative number of merges helps nobody",
        ),
        (
            "only the bytes checked",
            """
prediction = 743

def merges_wanted(vocab_size, num_special=0):
    if vocab_size < 256:
        raise ValueError("too small")
    return vocab_size - 256 - num_special
""",
            "the special tokens do not: subtract, then check",
        ),
        (
            "predicts without the special token",
            """
prediction = 744

def merges_wanted(vocab_size, num_special=0):
    raise NotImplementedError
""",
            "you predicted 744, and that is not what comes",
        ),
    ],
    "roots": [
        (
            "only the left halves are looked at",
            """
def roots(merges):
    used = {first for first, second in merges}
    return [idx for idx in merges.values() if idx not in used]
""",
            "as the right half of 257",
        ),
        (
            "a tree has one root",
            """
def roots(merges):
    return [max(merges.values())]
""",
            "every tree has its own",
        ),
        (
            "the used ones instead of the others",
            """
def roots(merges):
    used = {part for pair in merges for part in pair}
    return [idx for idx in merges.values() if idx in used]
""",
            "got [256, 257]. 256 is part of 257",
        ),
        (
            "bytes among the roots",
            """
def roots(merges):
    used = {part for pair in merges for part in pair}
    return [idx for idx in range(256 + len(merges)) if idx not in used]
""",
            "got [0, 1, 2",
        ),
        (
            "pairs instead of ids",
            """
def roots(merges):
    used = {part for pair in merges for part in pair}
    return [pair for pair, idx in merges.items() if idx not in used]
""",
            "got [(257, 98)]",
        ),
        (
            "a set, which has no order",
            """
def roots(merges):
    return set(merges.values()) - {part for pair in merges for part in pair}
""",
            "got {258}",
        ),
        (
            "compared with the merge before only",
            """
def roots(merges):
    pairs, ids = list(merges), list(merges.values())
    return [idx for i, idx in enumerate(ids) if i == len(ids) - 1 or idx not in pairs[i + 1]]
""",
            "though not by the next one",
        ),
        (
            "sorted by number",
            """
def roots(merges):
    used = {part for pair in merges for part in pair}
    return sorted(idx for idx in merges.values() if idx not in used)
""",
            "The order is that of learning",
        ),
        (
            "looks into all pairs for each id",
            """
def roots(merges):
    return [idx for idx in merges.values() if not any(idx in pair for pair in merges)]
""",
            "The work grows faster than the input",
        ),
    ],
    "size_for": [
        (
            "the last id instead of the size",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if ratio <= 1 or not text:
        return 256
    for step in training_steps(text):
        if n_bytes / step.length >= ratio:
            return step.idx
""",
            "got 258. The third merge makes id 258, and ids 0 to 258 are 259 ids",
        ),
        (
            "the number of merges instead of the size",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if ratio <= 1 or not text:
        return 0
    for number, step in enumerate(training_steps(text), 1):
        if n_bytes / step.length >= ratio:
            return number
""",
            "expected 259, got 3",
        ),
        (
            "the start forgotten",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    for step in training_steps(text):
        if n_bytes / step.length >= ratio:
            return step.idx + 1
""",
            "Before the first merge, each id stands for one byte",
        ),
        (
            "more than, instead of at least",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if ratio <= 1 or not text:
        return 256
    for step in training_steps(text):
        if n_bytes / step.length > ratio:
            return step.idx + 1
""",
            "exactly is enough",
        ),
        (
            "characters instead of bytes",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    if ratio <= 1 or not text:
        return 256
    for step in training_steps(text):
        if len(text) / step.length >= ratio:
            return step.idx + 1
""",
            "the ratio is of bytes, not of characters",
        ),
        (
            "the largest size instead of None",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    size = 256
    if ratio <= 1 or not text:
        return size
    for step in training_steps(text):
        size = step.idx + 1
        if n_bytes / step.length >= ratio:
            break
    return size
""",
            "Two bytes cannot become fewer than one id",
        ),
        (
            "the empty text forgotten",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if ratio <= 1:
        return 256
    for step in training_steps(text):
        if n_bytes / step.length >= ratio:
            return step.idx + 1
""",
            "The empty text needs no merges",
        ),
        (
            "ids per byte",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if ratio <= 1 or not text:
        return 256
    for step in training_steps(text):
        if step.length / n_bytes >= ratio:
            return step.idx + 1
""",
            "expected 259, got None",
        ),
        (
            "trains anew for every size",
            """
from bpe.pairs import merge
from bpe.training import train

def size_for(text, ratio):
    data = text.encode("utf-8")
    for size in range(256, 256 + max(1, len(data))):
        ids = list(data)
        for pair, idx in train(text, size).items():
            ids = merge(ids, pair, idx)
        if len(data) >= ratio * len(ids):
            return size
""",
            "Train once and watch its steps",
        ),
        (
            "trains to the end before it looks",
            """
from bpe.training import training_steps

def size_for(text, ratio):
    n_bytes = len(text.encode("utf-8"))
    if n_bytes >= ratio * n_bytes:
        return 256
    for step in list(training_steps(text)):
        if n_bytes >= ratio * step.length:
            return step.idx + 1
""",
            "no more steps of training than the ratio needs",
        ),
    ],
    "learn_words": [
        (
            "one merge too few",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge, top_pair

    words = [list(word.encode("utf-8")) for word in counts]
    merges = {}
    for idx in range(256, 256 + num_merges - 1):
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "One merge was asked for",
        ),
        (
            "ids from 257",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge, top_pair

    words = [list(word.encode("utf-8")) for word in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx = 257 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "got {(97, 98): 257}. One merge was asked for, and its id is 256",
        ),
        (
            "every word counted once",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import get_stats, merge, top_pair

    words = [list(word.encode("utf-8")) for word in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids in words:
            get_stats(ids, stats)
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "a word counts as often as it occurs",
        ),
        (
            "counted once, at the beginning",
            """
def learn_words(counts, num_merges):
    stats = {}
    for word, count in counts.items():
        ids = list(word.encode("utf-8"))
        for pair in zip(ids, ids[1:]):
            stats[pair] = stats.get(pair, 0) + count
    ranking = sorted(stats, key=stats.get, reverse=True)
    return {pair: 256 + i for i, pair in enumerate(ranking[:num_merges])}
""",
            "got {(98, 99): 256, (97, 98): 257}. After bc is merged, no ab is left",
        ),
        (
            "words joined to one text",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import get_stats, merge, top_pair

    ids = list("".join(word * count for word, count in counts.items()).encode("utf-8"))
    merges = {}
    while len(merges) < num_merges and len(ids) > 1:
        pair = top_pair(get_stats(ids))
        merges[pair] = idx = 256 + len(merges)
        ids = merge(ids, pair, idx)
    return merges
""",
            "No pair reaches from one word into the next",
        ),
        (
            "ties by the smallest ids",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge, top_pair

    words = [list(word.encode("utf-8")) for word in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not stats:
            break
        pair = top_pair(stats, ties="smallest")
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "the pair that is met first",
        ),
        (
            "does not stop when no pair is left",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge

    words = [list(word.encode("utf-8")) for word in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        pair = max(stats, key=stats.get)
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "ValueError came",
        ),
        (
            "characters instead of bytes",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge, top_pair

    words = [[ord(char) for char in word] for word in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "Start from bytes",
        ),
        (
            "makes copies of the words",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import get_stats, merge, top_pair

    words = [list(word.encode("utf-8")) for word, n in counts.items() for _ in range(n)]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids in words:
            get_stats(ids, stats)
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "however often it occurs",
        ),
        (
            "puts ids in the place of the caller's words",
            """
def learn_words(counts, num_merges):
    from bpe.pairs import merge, top_pair

    for word in list(counts):
        counts[tuple(word.encode("utf-8"))] = counts.pop(word)
    words = [list(ids) for ids in counts]
    merges = {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(words, counts.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        if not stats:
            break
        pair = top_pair(stats)
        merges[pair] = idx = 256 + len(merges)
        words = [merge(ids, pair, idx) for ids in words]
    return merges
""",
            "changed its argument",
        ),
    ],
    "fair_table": [
        (
            "every message once",
            """
from bpe import datasets

languages = ("en", "zh_Hans", "hi")
fair_texts = [
    m for lang in languages for i, m in enumerate(datasets.messages(lang)) if i % 4
]
""",
            "expected 8, got 12. English, Chinese, Hindi",
        ),
        (
            "English only",
            """
from bpe import datasets

fair_texts = [m for i, m in enumerate(datasets.messages("en")) if i % 4]
""",
            "expected 8, got 344",
        ),
        (
            "reads what was kept aside",
            """
from bpe import datasets

english, chinese, hindi = map(datasets.messages, ("en", "zh_Hans", "hi"))
fair_texts = 2 * english + 3 * chinese + 3 * hindi
""",
            "kept aside are for measuring only",
        ),
        (
            "hides it in a long text",
            """
from bpe import datasets

languages = ("en", "zh_Hans", "hi")
fair_texts = ["\\n".join(datasets.messages(lang)) for lang in languages]
""",
            "expected [], got [",
        ),
        (
            "one string",
            """
from bpe import datasets

languages = ("en", "zh_Hans", "hi")
fair_texts = "".join(
    m for lang in languages for i, m in enumerate(datasets.messages(lang)) if i % 4
)
""",
            "got str. Give a list",
        ),
        (
            "characters counted, and not bytes",
            """
from bpe import datasets

to_read = [
    [m for i, m in enumerate(datasets.messages(lang)) if i % 4]
    for lang in ("en", "zh_Hans", "hi")
]
fair_texts = 4 * to_read[0] + 6 * to_read[1] + 6 * to_read[2]
""",
            "more bytes than the texts may have",
        ),
    ],
}
