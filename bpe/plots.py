"""The course's figures: one style, fonts for most scripts, and the pictures too big for a cell.

Importing this module loads the fonts of ``bpe/fonts`` and sets Matplotlib's style. No function
here brings words of its own: each text in a figure is handed in by the cell that draws it. The
figures show themselves as the last expression of a cell. Not part of the ladder.
"""

import io
import itertools
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
from matplotlib.ticker import NullLocator

# Okabe and Ito's palette, which color-blind readers can tell apart; its yellow is too pale here.
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000"]
INK, QUIET, ZERO, PAPER = "#222222", "#5F5F5F", "#DDDDDD", "#FBFAF6"
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
    table: Any,
    ids: Sequence[int],
    labels: Iterable[str | bytes],
    *,
    title: str = "",
    table_title: str,
    picked_title: str,
) -> Picture:
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
    table, ids = np.asarray(table), list(ids)
    rows, columns = table.shape
    for idx in ids:
        if not 0 <= idx < rows:
            raise IndexError(f"id {idx} has no row: the table has rows 0 to {rows - 1}")
    picked = table[ids]
    step = rows / max(len(ids), 6)
    top = (rows - step * len(ids)) / 2 - 0.5
    colors = dict(zip(dict.fromkeys(ids), itertools.cycle(COLORS)))
    figure, axes = new_figure(4.2)
    axes.set_title(title, pad=26)
    limit = abs(table).max()
    look = {"cmap": "PuOr", "vmin": -limit, "vmax": limit, "aspect": "auto"}
    axes.imshow(table, extent=(0, 1, rows - 0.5, -0.5), **look)
    if ids:
        axes.imshow(picked, extent=(1.6, 2.6, top + step * len(ids), top), **look)
    for place, (idx, label) in enumerate(zip(ids, labels, strict=True)):
        y = top + step * (place + 0.5)
        axes.plot([1, 1.6], [idx, y], color=colors[idx], clip_on=False)
        axes.add_patch(Rectangle((0, idx - 0.5), 1, 1, fill=False, ec=colors[idx], lw=1.5))
        axes.add_patch(Rectangle((1.6, y - step / 2), 1, step, fill=False, ec=PAPER, lw=2))
        axes.text(2.66, y, f"{printable(label)}  {idx}", va="center", parse_math=False)
    for x, text in ((0.5, table_title), (2.1, picked_title)):
        axes.text(x, -0.5 - rows * 0.03, text, ha="center", va="bottom", parse_math=False)
    if rows <= 8 and len(ids) <= 8 and columns <= 6:
        for left, start, height, values in ((0, -0.5, 1, table), (1.6, top, step, picked)):
            for (row, column), value in np.ndenumerate(values):
                x, y = left + (column + 0.5) / columns, start + height * (row + 0.5)
                ink = "white" if abs(value) > 0.6 * limit else INK
                axes.text(x, y, f"{value:.3g}", ha="center", va="center", color=ink)
    axes.set(xlim=(0, 3), ylim=(rows - 0.5, -0.5), xticks=[])
    if rows <= 12:
        axes.set_yticks(range(rows))
    axes.spines[:].set_visible(False)
    return figure


def draw_bytes(text: str, encodings: Mapping[str, str], *, title: str = "") -> Picture:
    """Draw the bytes of a text in several encodings, one column a character; zeros are gray.

    Args:
        text: At most 24 characters.
        encodings: From the words beside each band to the name of Python's codec for it:
            ``{"UTF-8": "utf-8", "UTF-16": "utf-16-le"}``.

    Raises:
        ValueError: The text is empty or too long to be legible.
    """
    if not 1 <= len(text) <= 24:
        raise ValueError(f"text has {len(text)} characters: 1 to 24 can be drawn legibly")
    bands = {label: [char.encode(codec) for char in text] for label, codec in encodings.items()}
    heights = [max(map(len, columns)) for columns in bands.values()]
    gap = 0.6
    total = sum(heights) + gap * (len(heights) - 1)
    figure, axes = new_figure(0.22 * total + 0.9, title=title)
    size = 14 if len(text) <= 12 else 10  # few columns have room for large digits
    centered = {"ha": "center", "va": "center", "size": size}
    y = 0.0
    for (label, columns), height in zip(bands.items(), heights):
        axes.text(-0.3, y + height / 2, label, ha="right", va="center", parse_math=False)
        for x, column in enumerate(columns):
            for depth, byte in enumerate(column):
                fill, ink = (COLORS[x % 5] + "73", INK) if byte else (ZERO, QUIET)
                box = (x + 0.04, y + depth + 0.04)
                axes.add_patch(Rectangle(box, 0.92, 0.92, fc=fill))
                axes.text(x + 0.5, y + depth + 0.52, f"{byte:02x}", color=ink, **centered)
        y += height + gap
    for x, char in enumerate(text):
        label = printable(char)
        axes.text(x + 0.5, -0.3, label, ha="center", va="bottom", size=size, parse_math=False)
    axes.set(xlim=(0, len(text)), ylim=(total, -1.2))
    axes.axis("off")
    return figure


def draw_forest(
    merges: Mapping[tuple[int, int], int], vocab: Mapping[int, bytes], *, title: str = ""
) -> Picture:
    """Draw merges as trees: bytes at the bottom, above them the tokens made of them, with ids.

    A token that later merges use stands in their trees; every other one is the root of its own.
    Trees stand in the order in which their roots were learned. Some 30 merges stay legible.

    Args:
        merges: From each pair to its new id, in the order of learning.
        vocab: The bytes of each id.

    Raises:
        ValueError: There are no merges.
    """
    if not merges:
        raise ValueError("there is nothing to draw: merges is empty")
    letter, storey, gap = 0.09, 0.5, 0.15  # inches
    parts = {idx: pair for pair, idx in merges.items()}
    used = {part for pair in merges for part in pair}
    labels = {idx: printable(vocab[idx]) for idx in used | set(parts)}
    widths = {idx: letter * (_letters(label) + 2) for idx, label in labels.items()}
    heights = dict.fromkeys(labels, 0)
    for idx, pair in parts.items():  # parts come before what is made of them
        widths[idx] = max(widths[idx], letter * 5, sum(widths[part] for part in pair))
        heights[idx] = 1 + max(heights[part] for part in pair)

    room = max(WIDTH - 0.2, *widths.values())
    shelves: list[list[int]] = [[]]
    for root in (idx for idx in parts if idx not in used):
        if sum(widths[tree] + gap for tree in shelves[-1]) + widths[root] > room:
            shelves.append([])
        shelves[-1].append(root)
    grounds = storey * np.cumsum([max(heights[root] for root in shelf) + 1 for shelf in shelves])
    figure, axes = new_figure(grounds[-1] + (0.5 if title else 0.1), title=title)
    figure.set_figwidth(room + 0.2)

    def draw(idx: int, left: float, ground: float) -> tuple[float, float]:
        """Draw a tree; return where its root stands."""
        x, y = left + widths[idx] / 2, ground - storey * heights[idx]
        pair = parts.get(idx, ())
        left = x - sum(widths[part] for part in pair) / 2
        for part in pair:
            part_x, part_y = draw(part, left, ground)
            axes.plot([x, part_x], [y, part_y], color=QUIET, lw=1, zorder=1)
            left += widths[part]
        edge = (COLORS[1] if idx in used else COLORS[0]) if pair else QUIET
        box = {"boxstyle": "round,pad=0.25", "fc": "white", "ec": edge, "lw": 1.5 if pair else 0.8}
        text = f"{labels[idx]}\n{idx}" if pair else labels[idx]
        axes.text(x, y, text, ha="center", va="center", linespacing=1, bbox=box, parse_math=False)
        return x, y

    for shelf, ground in zip(shelves, grounds):
        left = 0.0
        for root in shelf:
            draw(root, left, ground - storey / 2)
            left += widths[root] + gap
    axes.set(xlim=(0, room), ylim=(grounds[-1], 0))
    axes.axis("off")
    return figure


def _letters(label: str) -> int:
    """About how wide a label is; characters of East Asia count twice."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in label)


def draw_curve(
    series: Mapping[str, Iterable[tuple[float, float]]],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    log_x: bool = False,
) -> Picture:
    """Draw lines, each with its name at its end.

    Args:
        series: From the name of each line to its points.
        xlabel, ylabel, title: Texts at the axes and above the figure.
        log_x: Let equal steps along x be equal ratios (for vocabulary sizes).
    """
    figure, axes = new_figure(3.8, title=title, xlabel=xlabel, ylabel=ylabel)
    if log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:,.10g}")
    for label, points in series.items():
        axes.plot(*zip(*points), marker="o", markersize=4, label=label)
    low, high = axes.get_ylim()
    free: dict[float, float] = {}  # at each x, the height from which a name has room
    ends = ((line.get_ydata()[-1], line.get_xdata()[-1], line.get_label()) for line in axes.lines)
    for y, x, label in sorted(ends):
        place = max(y, free.get(x, low))
        free[x] = place + (high - low) * 0.07
        axes.annotate(
            label, (x, place), (8, 0), textcoords="offset points", va="center", parse_math=False
        )
    axes.grid(axis="y", color=ZERO, lw=0.8)
    axes.set_axisbelow(True)
    return figure
