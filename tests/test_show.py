"""Beside the ladder: colored tokens keep characters whole, mark the unseen, stay readable."""

import html
import itertools
import math
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe.show import LABELS, N_COLORS, group_tokens, printable, show_tokens

FAMILY = "👨\u200d👩\u200d👧"


class Reader(HTMLParser):
    """What a browser makes of the box view: its text, and the colors of the tokens in order."""

    def __init__(self, source: str):
        super().__init__()
        self.inside = False
        self.text = ""
        self.colors: list[str] = []
        self.attributes: list[dict[str, str]] = []
        self.tags: set[str] = set()
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        classes = attributes.get("class", "").split()
        self.inside = self.inside or "bpe-tokens" in classes
        self.attributes.append(attributes)
        self.colors += [each for each in classes if re.fullmatch(r"bpe-c\d", each)]

    def handle_data(self, data):
        self.text += data if self.inside else ""


def read(pieces, ids=None) -> Reader:
    return Reader(show_tokens(pieces, ids)._repr_html_())


def bytes_of(text: str) -> list[bytes]:
    return [bytes([byte]) for byte in text.encode()]


@pytest.mark.parametrize("text", ["한", FAMILY, "e\u0301", "🇰🇷", "\r\n", "नि"])
def test_a_split_character_is_one_group(text):
    pieces = [b"<", *bytes_of(text), b">"]
    groups = list(group_tokens(pieces))
    assert [group.text for group in groups] == ["<", text, ">"]
    assert groups[1][:2] == (1, len(pieces) - 1)
    n = len(pieces) - 2
    view = show_tokens(pieces)
    assert f"({n} tokens)|" in str(view).replace("\n", "")
    assert f'aria-label="{n} tokens: ' in view._repr_html_()
    assert len(read(pieces).colors) == len(pieces), "every token keeps a box of its own"


def test_characters_split_at_the_level_of_text_are_groups_too():
    assert str(show_tokens(["e", "\u0301", "!"])) == "|é(2 tokens)|!|".replace("é", "e\u0301")
    assert str(show_tokens([" ", "\u0301"])) == "|␣\u0301(2 tokens)|"


def test_a_token_may_hold_a_letter_and_a_part_of_the_next():
    assert str(show_tokens([b" \xed\x95", b"\x9c", b"a"])) == "|␣한(2 tokens)|a|"


def test_ids_stand_beneath_their_tokens():
    reader = read(["a", *bytes_of("é")], [7, 195, 169])
    assert "7" in [each.get("data-id") for each in reader.attributes]
    parts = [each for each in reader.attributes if each.get("class", "").startswith("bpe-p ")]
    marks = [each["data-m"] for each in parts]
    assert marks == ["195", "169"]
    assert str(show_tokens(["a", *bytes_of("é")], [7, 195, 169])) == "|a(7)|é(195 169)|"


def test_bytes_that_are_no_character_are_shown_in_hexadecimal():
    assert str(show_tokens([b"\xff", b"a\x80", b"\xf0\x9f"])) == r"|\xff|a\x80|\xf0\x9f|"
    assert read([b"\xff"]).text == r"\xff"


def test_spaces_and_newlines_are_visible_and_newlines_break_the_line():
    assert str(show_tokens([" a", "\n", "\tb"])) == "|␣a|⏎\n|→b|"
    source = show_tokens([" a", "\n", "\tb"])._repr_html_()
    assert all(f'data-m="{mark}"' in source for mark in "␣⏎→")
    assert source.count('class="bpe-br"') == 1


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n <&\u202e")))
def test_copying_gives_the_text_itself(text):
    assert read(text).text == text
    assert read(bytes_of(text)).text == text


@given(st.lists(st.binary(max_size=4) | st.text(max_size=3)))
def test_any_tokens_can_be_shown_and_neighbors_differ_in_color(pieces):
    reader = read(pieces)
    assert len(reader.colors) == len(pieces)
    assert all(a != b for a, b in itertools.pairwise(reader.colors))
    view = show_tokens(pieces, range(len(pieces)))
    groups = view.groups
    assert [(g.first, g.last) for g in groups] == [
        (a, b) for a, b in itertools.pairwise([0, *(g.last for g in groups)])
    ], "the groups lie end to end"
    assert not pieces or groups[-1].last == len(pieces)
    colors = re.findall(r"48;5;(\d+)m", view.ansi())
    assert all(a != b for a, b in itertools.pairwise(colors))
    plain = str(view).replace("\n", "")
    assert not any(ord(char) < 32 for char in plain), "nothing that moves a terminal's cursor"


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", '"><img src=x>', "&amp;", "'", "</style>", "</span>"]
)
def test_a_token_cannot_leave_its_box(evil):
    reader = read([evil, *bytes_of(evil)], range(1 + len(evil)))
    assert reader.text == evil * 2
    assert reader.tags <= {"style", "div", "span", "pre"}
    labels = {"space": evil, "tokens": evil + "{n}"}
    source = show_tokens([" ", *bytes_of("é")], labels=labels)._repr_html_()
    assert Reader(source).tags <= {"style", "div", "span", "pre"}


def test_control_and_direction_characters_are_shown_and_isolated():
    assert printable("\x1b[31m\x00\u202e\ufeff") == r"\x1b[31m\x00U+202EU+FEFF"
    source = show_tokens(["\x1b[31m", "\u202eabc", "مر"])._repr_html_()
    assert "\x1b" not in source and 'dir="ltr"' in source
    css = files("bpe").joinpath("static/show.css").read_text(encoding="utf-8")
    assert css.count("unicode-bidi: isolate") == 2


def test_the_html_is_the_same_every_time_and_asks_for_nothing():
    pieces = bytes_of(f"Hello, {FAMILY}!\n")
    source = show_tokens(pieces)._repr_html_()
    assert source == show_tokens(pieces)._repr_html_()
    assert not re.search(r"url\(|https?:|@import|<link|\bid=", source)
    css = files("bpe").joinpath("static/show.css").read_text(encoding="utf-8")
    selectors = re.findall(r"^([^@{}\n]+?) \{", css, re.MULTILINE)
    assert all(".bpe-" in selector for selector in selectors)


def test_without_a_style_sheet_the_plain_text_remains():
    source = show_tokens(["he", "llo"])._repr_html_()
    assert '<pre class="bpe-plain">|he|llo|</pre>' in source
    assert re.search(r'<div class="bpe-tokens[^>]* hidden ', source)


def test_no_tokens_and_empty_tokens():
    assert (
        str(show_tokens([]))
        == LABELS["no tokens"]
        == html.unescape(re.sub("<.*?>", "", show_tokens([])._repr_html_()))
    )
    assert show_tokens([]).ansi() == LABELS["no tokens"]
    assert str(show_tokens([b"", "a", ""])) == "||a||"


def test_one_string_or_bytes_object_is_taken_apart():
    assert str(show_tokens("ab")) == str(show_tokens(b"ab")) == "|a|b|"


@pytest.mark.parametrize(
    "pieces, ids, message",
    [
        ([1], None, r"pieces\[0\] is 1: .*vocab\[idx\]"),
        (["a", None], None, r"pieces\[1\] is None"),
        (["a", "b"], [1], "2 pieces but 1 ids"),
    ],
)
def test_what_cannot_be_shown_is_named(pieces, ids, message):
    with pytest.raises(ValueError, match=message):
        show_tokens(pieces, ids)


def test_words_of_a_translation_reach_the_page():
    labels = {"space": "Leerzeichen", "tokens": "{n} Stück"}
    view = show_tokens([" ", *bytes_of("é")], labels=labels)
    assert 'aria-label="Leerzeichen"' in view._repr_html_()
    assert str(view) == "|␣|é(2 Stück)|"


def test_terminal_and_notebook_ask_for_text():
    class Printer:
        said = ""

        def text(self, text):
            self.said += text

    printer = Printer()
    view = show_tokens(["a", "b"])
    view._repr_pretty_(printer, False)
    assert printer.said == str(view) == "|a|b|"
    assert repr(view) == "<TokenView of 2 tokens>"
    assert view.ansi().count("\x1b[0m") == 2


def test_ten_thousand_tokens_are_fast():
    pieces = [" tok", "한", "👋".encode()[:2], "👋".encode()[2:]] * 2500
    start = time.perf_counter()
    source = show_tokens(pieces, range(10_000))._repr_html_()
    assert time.perf_counter() - start < 3
    assert source.count('role="listitem"') == 7500


def test_importing_is_light():
    code = "import sys, bpe.show; print('numpy' in sys.modules or 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- colors, measured

COLORS = {
    name: pair
    for name, *pair in re.findall(
        r"--bpe-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)",
        files("bpe").joinpath("static/colors.css").read_text(encoding="utf-8"),
    )
}
# How the colors look to readers without one of the three kinds of cones (Machado et al. 2009).
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(color: str) -> list[float]:
    values = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def dot(a, b) -> float:
    return sum(x * y for x, y in zip(a, b))


def contrast(a: str, b: str) -> float:
    low, high = sorted(dot((0.2126, 0.7152, 0.0722), linear(color)) for color in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(rgb) -> tuple[float, float, float]:
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (max(dot(row, rgb), 0) / white for row, white in zip(rows, (0.9505, 1, 1.089)))
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(mode):
    page, ink = COLORS["page"][mode], COLORS["ink"][mode]
    grounds = [page, COLORS["shade"][mode], *(COLORS[f"fill-{i}"][mode] for i in range(N_COLORS))]
    assert all(contrast(ink, ground) >= 4.5 for ground in grounds)
    assert contrast(COLORS["soft"][mode], page) >= 4.5
    lines = [COLORS["line"][mode], *(COLORS[f"line-{i}"][mode] for i in range(N_COLORS))]
    assert all(contrast(line, page) >= 3 for line in lines), "borders carry the meaning of color"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_neighbors_differ_for_every_kind_of_eye(mode, eye):
    seen = [
        lab([dot(row, linear(COLORS[f"fill-{i}"][mode])) for row in EYES[eye]])
        for i in range(N_COLORS)
    ]
    for i, color in enumerate(seen):
        assert math.dist(color, seen[(i + 1) % N_COLORS]) > 15, (i, eye)
