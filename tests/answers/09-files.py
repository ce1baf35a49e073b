"""Plausible slips in the exercises of chapter 09, and what the checks must say to each."""

ANSWERS = {
    "make_vocab": [
        (
            "heading takes an id",
            """
def make_vocab(alphabet, merges_txt):
    vocab = {token: idx for idx, token in enumerate(alphabet)}
    for number, line in enumerate(merges_txt.splitlines()):
        if not line.startswith("#version"):
            vocab[line.replace(" ", "")] = len(alphabet) + number
    return vocab
""",
            "no id is lost to it",
        ),
        (
            "every line with # is a heading",
            """
def make_vocab(alphabet, merges_txt):
    lines = [line for line in merges_txt.splitlines() if not line.startswith("#")]
    tokens = [*alphabet, *(line.replace(" ", "") for line in lines)]
    return {token: idx for idx, token in enumerate(tokens)}
""",
            "only #version is a heading",
        ),
        (
            "a token behind the last newline",
            """
def make_vocab(alphabet, merges_txt):
    lines = merges_txt.split("\\n")
    if lines[0].startswith("#version"):
        del lines[0]
    tokens = [*alphabet, *(line.replace(" ", "") for line in lines)]
    return {token: idx for idx, token in enumerate(tokens)}
""",
            "there is no token behind it",
        ),
        (
            "the space is kept",
            """
def make_vocab(alphabet, merges_txt):
    lines = [line for line in merges_txt.splitlines() if not line.startswith("#version")]
    return {token: idx for idx, token in enumerate([*alphabet, *lines])}
""",
            "without the space",
        ),
        (
            "first line always dropped",
            """
def make_vocab(alphabet, merges_txt):
    lines = merges_txt.splitlines()[1:]
    tokens = [*alphabet, *(line.replace(" ", "") for line in lines)]
    return {token: idx for idx, token in enumerate(tokens)}
""",
            "got {'t': 0, 'h': 1, 'e': 2, 'the': 3}",
        ),
    ],
    "parse_merges": [
        (
            "lines counted without the heading",
            """
def parse_merges(merges_txt):
    lines = merges_txt.replace("\\r\\n", "\\n").removesuffix("\\n").split("\\n")
    if lines[0].startswith("#version"):
        del lines[0]
    pairs = []
    for number, line in enumerate(lines, start=1):
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "An editor counts the heading, too",
        ),
        (
            "split at any white space",
            """
def parse_merges(merges_txt):
    pairs = []
    for number, line in enumerate(merges_txt.splitlines(), start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = tuple(line.split())
        if len(pair) != 2 or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "Two spaces are one too many",
        ),
        (
            "empty lines are skipped",
            """
def parse_merges(merges_txt):
    pairs = []
    for number, line in enumerate(merges_txt.splitlines(), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "An empty line in the middle",
        ),
        (
            "every # is a comment",
            """
def parse_merges(merges_txt):
    pairs = []
    for number, line in enumerate(merges_txt.splitlines(), start=1):
        if line.startswith("#"):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "Not every line that begins with #",
        ),
        (
            "carriage return stays",
            """
def parse_merges(merges_txt):
    pairs = []
    for number, line in enumerate(merges_txt.removesuffix("\\n").split("\\n"), start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "A line of Windows",
        ),
        (
            "a merge twice",
            """
def parse_merges(merges_txt):
    pairs = []
    for number, line in enumerate(merges_txt.splitlines(), start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair):
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "a second time can never apply",
        ),
    ],
    "first_difference": [
        (
            "zip stops early",
            """
def first_difference(one, other):
    mine = [(one.vocab[a], one.vocab[b]) for a, b in one.merges]
    yours = [(other.vocab[a], other.vocab[b]) for a, b in other.merges]
    for place, (a, b) in enumerate(zip(mine, yours)):
        if a != b:
            return place, a, b
    return None
""",
            "has none any more",
        ),
        (
            "compares ids",
            """
from itertools import zip_longest

def first_difference(one, other):
    for place, (a, b) in enumerate(zip_longest(one.merges, other.merges)):
        if a != b:
            return (place, a and tuple(one.vocab[i] for i in a),
                    b and tuple(other.vocab[i] for i in b))
    return None
""",
            "compare bytes",
        ),
        (
            "compares sets",
            """
def first_difference(one, other):
    mine = [(one.vocab[a], one.vocab[b]) for a, b in one.merges]
    yours = [(other.vocab[a], other.vocab[b]) for a, b in other.merges]
    for place in range(max(len(mine), len(yours))):
        a = mine[place] if place < len(mine) else None
        b = yours[place] if place < len(yours) else None
        if a not in yours or b not in mine:
            return place, a, b
    return None
""",
            "in another order",
        ),
        (
            "whole tokens instead of halves",
            """
from itertools import zip_longest

def first_difference(one, other):
    mine = [one.vocab[idx] for idx in one.merges.values()]
    yours = [other.vocab[idx] for idx in other.merges.values()]
    for place, (a, b) in enumerate(zip_longest(mine, yours)):
        if a != b:
            return place, a, b
    return None
""",
            "the two halves of each merge",
        ),
    ],
    "write_both": [
        (
            "writes in place",
            """
from pathlib import Path

def write_both(folder, contents):
    for name, chunks in contents.items():
        with open(Path(folder, name), "wb") as file:
            for chunk in chunks:
                file.write(chunk)
""",
            "Half a file is nobody's.",
        ),
        (
            "one after the other",
            """
import os
from pathlib import Path

def write_both(folder, contents):
    for name, chunks in contents.items():
        beside = Path(folder, name + ".new")
        try:
            with open(beside, "wb") as file:
                for chunk in chunks:
                    file.write(chunk)
            os.replace(beside, Path(folder, name))
        finally:
            beside.unlink(missing_ok=True)
""",
            "Write both, then move.",
        ),
        (
            "leaves the other name behind",
            """
import os
from pathlib import Path

def write_both(folder, contents):
    for name, chunks in contents.items():
        with open(Path(folder, name + ".new"), "wb") as file:
            for chunk in chunks:
                file.write(chunk)
    for name in contents:
        os.replace(Path(folder, name + ".new"), Path(folder, name))
""",
            "vocab.json.new",
        ),
        (
            "collects, then writes in place",
            """
from pathlib import Path

def write_both(folder, contents):
    collected = {name: b"".join(chunks) for name, chunks in contents.items()}
    for name, content in collected.items():
        Path(folder, name).write_bytes(content)
""",
            "Names come by moves",
        ),
        (
            "swallows the exception",
            """
import os
from pathlib import Path

def write_both(folder, contents):
    beside = {name: Path(folder, name + ".new") for name in contents}
    try:
        for name, chunks in contents.items():
            with open(beside[name], "wb") as file:
                for chunk in chunks:
                    file.write(chunk)
        for name, path in beside.items():
            os.replace(path, Path(folder, name))
    except OSError:
        for path in beside.values():
            path.unlink(missing_ok=True)
""",
            "got (None, {'vocab.json': 'old'})",
        ),
    ],
}
