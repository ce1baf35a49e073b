"""Plausible slips in the exercises of chapter 08, and what the checks must say to each."""

ANSWERS = {
    "in_costume": [
        (
            "bytes forgotten",
            "written = 'ĠéĊ'\ndelete_id = 221",
            "é has two bytes in UTF-8",
        ),
        (
            "newline as it is",
            "written = 'ĠÃ©\\n'\ndelete_id = 221",
            "they are moved",
        ),
        (
            "visible bytes moved, too",
            "written = 'ĠţŉĊ'\ndelete_id = 221",
            "they keep their characters",
        ),
        (
            "byte is id",
            "written = 'ĠÃ©Ċ'\ndelete_id = 127",
            "byte 127 does not have the id 127",
        ),
        (
            "place among the visible",
            "written = 'ĠÃ©Ċ'\ndelete_id = 94",
            "before the first hidden one",
        ),
        (
            "space forgotten",
            "written = 'ĠÃ©Ċ'\ndelete_id = 188 + 32",
            "Controls, and one more",
        ),
        (
            "counts every hidden byte from 1",
            "written = 'ġÃ©ċ'\ndelete_id = 221",
            "256 plus the hidden bytes below it",
        ),
    ],
    "parse_ranks": [
        (
            "splits at every space, skips nothing",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.rstrip("\\n").split("\\n"), start=1):
        try:
            coded, rank = line.split()
            ranks[b64decode(coded, validate=True)] = int(rank)
        except ValueError:
            raise ValueError(f"line {number}")
    return ranks
""",
            "Empty lines are skipped",
        ),
        (
            "trusts the file",
            """
from base64 import b64decode

def parse_ranks(text):
    pairs = (line.split() for line in text.split("\\n") if line)
    return {b64decode(token): int(rank) for token, rank in pairs}
""",
            "A rank is missing",
        ),
        (
            "counts from 0",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n")):
        if line:
            try:
                coded, rank = line.split()
                ranks[b64decode(coded, validate=True)] = int(rank)
            except ValueError:
                raise ValueError(f"line {number}")
    return ranks
""",
            "expected ['line 3'], got ['line 2']",
        ),
        (
            "decoder skips strange characters",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, rank = line.split()
            token, rank = b64decode(coded), int(rank)
        except ValueError:
            raise ValueError(f"line {number}")
        if token in ranks or rank in ranks.values():
            raise ValueError(f"line {number}")
        ranks[token] = rank
    return ranks
""",
            "the decoder must not skip it",
        ),
        (
            "number outside the try",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, rank = line.split()
            token = b64decode(coded, validate=True)
        except ValueError:
            raise ValueError(f"line {number}")
        ranks[token] = int(rank)
    return ranks
""",
            "The rank is no number",
        ),
        (
            "only tokens are held apart",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, rank = line.split()
            token, rank = b64decode(coded, validate=True), int(rank)
        except ValueError:
            raise ValueError(f"line {number}")
        if token in ranks:
            raise ValueError(f"line {number}")
        ranks[token] = rank
    return ranks
""",
            "Two tokens can't share a rank",
        ),
        (
            "only ranks are held apart",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, rank = line.split()
            token, rank = b64decode(coded, validate=True), int(rank)
        except ValueError:
            raise ValueError(f"line {number}")
        if rank in ranks.values():
            raise ValueError(f"line {number}")
        ranks[token] = rank
    return ranks
""",
            "the second must not win",
        ),
        (
            "ranks below 0",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks = {}
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, rank = line.split()
            token, rank = b64decode(coded, validate=True), int(rank)
        except ValueError:
            raise ValueError(f"line {number}")
        if token in ranks or rank in ranks.values():
            raise ValueError(f"line {number}")
        ranks[token] = rank
    return ranks
""",
            "Ranks start at 0",
        ),
        (
            "takes the first line off, again and again",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks, taken, number = {}, set(), 0
    lines = text.split("\\n")
    while lines:
        number += 1
        line = lines.pop(0)
        if not line:
            continue
        try:
            coded, digits = line.split()
            token, rank = b64decode(coded, validate=True), int(digits)
        except ValueError:
            raise ValueError(f"line {number}")
        if rank < 0 or token in ranks or rank in taken:
            raise ValueError(f"line {number}")
        ranks[token] = rank
        taken.add(rank)
    return ranks
""",
            "The work grows faster than the input",
        ),
        (
            "tokens as text",
            """
from base64 import b64decode

def parse_ranks(text):
    ranks, taken = {}, set()
    for number, line in enumerate(text.split("\\n"), start=1):
        if not line:
            continue
        try:
            coded, digits = line.split()
            token, rank = b64decode(coded, validate=True), int(digits)
            token = token.decode().encode()
        except ValueError:
            raise ValueError(f"line {number}")
        if rank < 0 or token in ranks or rank in taken:
            raise ValueError(f"line {number}")
        ranks[token] = rank
        taken.add(rank)
    return ranks
""",
            "need not be text",
        ),
    ],
    "tree": [
        (
            "one level",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, 10**9))
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return tuple(parts)
""",
            "go on down to the bytes",
        ),
        (
            "first cut that fits",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    for i in range(1, len(token)):
        if token[:i] in ranks and token[i:] in ranks:
            return tree(token[:i], ranks), tree(token[i:], ranks)
    raise ValueError(token)
""",
            "abc has a lower rank than cd",
        ),
        (
            "longest first half",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    for i in range(len(token) - 1, 0, -1):
        if token[:i] in ranks and token[i:] in ranks:
            return tree(token[:i], ranks), tree(token[i:], ranks)
    raise ValueError(token)
""",
            "cd was made before abc and took the c",
        ),
        (
            "list instead of tuple",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, 10**9))
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return [tree(part, ranks) for part in parts]
""",
            "got [[b'a', b'b'], b'c']",
        ),
        (
            "missing link goes unnoticed",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, 10**9))
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return tuple(tree(part, ranks) for part in parts)
""",
            "a link of the chain is missing",
        ),
        (
            "no limit",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, 10**9))
        if best not in ranks or best == token:
            raise ValueError(token)
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return tuple(tree(part, ranks) for part in parts)
""",
            "only lower ranks count",
        ),
        (
            "single byte in a tuple",
            """
def tree(token, ranks):
    return (token,) if len(token) == 1 else (tree(token[:-1], ranks), tree(token[-1:], ranks))
""",
            "A single byte is its own tree",
        ),
        (
            "nothing but 'error' in the message",
            """
def tree(token, ranks):
    if len(token) == 1:
        return token
    parts = [token[i : i + 1] for i in range(len(token))]
    limit = ranks[token]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, limit))
        if ranks.get(best, limit) >= limit:
            raise ValueError("error")
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return tuple(tree(part, ranks) for part in parts)
""",
            "The message names the token",
        ),
        (
            "begins with letters",
            """
def tree(token, ranks):
    parts = [char.encode() for char in token.decode()]
    if len(parts) == 1:
        return token
    limit = ranks[token]
    while len(parts) > 2:
        joined = [a + b for a, b in zip(parts, parts[1:])]
        best = min(joined, key=lambda t: ranks.get(t, limit))
        if ranks.get(best, limit) >= limit:
            raise ValueError(f"{token!r} is left in {len(parts)} parts")
        i = joined.index(best)
        parts[i : i + 2] = [best]
    return tuple(tree(part, ranks) for part in parts)
""",
            "Halves need not be text",
        ),
    ],
    "shrink": [
        (
            "one character that matters alone",
            """
def shrink(text, differs):
    for char in text:
        if differs(char):
            return char
    return text
""",
            "keep both",
        ),
        (
            "halves only",
            """
def shrink(text, differs):
    while len(text) > 1:
        middle = len(text) // 2
        if differs(text[:middle]):
            text = text[:middle]
        elif differs(text[middle:]):
            text = text[middle:]
        else:
            break
    return text
""",
            "expected 'xy', got 'axbbyc'",
        ),
        (
            "trims the two ends",
            """
def shrink(text, differs):
    while text and differs(text[1:]):
        text = text[1:]
    while text and differs(text[:-1]):
        text = text[:-1]
    return text
""",
            "got 'xbby'",
        ),
        (
            "takes equal characters out together",
            """
def shrink(text, differs):
    for char in set(text):
        if differs(text.replace(char, "")):
            text = text.replace(char, "")
    return text
""",
            "One x is enough",
        ),
        (
            "one pass",
            """
def shrink(text, differs):
    i = 0
    while i < len(text):
        if differs(text[:i] + text[i + 1 :]):
            text = text[:i] + text[i + 1 :]
        else:
            i += 1
    return text
""",
            "look again after a change",
        ),
        (
            "character by character",
            """
def shrink(text, differs):
    changed = True
    while changed:
        changed, i = False, 0
        while i < len(text):
            if differs(text[:i] + text[i + 1 :]):
                text, changed = text[:i] + text[i + 1 :], True
            else:
                i += 1
    return text
""",
            "Take out large pieces first",
        ),
        (
            "never empty",
            """
def shrink(text, differs):
    size = max(1, len(text) // 2)
    while size:
        start, changed = 0, False
        while start < len(text) and len(text) > 1:
            shorter = text[:start] + text[start + size :]
            if shorter and differs(shorter):
                text, changed = shorter, True
            else:
                start += size
        if not (changed and size == 1):
            size //= 2
    return text
""",
            "nothing is needed",
        ),
        (
            "stops one earlier",
            """
def shrink(text, differs):
    size = len(text)
    while size:
        start, changed = 0, False
        while start + size < len(text):
            shorter = text[:start] + text[start + size :]
            if differs(shorter):
                text, changed = shorter, True
            else:
                start += size
        if not (changed and size == 1):
            size //= 2
    return text
""",
            "got 'xd'",
        ),
        (
            "takes out bytes",
            """
def shrink(text, differs):
    data = text.encode()
    size = len(data)
    while size:
        start, changed = 0, False
        while start < len(data):
            shorter = data[:start] + data[start + size :]
            if differs(shorter.decode()):
                data, changed = shorter, True
            else:
                start += size
        if not (changed and size == 1):
            size //= 2
    return data.decode()
""",
            "some have more than one byte",
        ),
    ],
    "probe": [
        ("every test's first text", "probe = 'Hello, world!'", 'catches("GPT-2\'s pattern")'),
        (
            "a number that both rules cut alike",
            'probe = "I\'M 12345e\\u0301\\u00e9\\r\\n"',
            "catches('long numbers')",
        ),
        ("common words", "probe = 'the cat sat'", "catches('bytes in order')"),
        ("nothing at the end", "probe = ' 1000E\\u0301\\u00e9'", "catches('no space at the end')"),
        ("é in one code point only", "probe = ' 1000É\\r\\n'", "catches('NFC')"),
        ("é in two code points only", "probe = ' 1000E\\u0301\\r\\n'", "letters and accents apart"),
        ("nothing at the start", "probe = '1000E\\u0301é\\r\\n'", "at the other end"),
        ("no capital", "probe = ' 1000e\\u0301é\\r\\n'", "all letters small"),
        ("newlines of one kind", "probe = ' 1000E\\u0301é\\n'", "the line ends of Windows"),
        (
            "all that is hard",
            "probe = 'अ १२३ e\\u0301 ' * 3",
            "At most 20 characters",
        ),
        ("several texts", "probe = ['1000', 'e\\u0301 ']", "text is a list, not a str"),
    ],
}
