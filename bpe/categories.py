r"""Which characters are letters, marks, numbers and spaces: one fixed answer, tiktoken's.

A pattern such as ``\p{L}+`` means whatever the table of its engine says, and each engine has the
table of some version of Unicode: a character that was added last year is a letter to one and
nothing to the other. Two tokenizers with the same pattern then cut one text differently.
``bpe/data/unicode.txt`` holds the table of tiktoken, and patterns compiled here follow it,
whichever version the ``regex`` module has. Not part of the ladder.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

import regex

Run = tuple[int, int]  # the first and the last of some code points in a row

_GROUPS = ("L", "M", "N")
_SHORT = {"d": "Nd", "s": "space", "w": "word"}  # \d, \s, \w
_TOKEN = re.compile(r"\\[pP]\{\w+\}|\\.|\[\^?\]?|\]|&&|--|\|\||~~", re.S)
_LAST = 0x10FFFF


@cache
def _table() -> dict[str, list[Run]]:
    """From a category ("Lu", "space") to its ranges of code points, both ends included."""
    text = (resources.files("bpe") / "data" / "unicode.txt").read_text(encoding="utf-8")
    table = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, *runs = line.split()
            ends = (run.split("-") for run in runs)
            table[name] = [(int(run[0], 16), int(run[-1], 16)) for run in ends]
    return table


def _lines(category: str) -> list[str]:
    """The lines of the table that make up a category: one, or all that begin with "L"."""
    if category in _GROUPS:
        return [name for name in _table() if name.startswith(category)]
    return [category] if category in _table() else []


def ranges(category: str) -> list[Run]:
    """Return the ranges of code points of a category, both ends included, in order.

    Args:
        category: A general category ("Lu"), a group of them ("L", "M", "N"), "space" or "word".

    Raises:
        ValueError: The table does not hold the category.

    >>> ranges("Lt")[0]
    (453, 453)
    >>> ranges("L")[:2]
    [(65, 90), (97, 122)]
    >>> len(ranges("space"))
    10
    """
    names = _lines(category)
    if not names:
        known = ", ".join([*_GROUPS, *_table()])
        raise ValueError(f"no category {category!r} in the table: it holds {known}")
    joined: list[Run] = []
    for first, last in sorted(run for name in names for run in _table()[name]):
        if joined and first == joined[-1][1] + 1:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined


def _as_class(runs: Iterable[Run]) -> str:
    r"""The inside of a character class. Every end is escaped: ``]`` or ``-`` could be one."""
    escaped = [(f"\\U{a:08x}", f"\\U{b:08x}") for a, b in runs]
    return "".join(a if a == b else f"{a}-{b}" for a, b in escaped)


@cache
def _class(category: str, negated: bool, highest: int) -> str:
    runs = ranges(category)
    if negated:
        starts = [0, *(last + 1 for _, last in runs)]
        ends = [*(first - 1 for first, _ in runs), _LAST]
        runs = [(a, b) for a, b in zip(starts, ends) if a <= b]
    # One run is kept even if it lies too high: it matches nothing, and [] would be no class.
    return _as_class([(a, min(b, highest)) for a, b in runs if a <= highest] or runs[:1])


class _Named(NamedTuple):
    r"""A place where a pattern names a category: ``\p{L}``, ``\S``."""

    start: int
    end: int
    category: str
    negated: bool
    bracketed: bool


def _named(pattern: str) -> Iterator[_Named]:
    bracketed = False
    for match in _TOKEN.finditer(pattern):
        token = match[0]
        if token == "]":
            bracketed = False
        elif token[0] == "\\":
            category = token[3:-1] if len(token) > 2 else _SHORT.get(token[1].lower())
            if category:
                yield _Named(*match.span(), category, token[1].isupper(), bracketed)
        elif bracketed:
            raise ValueError(
                f"{token} inside brackets (at {match.start()} of {pattern!r}) means one thing to "
                "one engine and another to the next: write one plain set, and \\[ for a bracket"
            )
        elif token[0] == "[":
            bracketed = True


def spell_out(pattern: str, highest: int = _LAST) -> str:
    r"""Return ``pattern`` with its categories replaced by the ranges of the table.

    ``\p{L}``, ``\s``, ``\w``, ``\d`` and their opposites are replaced, inside brackets and outside.
    The result means the same to ``re`` and to ``regex``, in every version.

    Args:
        pattern: A regular expression.
        highest: The highest code point that a text will hold; what lies above is left out.

    Raises:
        ValueError: A category is not in the table, or sets are nested or combined (``[a[b]]``,
            ``[a&&b]``), which engines read in different ways.

    >>> spell_out(r"\s+")[:12]
    '[\\U00000009-'
    >>> spell_out(r"\p{L}", highest=127)
    '[\\U00000041-\\U0000005a\\U00000061-\\U0000007a]'
    """
    parts, last = [], 0
    for found in _named(pattern):
        parts.append(pattern[last : found.start])
        if found.bracketed:
            parts.append(_class(found.category, found.negated, highest))
        else:
            parts.append(f"[{'^' * found.negated}{_class(found.category, False, highest)}]")
        last = found.end
    return "".join([*parts, pattern[last:]])


@cache
def _scalars() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, _LAST + 1)]))


@cache
def _differing(name: str) -> frozenset[str]:
    """The characters on which the installed ``regex`` and a line of the table disagree."""
    theirs = {"space": r"\s", "word": r"\w"}.get(name, rf"\p{{{name}}}")
    ours = {chr(c) for a, b in _table()[name] for c in range(a, b + 1)}
    return frozenset(set(regex.findall(theirs, _scalars())) ^ ours)


@cache
def _in_doubt(pattern: str) -> frozenset[str]:
    """The characters with which a text is not safe from the installed table of ``regex``."""
    try:
        names = {name for found in _named(pattern) for name in _lines(found.category)}
    except ValueError:
        return frozenset()  # it cannot be spelled out
    return frozenset().union(*map(_differing, names))


@cache
def _exact(pattern: str, highest: int = _LAST) -> "re.Pattern[str] | regex.Pattern[str]":
    try:
        return re.compile(spell_out(pattern, highest))
    except (ValueError, re.error):
        return regex.compile(pattern)


def _with_gaps(found: "re.Pattern[str] | regex.Pattern[str]", text: str) -> list[str]:
    """What the pattern finds, and what it leaves out as pieces of their own."""
    pieces, end = [], 0
    for match in found.finditer(text):
        if match[0]:  # an empty match is no cut
            pieces += [text[end : match.start()], match[0]]
            end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]


def compile_split(pattern: str) -> Callable[[str], list[str]]:
    r"""Return a function that cuts a text into the pieces that ``pattern`` finds.

    Joined, the pieces are the text: what the pattern does not match is a piece, too, between those
    that it does (tiktoken would drop it; the published patterns match everything).

    Two engines, one meaning: ``regex`` is quick, and right unless the text holds a character on
    which its table and ours differ; then ``re`` does it, with the categories spelled out. For text
    in ASCII they are spelled out, too: the ranges are so few that ``re`` is the quicker of the two.
    What cannot be spelled out (``\p{Han}``, nested sets) is left to ``regex`` and its table.

    Raises:
        ValueError: The pattern is not a regular expression; the message says where it breaks.

    >>> compile_split(r" ?\p{L}+|\s+")("two words")
    ['two', ' words']
    >>> compile_split(r"\w+")("two words")
    ['two', ' ', 'words']
    """
    if not isinstance(pattern, str):
        kind = type(pattern).__name__
        raise ValueError(f"pattern is a {kind}, not a str: give the regular expression as text")
    try:
        quick = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None

    def split(text: str) -> list[str]:
        if text.isascii():
            engine = _exact(pattern, 127)
        else:
            engine = quick if _in_doubt(pattern).isdisjoint(text) else _exact(pattern)
        if not engine.groups:  # findall would return the groups
            pieces: list[str] = engine.findall(text)
            if sum(map(len, pieces)) == len(text) and "" not in pieces:
                return pieces
        return _with_gaps(engine, text)

    return split
