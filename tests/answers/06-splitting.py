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
            "Three digits are one group",
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
            "['I', \"'ll\", ' ', ' pay', '\\n', '\\n', '10', ' €!', ' ', ' ']",
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
            "what was kept must come out",
        ),
    ],
}
