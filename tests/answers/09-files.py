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
        (
            "every kind of space goes",
            """
def make_vocab(alphabet, merges_txt):
    lines = [line for line in merges_txt.split("\\n") if line and line[:8] != "#version"]
    tokens = [*alphabet, *("".join(line.split()) for line in lines)]
    return {token: idx for idx, token in enumerate(tokens)}
""",
            "Only plain spaces go",
        ),
        (
            "asks the list for the place of each line",
            """
def make_vocab(alphabet, merges_txt):
    vocab = {token: idx for idx, token in enumerate(alphabet)}
    lines = [line for line in merges_txt.split("\\n") if line and line[:8] != "#version"]
    for line in lines:
        vocab[line.replace(" ", "")] = len(alphabet) + lines.index(line)
    return vocab
""",
            "The work grows faster than the input",
        ),
        (
            "adds to the alphabet that it was given",
            """
def make_vocab(alphabet, merges_txt):
    for line in merges_txt.split("\\n"):
        if line and not line.startswith("#version"):
            alphabet.append(line.replace(" ", ""))
    return {token: idx for idx, token in enumerate(alphabet)}
""",
            "changed its argument",
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
            "Line ends of Windows",
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
            "The same merge, a second time",
        ),
        (
            "counts each pair in the list",
            """
def parse_merges(merges_txt):
    pairs = []
    lines = merges_txt.replace("\\r\\n", "\\n").removesuffix("\\n").split("\\n")
    for number, line in enumerate(lines, start=1):
        if number == 1 and (line.startswith("#version") or lines == [""]):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pairs.count(pair):
            raise ValueError(f"line {number}: {line!r}")
        pairs.append(pair)
    return pairs
""",
            "The work grows faster than the input",
        ),
        (
            "an empty file is an empty line",
            """
def parse_merges(merges_txt):
    pairs = {}
    lines = merges_txt.replace("\\r\\n", "\\n").removesuffix("\\n").split("\\n")
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs[pair] = number
    return list(pairs)
""",
            "An empty file has no merges",
        ),
        (
            "strips each line",
            """
def parse_merges(merges_txt):
    pairs = {}
    lines = merges_txt.removesuffix("\\n").split("\\n") if merges_txt else []
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = tuple(line.strip().split(" "))
        if len(pair) != 2 or not all(pair) or pair in pairs:
            raise ValueError(f"line {number}: {line!r}")
        pairs[pair] = number
    return list(pairs)
""",
            "A space at the end",
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
            "Compare bytes, not ids",
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
        (
            "makes the lists anew at each place",
            """
def first_difference(one, other):
    def merge_at(tok, place):
        merges = [(tok.vocab[a], tok.vocab[b]) for a, b in tok.merges]
        return merges[place] if place < len(merges) else None

    for place in range(max(len(one.merges), len(other.merges))):
        mine, yours = merge_at(one, place), merge_at(other, place)
        if mine != yours:
            return place, mine, yours
    return None
""",
            "The work grows faster than the input",
        ),
        (
            "compares text",
            """
from itertools import zip_longest

def first_difference(one, other):
    def pairs(tok):
        return [(tok.vocab[a].decode(), tok.vocab[b].decode()) for a, b in tok.merges]

    for place, (a, b) in enumerate(zip_longest(pairs(one), pairs(other))):
        if a != b:
            return place, a and tuple(map(str.encode, a)), b and tuple(map(str.encode, b))
    return None
""",
            "need not be characters",
        ),
        (
            "stops one earlier",
            """
def first_difference(one, other):
    mine = [(one.vocab[a], one.vocab[b]) for a, b in one.merges]
    yours = [(other.vocab[a], other.vocab[b]) for a, b in other.merges]
    if len(mine) == len(yours):
        mine, yours = mine[:-1] or mine, yours[:-1] or yours
    for place in range(max(len(mine), len(yours))):
        a = mine[place] if place < len(mine) else None
        b = yours[place] if place < len(yours) else None
        if a != b:
            return place, a, b
    return None
""",
            "expected (1, (b't', b'he'), (b'a', b't')), got None",
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
            "expected ('OSError', {'vocab.json': b'old'}), got (None, {'vocab.json': b'old'})",
        ),
        (
            "cleans up after an OSError only",
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
        raise
""",
            "Ctrl-C is none",
        ),
        (
            "writes text, chunk by chunk",
            """
import os
from pathlib import Path

def write_both(folder, contents):
    beside = {name: Path(folder, name + ".new") for name in contents}
    try:
        for name, chunks in contents.items():
            with open(beside[name], "w", encoding="utf-8") as file:
                for chunk in chunks:
                    file.write(chunk.decode("utf-8"))
        for name, path in beside.items():
            os.replace(path, Path(folder, name))
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)
""",
            "got ('UnicodeDecodeError'",
        ),
    ],
    "dump_and_load": [
        (
            "text instead of bytes",
            """
import json

def dump(ranks, pattern, special_tokens):
    return json.dumps([{t.decode(): rank for t, rank in ranks.items()}, pattern, special_tokens])

def load(text):
    names, pattern, special_tokens = json.loads(text)
    return {name.encode(): rank for name, rank in names.items()}, pattern, special_tokens
""",
            "UnicodeDecodeError came",
        ),
        (
            "ranks by place",
            """
import hashlib, json

def dump(ranks, pattern, special_tokens):
    tokens = [token.hex() for token in sorted(ranks, key=ranks.get)]
    body = json.dumps([tokens, pattern, special_tokens])
    return hashlib.sha256(body.encode()).hexdigest() + "\\n" + body

def load(text):
    told, body = text.splitlines()
    if hashlib.sha256(body.encode()).hexdigest() != told:
        raise ValueError("damaged")
    tokens, pattern, special_tokens = json.loads(body)
    ranks = {bytes.fromhex(token): i for i, token in enumerate(tokens)}
    return ranks, pattern, special_tokens
""",
            "ids have gaps",
        ),
        (
            "repr and eval",
            """
def dump(ranks, pattern, special_tokens):
    return repr((ranks, pattern, special_tokens))

def load(text):
    return eval(text)
""",
            "a file must not act",
        ),
        (
            "line ends are part of the sum",
            """
import hashlib, json

def dump(ranks, pattern, special_tokens):
    lines = [json.dumps([token.hex(), rank]) for token, rank in ranks.items()]
    body = "\\n".join([*lines, json.dumps([pattern, special_tokens]), ""])
    return body + hashlib.sha256(body.encode()).hexdigest()

def load(text):
    body, told = text[:-64], text[-64:]
    if hashlib.sha256(body.encode()).hexdigest() != told:
        raise ValueError("damaged")
    *rows, rest = [json.loads(line) for line in body.splitlines()]
    return {bytes.fromhex(token): rank for token, rank in rows}, *rest
""",
            "A line of Windows ends in two",
        ),
        (
            "JSON and nothing else",
            """
import json

def dump(ranks, pattern, special_tokens):
    ranks = {token.hex(): rank for token, rank in ranks.items()}
    return json.dumps([ranks, pattern, special_tokens], indent=1)

def load(text):
    ranks, pattern, special_tokens = json.loads(text)
    return {bytes.fromhex(token): rank for token, rank in ranks.items()}, pattern, special_tokens
""",
            "unnoticed('lost')",
        ),
        (
            "counts the lines",
            """
import json

def dump(ranks, pattern, special_tokens):
    lines = [f"{token.hex()} {rank}" for token, rank in ranks.items()]
    lines = [json.dumps([pattern, special_tokens]), *lines]
    return "\\n".join([str(len(lines)), *lines])

def load(text):
    number, *lines = text.replace("\\r\\n", "\\n").split("\\n")
    if int(number) != len(lines):
        raise ValueError("lines are missing")
    pairs = [line.split(" ") for line in lines[1:]]
    ranks = {bytes.fromhex(token): int(rank) for token, rank in pairs}
    return ranks, *json.loads(lines[0])
""",
            "unnoticed('changed')",
        ),
        (
            "adds up the characters",
            """
import json

def dump(ranks, pattern, special_tokens):
    ranks = {token.hex(): rank for token, rank in ranks.items()}
    body = json.dumps([ranks, pattern, special_tokens])
    return f"{sum(map(ord, body))} {body}"

def load(text):
    told, body = text.split(" ", 1)
    if int(told) != sum(map(ord, body)):
        raise ValueError("damaged")
    ranks, pattern, special_tokens = json.loads(body)
    return {bytes.fromhex(token): rank for token, rank in ranks.items()}, pattern, special_tokens
""",
            "A character is exchanged",
        ),
        (
            "any other error for a damaged file",
            """
import hashlib, json

def dump(ranks, pattern, special_tokens):
    ranks = {token.hex(): rank for token, rank in ranks.items()}
    body = json.dumps([ranks, pattern, special_tokens])
    return hashlib.sha256(body.encode()).hexdigest() + body

def load(text):
    assert hashlib.sha256(text[64:].encode()).hexdigest() == text[:64]
    ranks, pattern, special_tokens = json.loads(text[64:])
    return {bytes.fromhex(token): rank for token, rank in ranks.items()}, pattern, special_tokens
""",
            "AssertionError came",
        ),
    ],
}
