"""Figures draw without a warning (each is an error here), and show what they were given."""

import subprocess
import sys
import unicodedata
from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bpe import datasets, plots
from bpe.training import build_vocab, train

SAMPLE = "안녕하세요 👋 hello world 🤗"
FONTS = Path(plots.__file__).parent / "fonts"


def png(figure: plots.Picture) -> np.ndarray:
    """Draw the figure and return its pixels."""
    from matplotlib.image import imread

    return imread(BytesIO(figure._repr_png_()))


def words(figure: plots.Picture) -> list[str]:
    """All that can be read in the figure, axes' numbers left out."""
    (axes,) = figure.axes
    found = [text.get_text() for text in axes.texts]
    found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
    return [text for text in found if text]


# ---- Labels and fonts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("", ""),
        (b"", ""),
        (" the", "␣the"),
        (b"a\tb\r\n", "a⇥b\\x0d⏎"),
        ("\0\x7f", "\\x00\\x7f"),
        (b"\x80", "\\x80"),
        ("한".encode()[:2], "\\xed\\x95"),
        (b"ab\xff" + "é".encode(), "ab\\xffé"),
        ("深度 学习", "深度␣学习"),
        ("\u00a0\u200d\ufe0f\u2028\u3000", "U+00A0U+200DU+FE0FU+2028U+3000"),
        ("e\u0301", "e\u0301"),
        ("\u0301", "◌\u0301"),
        ("\ud800", "U+D800"),
        ("\U0010ffff", "U+10FFFF"),
        ("हि", "U+0939U+093F"),
        ("$x^2$ \\ _", "$x^2$␣\\␣_"),
    ],
)
def test_printable(token, label):
    assert plots.printable(token) == label


def test_printable_leaves_only_glyphs():
    everything = [*map(chr, range(0x3_0000)), *map(chr, range(0xE_0000, 0x11_0000, 0x101))]
    labels = {plots._printable_character(char) for char in everything}
    assert all(ord(char) in plots._drawable() for label in labels for char in label)
    assert all(char.isprintable() for label in labels for char in label)
    assert "U+0020" not in labels


@pytest.mark.parametrize(
    ("codec", "first", "last", "at_least"),
    [
        ("gb2312", 0xB0, 0xD7, 3755),
        ("euc_jp", 0xB0, 0xCF, 2965),
        ("euc_kr", 0xB0, 0xC8, 2350),
        ("euc_jp", 0xA4, 0xA5, 169),
    ],
    ids=["Chinese", "Japanese", "Hangul", "kana"],
)
def test_common_characters_have_glyphs(codec, first, last, at_least):
    pairs = [bytes([a, b]) for a in range(first, last + 1) for b in range(0xA1, 0xFF)]
    characters = {text for pair in pairs if (text := pair.decode(codec, errors="ignore"))}
    assert len(characters) >= at_least
    assert {char for char in characters if ord(char) not in plots._drawable()} == set()


def test_texts_of_the_course_have_glyphs():
    texts = [SAMPLE, "深度学习龘", "南京市长江大桥欢迎您", datasets.article(), datasets.hamlet()]
    texts += ["".join(datasets.messages(language)) for language in ("ja", "ko", "ru", "zh_Hant")]
    missing = {
        char
        for char in "".join(texts)
        if ord(char) not in plots._drawable() and unicodedata.category(char)[0] not in "CZ"
    }
    assert missing == set()


def test_fonts_are_small_and_come_with_their_license():
    sizes = {path.name: path.stat().st_size for path in FONTS.iterdir()}
    assert sizes.keys() == {*plots.FONTS, "OFL.txt"}
    assert max(sizes.values()) < 1_500_000
    assert sum(sizes.values()) < 3_500_000
    license_text = (FONTS / "OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in license_text
    assert all(family in license_text for family in plots.FONTS.values())


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    from matplotlib.colors import to_rgb

    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot(channels, (0.2126, 0.7152, 0.0722)))


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_letters_stand_out():
    assert contrast(plots.INK, plots.PAPER) > 7
    assert contrast(plots.QUIET, plots.PAPER) > 4.5
    assert contrast(plots.QUIET, plots.ZERO) > 4.5
    assert len(set(plots.COLORS)) == 7


# ---- The style -------------------------------------------------------------------------------


def test_size_on_a_phone():
    """On 340 pixels, a letter's height must stay above seven of them."""
    figure, _ = plots.new_figure()
    assert figure.get_figwidth() == plots.WIDTH
    assert plots.SIZE / 72 / plots.WIDTH * 340 > 7


def test_new_figure_sets_the_axes():
    figure, axes = plots.new_figure(2, title="Sizes", xlabel="size", xscale="log")
    assert figure.get_figheight() == 2
    assert words(figure) == ["Sizes", "size"]
    axes.plot([1, 10, 100], [1, 2, 3])
    png(figure)


def test_paper_is_opaque_in_dark_pages():
    figure, _ = plots.new_figure()
    pixels = png(figure)
    assert (pixels[..., 3] == 1).all()
    assert (pixels[0, 0, :3] > 0.95).all()
    assert pixels.shape[1] == plots.WIDTH * 150


def test_no_pyplot_and_no_figures_left_behind():
    probe = "import sys, bpe.plots as p; p.new_figure(); print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_picture_names_no_version():
    figure, _ = plots.new_figure()
    assert b"Matplotlib" not in figure._repr_png_()


def test_all_scripts_in_one_figure():
    figure, axes = plots.new_figure(title=SAMPLE, xlabel="深度学习 ひらがな", ylabel="Ελληνικά")
    for place, start in enumerate(range(0, 598, 50)):
        axes.text(0, place / 12, plots.printable(datasets.paragraph()[start : start + 50]))
    png(figure)


@pytest.mark.parametrize("first", ["", "import matplotlib.pyplot as plt\n"])
def test_notebook_shows_a_figure_once(first):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    source = first + "from bpe import plots\nfigure, axes = plots.new_figure(2)\nfigure"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert output.output_type == "execute_result"
    assert set(output.data) == {"image/png", "text/plain"}


# ---- The figures -----------------------------------------------------------------------------


def lookup(table, ids, labels):
    return plots.draw_lookup(
        table, ids, labels, title="TITLE", table_title="LEFT", picked_title="RIGHT"
    )


def test_lookup_picks_the_rows():
    table = np.arange(65 * 16).reshape(65, 16) / 100
    figure = lookup(table, [58, 1, 58], "t $")
    (axes,) = figure.axes
    left, right = (image.get_array() for image in axes.images)
    assert np.array_equal(left, table)
    assert np.array_equal(right, table[[58, 1, 58]])
    assert words(figure) == ["t  58", "␣  1", "$  58", "LEFT", "RIGHT", "TITLE"]
    assert [line.get_ydata()[0] for line in axes.lines] == [58, 1, 58]
    colors = [line.get_color() for line in axes.lines]
    assert colors[0] == colors[2] != colors[1], "one id, one color"
    png(figure)


def test_small_lookup_shows_its_numbers():
    figure = lookup([[0.5, -1], [2, 3]], [1], [b"\xff"])
    assert {"0.5", "-1"} <= set(words(figure))
    assert words(figure).count("2") == 2, "in the table and in the picked row"
    png(figure)


def test_lookup_of_nothing():
    png(lookup(np.ones((3, 2)), [], ""))


@pytest.mark.parametrize("idx", [-1, 3])
def test_lookup_refuses_an_id_without_a_row(idx):
    with pytest.raises(IndexError, match=f"id {idx} has no row: the table has rows 0 to 2"):
        lookup(np.zeros((3, 2)), [idx], "a")


def test_lookup_needs_a_label_for_each_id():
    with pytest.raises(ValueError, match="shorter"):
        lookup(np.ones((3, 2)), [1, 2], "a")


def test_bytes_of_three_encodings():
    codecs = {"UTF-8": "utf-8", "UTF-16": "utf-16-le", "UTF-32": "utf-32-le"}
    figure = plots.draw_bytes(SAMPLE, codecs, title="TITLE")
    cells = [text for text in figure.axes[0].texts if len(text.get_text()) == 2]
    shown = sorted(text.get_text() for text in cells)
    expected = [f"{byte:02x}" for codec in codecs.values() for byte in SAMPLE.encode(codec)]
    assert shown == sorted(expected)
    zeros = {text.get_color() for text in cells if text.get_text() == "00"}
    assert zeros == {plots.QUIET}
    grays = [box for box in figure.axes[0].patches if len(set(box.get_facecolor()[:3])) == 1]
    assert len(grays) == expected.count("00")
    assert len(figure.axes[0].patches) == len(expected)
    assert {"UTF-8", "UTF-16", "UTF-32", "안", "␣", "🤗", "TITLE"} <= set(words(figure))
    png(figure)


def test_bytes_stand_in_the_column_of_their_character_from_top_to_bottom():
    figure = plots.draw_bytes("aé", {"x": "utf-8"})
    cells = {
        text.get_text(): (int(text.get_position()[0]), int(text.get_position()[1]))
        for text in figure.axes[0].texts
        if len(text.get_text()) == 2
    }
    assert cells == {"61": (0, 0), "c3": (1, 0), "a9": (1, 1)}


@pytest.mark.parametrize("text", ["", "x" * 25])
def test_bytes_refuse_what_nobody_could_read(text):
    with pytest.raises(ValueError, match=f"text has {len(text)} characters: 1 to 24"):
        plots.draw_bytes(text, {"UTF-8": "utf-8"})


TEXTS = {
    "article": datasets.article,
    "paragraph": datasets.paragraph,
    "Korean": lambda: "".join(datasets.messages("ko")),
    "code": lambda: datasets.python_code(20_000),
    "dollars": lambda: r"$a$ $b$ x_{1} $$\frac cd$$ % # & e^x " * 20,
}


@pytest.mark.parametrize("name", TEXTS)
def test_forest_shows_each_merge_and_nothing_overlaps(name):
    merges = train(TEXTS[name]()[:20_000], 276)
    vocab = build_vocab(merges)
    figure = plots.draw_forest(merges, vocab, title="TITLE")
    png(figure)
    (axes,) = figure.axes
    shown = {text.get_text() for text in axes.texts}
    assert {f"{plots.printable(vocab[idx])}\n{idx}" for idx in merges.values()} <= shown
    bounds = axes.get_window_extent()
    boxes = [text.get_window_extent() for text in axes.texts]
    for box in boxes:
        assert bounds.x0 <= box.x0 and box.x1 <= bounds.x1
        assert bounds.y0 <= box.y0 and box.y1 <= bounds.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_forest_has_a_tree_for_each_token_that_no_merge_uses():
    merges = {(97, 97): 256, (256, 97): 257, (257, 98): 258, (99, 100): 259}
    figure = plots.draw_forest(merges, build_vocab(merges))
    assert sorted(words(figure)) == sorted(
        ["aaab\n258", "aaa\n257", "aa\n256", "a", "a", "a", "b", "cd\n259", "c", "d"]
    )
    roots = [
        text.get_text()
        for text in figure.axes[0].texts
        if text.get_bbox_patch().get_edgecolor() == plots.matplotlib.colors.to_rgba(plots.COLORS[0])
    ]
    assert roots == ["aaab\n258", "cd\n259"]
    assert len(figure.axes[0].lines) == 2 * 4, "two branches a merge"


def test_forest_grows_wider_than_the_page_before_letters_meet():
    merges = train("the quick brown fox jumps over the lazy dog, and the dog sleeps" * 2, 300)
    figure = plots.draw_forest(merges, build_vocab(merges))
    assert figure.get_figwidth() > plots.WIDTH
    png(figure)


def test_forest_of_nothing():
    with pytest.raises(ValueError, match="merges is empty"):
        plots.draw_forest({}, build_vocab({}))


def test_curve_shows_the_points_and_names_the_lines():
    series = {"English": [(256, 1.0), (512, 1.5)], "中文 $": [(256, 1.0), (512, 1.51)]}
    figure = plots.draw_curve(series, xlabel="X", ylabel="Y", title="TITLE", log_x=True)
    png(figure)
    (axes,) = figure.axes
    drawn = {line.get_label(): list(zip(*line.get_data())) for line in axes.lines}
    assert drawn == series
    assert sorted(words(figure)) == ["English", "TITLE", "X", "Y", "中文 $"]
    one, other = (text.get_window_extent() for text in axes.texts)
    assert not one.overlaps(other)
    assert "512" in [tick.get_text() for tick in axes.get_xticklabels()]


def test_curve_marks_thousands():
    figure = plots.draw_curve({"a": iter([(0, 0), (20_000, 0.5)])}, xlabel="X", ylabel="Y")
    png(figure)
    assert "20,000" in [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
