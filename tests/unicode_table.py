"""Write bpe/data/unicode.txt: what tiktoken takes for a letter, a number, a mark, a space.

    python tests/unicode_table.py          write the table anew
    python tests/unicode_table.py --check  compare it with the tiktoken installed here

tiktoken is asked itself: a tokenizer whose pattern is one category returns the characters in it.
"""

import sys
from pathlib import Path

import tiktoken

TARGET = Path(__file__).resolve().parent.parent / "bpe" / "data" / "unicode.txt"
CATEGORIES = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No")
SCALARS = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
HEAD = """\
# Letters, marks, numbers, spaces, \\w as tiktoken {version} knows them (Unicode 16.0), as ranges of
# code points. Made by tests/unicode_table.py; the tests compare it with the tiktoken installed.
"""


def members(pattern: str) -> list[int]:
    """The code points that a pattern for one character matches in tiktoken."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    asked = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return sorted(map(ord, set(asked.decode(asked.encode_ordinary(SCALARS)))))


def ranges(code_points: list[int]) -> list[str]:
    """Sorted numbers as 0041-005A and single 00AA."""
    runs: list[list[int]] = []
    for code_point in code_points:
        if runs and code_point == runs[-1][1] + 1:
            runs[-1][1] = code_point
        else:
            runs.append([code_point, code_point])
    return [f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in runs]


def table() -> str:
    lines = [HEAD.format(version=tiktoken.__version__)]
    patterns = {category: rf"\p{{{category}}}" for category in CATEGORIES}
    patterns |= {"space": r"\s", "word": r"\w"}
    for name, pattern in patterns.items():
        lines.append(" ".join([name, *ranges(members(pattern))]) + "\n")
    return "".join(lines)


def body(text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(body(TARGET.read_text("utf-8")) != body(table()))
    TARGET.write_text(table(), "utf-8", newline="\n")
