r"""Which characters are letters, marks, numbers and spaces: one fixed answer, tiktoken's.

A pattern such as ``\p{L}+`` means whatever the table of its engine says, and each engine has the
table of some version of Unicode: a character that was added last year is a letter to one and
nothing to the other. Two tokenizers with the same pattern then cut one text differently.
``bpe/data/unicode.txt`` holds the table of tiktoken, and patterns compiled here follow it,
whichever version the ``regex`` module has. Not part of the ladder.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import resources

import regex

_CLASS = re.compile(r"\\([pP])\{(\w+)\}|\\([sS])")


@cache
def _table() -> dict[str, list[tuple[int, int]]]:
    """From a category ("Lu", "space") to its ranges of code points, both ends included."""
    text = (resources.files("bpe") / "data" / "unicode.txt").read_text(encoding="utf-8")
    table = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, *runs = line.split()
            ends = (run.split("-") for run in runs)
            table[name] = [(int(run[0], 16), int(run[-1], 16)) for run in ends]
    return table


def ranges(category: str) -> list[tuple[int, int]]:
    """Return the ranges of code points of a category, both ends included, in order.

    Args:
        category: A general category ("Lu"), a group of them ("L", "M", "N"), or "space".

    Raises:
        ValueError: The table does not hold the category.

    >>> ranges("Lt")[0]
    (453, 453)
    >>> len(ranges("space"))
    10
    """
    found = [run for name, runs in _table().items() if name.startswith(category) for run in runs]
    if not found:
        known = ", ".join(["L", "M", "N", *_table()])
        raise ValueError(f"no category {category!r} in the table: it holds {known}")
    return sorted(found)


def _as_class(runs: list[tuple[int, int]]) -> str:
    r"""The inside of a character class. Every end is escaped: ``]`` or ``-`` could be one."""
    escaped = [(f"\\U{a:08x}", f"\\U{b:08x}") for a, b in runs]
    return "".join(a if a == b else f"{a}-{b}" for a, b in escaped)


@cache
def _class(category: str) -> str:
    return _as_class(ranges(category))


def spell_out(pattern: str) -> str:
    r"""Return ``pattern`` with its categories replaced by the ranges of the table.

    The result means the same to every engine, Python's ``re`` included.

    Raises:
        ValueError: A negated class (``\S``, ``\P{L}``) stands inside brackets, where a range
            cannot take its place, or a category is not in the table.

    >>> spell_out(r"\s+")[:12]
    '[\\U00000009-'
    """
    parts, last, depth = [], 0, 0
    for match in re.finditer(r"\\[pP]\{\w+\}|\\.|[\[\]]", pattern, re.S):
        token = match[0]
        if token in "[]":
            depth += 1 if token == "[" and not depth else -1 if token == "]" and depth else 0
            continue
        found = _CLASS.fullmatch(token)
        if not found:
            continue
        negated = (found[1] or found[3]) in "PS"
        inside = _class(found[2] or "space")
        if depth and negated:
            raise ValueError(
                f"{token} inside brackets (at {match.start()} of {pattern!r}) is not known"
            )
        parts.append(pattern[last : match.start()])
        parts.append(inside if depth else f"[{'^' * negated}{inside}]")
        last = match.end()
    return "".join([*parts, pattern[last:]])


@cache
def _in_doubt() -> frozenset[str]:
    """Characters that the installed ``regex`` puts into another category than the table does."""
    scalars = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    doubt: set[str] = set()
    for category, runs in _table().items():
        theirs = r"\s" if category == "space" else rf"\p{{{category}}}"
        ours = {chr(c) for a, b in runs for c in range(a, b + 1)}
        doubt |= set(regex.findall(theirs, scalars)) ^ ours
    return frozenset(doubt)


def compile_split(pattern: str) -> Callable[[str], list[str]]:
    r"""Return a function that cuts a text into the pieces that ``pattern`` finds.

    Two engines, one meaning: ``regex`` is quick, and right unless the text holds a character on
    which its table and ours differ; then ``re`` does it, with the categories spelled out.

    Raises:
        ValueError: The pattern is not a regular expression; the message says where it breaks.

    >>> compile_split(r" ?\p{L}+|\s+")("two words")
    ['two', ' words']
    """
    try:
        quick = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    exact: list[re.Pattern[str]] = []

    def split(text: str) -> list[str]:
        if not text.isascii() and not _in_doubt().isdisjoint(text):
            if not exact:
                exact.append(re.compile(spell_out(pattern)))
            return [match[0] for match in exact[0].finditer(text)]
        return [match[0] for match in quick.finditer(text)] if quick.groups else quick.findall(text)

    return split
