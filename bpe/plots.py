"""The course's figures: one style, fonts for most scripts, and the pictures too big for a cell.

Importing this module loads the fonts of ``bpe/fonts`` and sets Matplotlib's style. No function
here brings words of its own: each text in a figure is handed in by the cell that draws it. The
figures show themselves as the last expression of a cell. Not part of the ladder.
"""

import io
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, NullLocator

# Okabe and Ito's palette, which colour-blind readers can tell apart; black stays for text.
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"]
INK, QUIET, PAPER = "#222222", "#767676", "#FBFAF6"
WIDTH = 6.4  # inches, so that 10 points can still be read when a phone shows 340 pixels
SIZE = 10  # points
FONTS = {"han.otf": "Chapters Han", "hangul.otf": "Chapters Hangul", "emoji.ttf": "Chapters Emoji"}


class Picture(Figure):
    """A figure that shows itself once in a notebook, without pyplot and its global state."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()


def _set_style() -> None:
    for file in FONTS:
        font_manager.fontManager.addfont(str(resources.files("bpe") / "fonts" / file))
    matplotlib.rcParams.update(
        {
            "font.family": ["DejaVu Sans", *FONTS.values()],
            "font.size": SIZE,
            "axes.titlesize": SIZE + 2,
            "axes.labelsize": SIZE,
            "xtick.labelsize": SIZE,
            "ytick.labelsize": SIZE,
            "legend.fontsize": SIZE,
            "figure.figsize": (WIDTH, 3.6),
            "figure.dpi": 150,
            "savefig.dpi": "figure",
            "figure.constrained_layout.use": True,
            "figure.facecolor": PAPER,
            "axes.facecolor": PAPER,
            "savefig.facecolor": PAPER,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": matplotlib.cycler(color=COLORS),
            "axes.titlelocation": "left",
            "axes.edgecolor": QUIET,
            "text.color": INK,
            "axes.labelcolor": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "lines.linewidth": 2,
        }
    )


_set_style()


def new_figure(height: float = 3.6, **axes: Any) -> tuple[Picture, Axes]:
    """Return an empty figure of the course's width, and the axes in it.

    Args:
        height: In inches; the width is fixed, so that all figures have letters of one size.
        axes: Properties of the axes, as ``Axes.set`` takes them: ``xlabel``, ``title`` ...
    """
    figure = Picture(figsize=(WIDTH, height))
    return figure, figure.add_subplot(**axes)


@cache
def _drawable() -> frozenset[int]:
    """The code points that one of the style's fonts has a glyph for."""
    paths = (font_manager.findfont(family) for family in matplotlib.rcParams["font.family"])
    return frozenset().union(*(font_manager.get_font(path).get_charmap() for path in paths))


def printable(token: str | bytes) -> str:
    r"""Return a label for a token: nothing in it is invisible, and every character has a glyph.

    Space, newline and tab become ␣, ⏎ and ⇥; bytes that are no character and ASCII's control
    characters become ``\xNN``; whatever else cannot be seen, or has no glyph here, ``U+XXXX``.

    >>> printable(" the\n")
    '␣the⏎'
    >>> printable("é".encode() + b"\xe2\x80")
    'é\\xe2\\x80'
    >>> printable("\u200d"), printable("\u0301")
    ('U+200D', '◌́')
    """
    text = token if isinstance(token, str) else token.decode("utf-8", errors="backslashreplace")
    label = "".join(map(_printable_character, text))
    return "◌" + label if label and unicodedata.combining(label[0]) else label


def _printable_character(char: str) -> str:
    if char in " \n\t":
        return "␣⏎⇥"[" \n\t".index(char)]
    if ord(char) < 128:
        return char if char.isprintable() else f"\\x{ord(char):02x}"
    selector = 0xFE00 <= ord(char) <= 0xFE0F
    if selector or unicodedata.category(char)[0] in "CZ" or ord(char) not in _drawable():
        return f"U+{ord(char):04X}"
    return char


def draw_lookup(
    table: Any, ids: Sequence[int], labels: Iterable[str | bytes], *,
    title: str = "", table_title: str, picked_title: str,
) -> Picture:  # fmt: skip
    """Draw an embedding table as a heat picture, and beside it the rows that ``ids`` pick.

    A small table (up to 6 columns, 8 rows, 8 ids) shows its numbers, too.

    Args:
        table: Numbers, one row for each id of the vocabulary.
        ids: The rows to pick, in this order.
        labels: What each of ``ids`` stands for.
        title, table_title, picked_title: Texts above the figure and its two halves.

    Raises:
        ValueError: ``labels`` are fewer or more than ``ids``.
        IndexError: An id has no row in the table.
    """
    table = np.asarray(table)
    picked = table[list(ids)]
    rows, step = len(table), len(table) / max(len(ids), 6)
    top = (rows - step * len(ids)) / 2 - 0.5
    figure, axes = new_figure(4.2)
    axes.set_title(title, pad=26)
    limit = abs(table).max()
    look = {"cmap": "PuOr", "vmin": -limit, "vmax": limit, "aspect": "auto"}
    axes.imshow(table, extent=(0, 1, rows - 0.5, -0.5), **look)
    axes.imshow(picked, extent=(1.6, 2.6, top + step * len(ids), top), **look)
    for place, (idx, label) in enumerate(zip(ids, labels, strict=True)):
        color = COLORS[list(ids).index(idx) % len(COLORS)]
        y = top + step * (place + 0.5)
        axes.plot([1, 1.6], [idx, y], color=color, clip_on=False)
        axes.add_patch(Rectangle((0, idx - 0.5), 1, 1, fill=False, ec=color, lw=1.5))
        axes.add_patch(
            Rectangle((1.6, y - step / 2), 1, step, fill=False, ec=PAPER, lw=2)
        )
        axes.text(2.66, y, f"{printable(label)}  {idx}", va="center", parse_math=False)
    for x, text in ((0.5, table_title), (2.1, picked_title)):
        axes.text(x, -0.5 - rows * 0.03, text, ha="center", va="bottom")
    if rows <= 8 and len(picked) <= 8 and table.shape[1] <= 6:
        for left, start, height, values in ((0, -0.5, 1, table), (1.6, top, step, picked)):
            for (row, column), value in np.ndenumerate(values):
                x = left + (column + 0.5) / values.shape[1]
                ink = "white" if abs(value) > 0.6 * limit else INK
                y = start + height * (row + 0.5)
                axes.text(x, y, f"{value:.3g}", ha="center", va="center", color=ink)
    axes.set(xlim=(0, 3), ylim=(rows - 0.5, -0.5), xticks=[])
    if rows <= 12:
        axes.set_yticks(range(rows))
    axes.spines[:].set_visible(False)
    return figure


def draw_bytes(text: str, encodings: Mapping[str, str], *, title: str = "") -> Picture:
    """Draw the bytes of a text in several encodings, one column a character; zeros are grey.

    Args:
        text: At most 24 characters.
        encodings: From the words beside each band to the name of Python's codec for it:
            ``{"UTF-8": "utf-8", "UTF-16": "utf-16-le"}``.

    Raises:
        ValueError: The text is empty or too long to be legible.
    """
    if not 1 <= len(text) <= 24:
        raise ValueError(f"text has {len(text)} characters, and 1 to 24 can be drawn legibly")
    bands = {label: [c.encode(codec) for c in text] for label, codec in encodings.items()}
    heights = [max(map(len, columns)) for columns in bands.values()]
    total = sum(heights) + 0.6 * len(heights)
    figure, axes = new_figure(0.22 * total + 0.9, title=title)
    y = 0.0
    for (label, columns), height in zip(bands.items(), heights):
        axes.text(-0.3, y + height / 2, label, ha="right", va="center", parse_math=False)
        for x, column in enumerate(columns):
            for depth, byte in enumerate(column):
                color = COLORS[x % 5] if byte else "#DDDDDD"
                box = (x + 0.04, y + depth + 0.04)
                axes.add_patch(Rectangle(box, 0.92, 0.92, fc=color, alpha=0.45 if byte else 1))
                ink = INK if byte else QUIET
                axes.text(x + 0.5, y + depth + 0.52, f"{byte:02x}", ha="center", va="center", color=ink)
        y += height + 0.6
    for x, char in enumerate(text):
        label = printable(char)
        axes.text(x + 0.5, -0.3, label, ha="center", va="bottom", parse_math=False)
    axes.set(xlim=(0, len(text)), ylim=(y - 0.6, -1.2))
    axes.axis("off")
    return figure


def draw_forest(
    merges: Mapping[tuple[int, int], int], vocab: Mapping[int, bytes], *, title: str = ""
) -> Picture:
    """Draw merges as trees: bytes at the bottom, above them the tokens made of them, with ids.

    A token that later merges use stands in their trees; every other one is the root of its own.
    Trees stand in the order in which their roots were learned. Up to some 30 merges are legible.

    Args:
        merges: From each pair to its new id, in the order of learning.
        vocab: The bytes of each id.
    """
    parts = {idx: pair for pair, idx in merges.items()}
    used = {part for pair in merges for part in pair}
    unit, level = 0.09, 0.5  # inches a letter, and a storey

    def width(idx: int) -> float:
        letters = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in name(idx))
        own = unit * (max(letters, 3 if idx in parts else 1) + 2)
        return max(own, sum(map(width, parts.get(idx, ()))))

    def height(idx: int) -> int:
        return 1 + max(map(height, parts[idx])) if idx in parts else 0

    def name(idx: int) -> str:
        return printable(vocab[idx])

    shelves: list[list[int]] = [[]]
    room = WIDTH - 0.2
    left = room
    for root in (idx for idx in parts if idx not in used):
        if shelves[-1] and width(root) + 0.15 > left:
            shelves.append([])
            left = room
        shelves[-1].append(root)
        left -= width(root) + 0.15
    storeys = [max(map(height, shelf), default=0) + 1 for shelf in shelves]
    total = level * sum(storeys) + 0.1
    figure, axes = new_figure(total + (0.4 if title else 0), title=title)

    def draw(idx: int, x: float, ground: float) -> tuple[float, float]:
        """Draw a tree whose left end is x; return where its root stands."""
        y = ground - level * height(idx)
        children = parts.get(idx, ())
        start = x + (width(idx) - sum(map(width, children))) / 2
        middle = x + width(idx) / 2
        for child in children:
            cx, cy = draw(child, start, ground)
            axes.plot([middle, cx], [y, cy], color=QUIET, lw=1, zorder=1)
            start += width(child)
        kind = COLORS[0] if idx in parts and idx not in used else COLORS[1] if children else QUIET
        text = f"{name(idx)}\n{idx}" if children else name(idx)
        box = {"boxstyle": "round,pad=0.25", "fc": "white", "ec": kind, "lw": 1.5 if children else 0.8}
        axes.text(middle, y, text, ha="center", va="center", linespacing=1.0, bbox=box, zorder=2,
                  parse_math=False)  # fmt: skip
        return middle, y

    ground = 0.0
    for shelf, count in zip(shelves, storeys):
        ground += level * count
        x = 0.0
        for root in shelf:
            draw(root, x, ground - level / 2)
            x += width(root) + 0.15
    axes.set(xlim=(0, room), ylim=(total - 0.1, 0))
    axes.axis("off")
    return figure


def draw_curve(
    series: Mapping[str, Iterable[tuple[float, float]]], *,
    xlabel: str, ylabel: str, title: str = "", log_x: bool = False,
) -> Picture:  # fmt: skip
    """Draw lines, each with its name at its end.

    Args:
        series: From the name of each line to its points.
        log_x: Let equal steps along x be equal ratios (for vocabulary sizes).
    """
    figure, axes = new_figure(3.8, title=title, xlabel=xlabel, ylabel=ylabel)
    if log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.xaxis.set_minor_locator(NullLocator())
    ends = []
    for number, (label, points) in enumerate(series.items()):
        xs, ys = zip(*points)
        color = COLORS[number % len(COLORS)]
        axes.plot(xs, ys, color=color, marker="o", markersize=4, label=label)
        ends.append((ys[-1], xs[-1], label, color))
    low, high = axes.get_ylim()
    ceiling = -math.inf
    for y, x, label, color in sorted(ends):
        ceiling = max(y, ceiling + (high - low) * 0.065)
        axes.annotate(label, (x, ceiling), xytext=(8, 0), textcoords="offset points", va="center",
                      color=INK, parse_math=False)  # fmt: skip
    axes.grid(axis="y", color="#DDDDDD", lw=0.8)
    axes.set_axisbelow(True)
    return figure
