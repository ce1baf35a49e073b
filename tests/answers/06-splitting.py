"""Plausible slips in the exercises of chapter 06, and what the checks must say to each."""

ANSWERS = {
    "gpt2_pieces": [
        (
            "contraction left whole",
            """
pieces = {"she'll": ["she'll"], "SHE'LL": ["SHE", "'", "LL"],
          "x  = 10": ["x", " ", " =", " 10"], "v2.0b": ["v", "2", ".", "0", "b"]}
""",
            "a contraction is a piece of its own",
        ),
        (
            "both spaces go with the mark",
            """
pieces = {"she'll": ["she", "'ll"], "SHE'LL": ["SHE", "'", "LL"],
          "x  = 10": ["x", "  =", " 10"], "v2.0b": ["v", "2", ".", "0", "b"]}
""",
            "may begin with one space",
        ),
        (
            "letters and digits together",
            """
pieces = {"she'll": ["she", "'ll"], "SHE'LL": ["SHE", "'", "LL"],
          "x  = 10": ["x", " ", " =", " 10"], "v2.0b": ["v2", ".", "0b"]}
""",
            "never share a piece",
        ),
        (
            "a space got lost",
            """
pieces = {"she'll": ["she", "'ll"], "SHE'LL": ["SHE", "'", "LL"],
          "x  = 10": ["x", " =", " 10"], "v2.0b": ["v", "2", ".", "0", "b"]}
""",
            "Every character is in one piece",
        ),
        (
            "contraction in upper case",
            """
pieces = {"she'll": ["she", "'ll"], "SHE'LL": ["SHE", "'LL"],
          "x  = 10": ["x", " ", " =", " 10"], "v2.0b": ["v", "2", ".", "0", "b"]}
""",
            "in lower case only",
        ),
    ],
    "split_by_class": [
        (
            "spaces stay alone",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    return ["".join(run) for _, run in groupby(text, kind)]
""",
            "A single space goes with the word",
        ),
        (
            "takes all spaces along",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    pieces, spaces = [], ""
    for number, run in groupby(text, kind):
        run = "".join(run)
        if number == 2:
            spaces = run
        else:
            pieces.append(spaces + run)
            spaces = ""
    return pieces + [spaces] * bool(spaces)
""",
            "Of several spaces only the last",
        ),
        (
            "moves a newline, too",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    pieces = []
    for number, run in groupby(text, kind):
        run = "".join(run)
        if pieces and pieces[-1][-1].isspace() and number != 2:
            pieces[-1], run = pieces[-1][:-1], pieces[-1][-1] + run
        pieces.append(run)
    return [piece for piece in pieces if piece]
""",
            "but not the space that moves",
        ),
        (
            "leaves an empty piece",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    pieces = []
    for number, run in groupby(text, kind):
        run = "".join(run)
        if pieces and pieces[-1][-1:] == " " and number != 2:
            pieces[-1], run = pieces[-1][:-1], " " + run
        pieces.append(run)
    return pieces
""",
            "got ['two', '', ' dogs']",
        ),
        (
            "newlines stay together",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    pieces = []
    for number, run in groupby(text, kind):
        run = "".join(run)
        if pieces and pieces[-1][-1:] == " " and number != 2:
            pieces[-1], run = pieces[-1][:-1], " " + run
        pieces.append(run)
    return [piece for piece in pieces if piece]
""",
            "The last newline is cut off",
        ),
        (
            "forgets the last run",
            """
def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3
    pieces, piece = [], text[:1]
    for before, char in zip(text, text[1:]):
        if kind(before) == kind(char):
            piece += char
        else:
            pieces.append(piece)
            piece = char
    return pieces
""",
            "the last one, too",
        ),
        (
            "letters of English only",
            """
import re

def split_by_class(text):
    return re.findall(r" ?[A-Za-z]+| ?[0-9]+| ?[^\\sA-Za-z0-9]+|\\s+(?!\\S)|\\s+", text)
""",
            "Letters are letters in every language",
        ),
        (
            "only words take a space",
            """
import re

def split_by_class(text):
    return re.findall(r" ?[^\\W\\d_]+|\\d+|[^\\w\\s]+|\\s+(?=\\s)|\\s", text)
""",
            "Digits and marks take a space",
        ),
        (
            "white space typed out",
            """
from itertools import groupby

def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c in " \\t\\r\\n" else 3
    pieces, spaces = [], ""
    for number, run in groupby(text, kind):
        run = "".join(run)
        if number == 2:
            spaces = run
            continue
        last = spaces[-1:]
        pieces += [spaces[:-1], last + run] if last == " " else [spaces[:-1], last, run]
        spaces = ""
    return [piece for piece in [*pieces, spaces] if piece]
""",
            "There is more white space than space and newline",
        ),
        (
            "looks for the end of the run from every character",
            """
def split_by_class(text):
    def kind(c):
        return 0 if c.isalpha() else 1 if c.isdigit() else 2 if c.isspace() else 3

    def end_of_run(i):
        while i < len(text) and kind(text[i]) == kind(text[i - 1]):
            i += 1
        return i

    ends = sorted({end_of_run(i + 1) for i in range(len(text))})
    pieces, spaces = [], ""
    for start, end in zip([0, *ends], ends):
        run = text[start:end]
        if run.isspace():
            spaces = run
            continue
        last = spaces[-1:]
        pieces += [spaces[:-1], last + run] if last == " " else [spaces[:-1], last, run]
        spaces = ""
    return [piece for piece in [*pieces, spaces] if piece]
""",
            "The work grows faster than the input",
        ),
    ],
    "digits_from_the_right": [
        ("from the left", r'digits = r"[0-9]{1,3}"', "the short group comes first"),
        (
            "short group last",
            r'digits = r"[0-9]{3}|[0-9]{1,2}"',
            "expected ['1', '234', '567'], got ['123', '456', '7']",
        ),
        (
            "only at the end of the text",
            r'digits = r"[0-9]{1,3}(?=(?:[0-9]{3})*$)"',
            "not where the text does",
        ),
        (
            "a group that findall returns",
            r'digits = r"[0-9]{1,3}(?=([0-9]{3})*(?![0-9]))"',
            "a bracket is written (?:...)",
        ),
        (
            "the last group must have three",
            r'digits = r"[0-9]{1,3}(?=(?:[0-9]{3})+(?![0-9]))"',
            "expected ['123'], got []",
        ),
        (
            "always three",
            r'digits = r"[0-9]{3}(?=(?:[0-9]{3})*(?![0-9]))"',
            "Fewer than three are a group",
        ),
        (
            "one group of three at most",
            r'digits = r"[0-9]{1,3}(?=(?:[0-9]{3}){0,2}(?![0-9]))"',
            "as long as the number does",
        ),
        (
            "digits of every script",
            r'digits = r"\d{1,3}(?=(?:\d{3})*(?!\d))"',
            "\\d is any script's digits",
        ),
        (
            "a number is a word of its own",
            r'digits = r"[0-9]{1,3}(?=(?:[0-9]{3})*\b)"',
            "A letter may stand right behind a number",
        ),
    ],
    "split_stream": [
        (
            "each chunk alone",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    for chunk in chunks:
        yield from regex.findall(GPT2_PATTERN, chunk)
""",
            "A word may go on in the next chunk",
        ),
        (
            "waits for the end",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    yield from regex.findall(GPT2_PATTERN, "".join(chunks))
""",
            "do not wait for the next chunk",
        ),
        (
            "holds back the last piece only",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    rest = ""
    for chunk in chunks:
        *pieces, rest = regex.findall(GPT2_PATTERN, rest + chunk) or [""]
        yield from pieces
    if rest:
        yield rest
""",
            "until the second l came",
        ),
        (
            "cuts after white space",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    rest = ""
    for chunk in chunks:
        rest += chunk
        cut = max(rest.rfind(" "), rest.rfind("\\n")) + 1
        yield from regex.findall(GPT2_PATTERN, rest[:cut])
        rest = rest[cut:]
    yield from regex.findall(GPT2_PATTERN, rest)
""",
            "expected ['two', ' words'], got ['two', ' ', 'words']",
        ),
        (
            "cuts before any white space",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    rest = ""
    for chunk in chunks:
        rest += chunk
        cut = max(rest.rfind(" "), rest.rfind("\\n"), 0)
        yield from regex.findall(GPT2_PATTERN, rest[:cut])
        rest = rest[cut:]
    yield from regex.findall(GPT2_PATTERN, rest)
""",
            "Between two characters of white space is no safe place",
        ),
        (
            "forgets the rest",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    rest = ""
    for chunk in chunks:
        rest += chunk
        safe = [match.start() for match in regex.finditer(r"(?<=\\S)\\s", rest)]
        if safe:
            yield from regex.findall(GPT2_PATTERN, rest[: safe[-1]])
            rest = rest[safe[-1] :]
""",
            "what was kept comes out at the end",
        ),
        (
            "white space as re sees it",
            """
import re
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    rest = ""
    for chunk in chunks:
        rest += chunk
        safe = [match.start() for match in re.finditer(r"(?<=\\S)\\s", rest)]
        if safe:
            yield from regex.findall(GPT2_PATTERN, rest[: safe[-1]])
            rest = rest[safe[-1] :]
    yield from regex.findall(GPT2_PATTERN, rest)
""",
            "control characters differ",
        ),
        (
            "keeps the whole text and cuts it again",
            """
import regex
from bpe.splitting import GPT2_PATTERN

def split_stream(chunks):
    text, shown = "", 0
    for chunk in chunks:
        text += chunk
        safe = [match.start() for match in regex.finditer(r"(?<=\\S)\\s", text)]
        if safe:
            pieces = regex.findall(GPT2_PATTERN, text[: safe[-1]])
            yield from pieces[shown:]
            shown = len(pieces)
    yield from regex.findall(GPT2_PATTERN, text)[shown:]
""",
            "The work grows faster than the input",
        ),
    ],
    "own_pattern": [
        (
            "a short sample",
            """
sample = "dog. dog! dog? " * 20
mine = r" ?[a-z]+[.!?]|\\s+|\\S"
""",
            "Too short a sample",
        ),
        (
            "a group that findall returns",
            """
from bpe import datasets

sample = datasets.python_code(40_000)
mine = r" ?[^\\s\\w]*\\n+( *)|[^\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+"
""",
            "write (?:...)",
        ),
        (
            "words only",
            """
from bpe import datasets

sample = datasets.python_code(40_000)
mine = r"\\w+|[^\\w\\s]+"
""",
            "A character fits nowhere",
        ),
        (
            "an alternative that matches nothing",
            """
from bpe import datasets

sample = datasets.python_code(40_000)
mine = r" ?[^\\s\\w]*\\n+ *|\\w*| ?[^\\s\\w]+|\\s+"
""",
            "An alternative matches nothing",
        ),
        (
            "no split",
            """
from bpe import datasets

sample = datasets.python_code(40_000)
mine = r"(?s).+"
""",
            "more must come again",
        ),
        (
            "fewer borders are no better as such",
            """
from bpe import datasets

sample = datasets.hamlet()
mine = r" ?\\p{L}+ ?|\\s+|[^\\s\\p{L}]+"
""",
            "Ids with mine, ids with GPT-4's pattern",
        ),
        (
            "right for the characters of the sample",
            """
from bpe import datasets

sample = datasets.python_code(40_000)
marks = r"[!-/:-@[-^`{-~]"
mine = rf" ?{marks}*\\n+ *|[ -/:-@[-`{{-~]?[A-Za-z_]+|[0-9]{{1,3}}| ?{marks}+|\\s+"
""",
            "Any text must come back",
        ),
        (
            "somebody else's guess",
            """
from bpe import datasets
from bpe.splitting import GPT4O_PATTERN

sample = "\\n".join(datasets.messages("th"))
mine = GPT4O_PATTERN
""",
            "A published pattern makes the same cuts",
        ),
    ],
}
