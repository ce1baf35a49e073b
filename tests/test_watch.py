"""Beside the ladder: the viewer shows what training does, and steps without a kernel."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Watched, open_browser
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Locator, Page, expect

from bpe.pairs import get_stats
from bpe.training import train
from bpe.watch import LABELS, MAX_BYTES, MAX_MERGES, watch_merges

TEXTS = [
    "aaabdaaabac",
    "ABABCABCD",
    "low lower lowest dark darker darkest high higher highest",
    "한국어 한국 👋 한국",
    "aaaaaaa",
    "</script><!-- <b>&amp;</b> </script>",
    "$a$ $a$\n\t$a$\n",
]


def stored(view) -> dict:
    """What a browser's script gets to read."""
    found = re.search(
        r'<script type="application/json".*?>(.*?)</script>', view._repr_html_(), re.S
    )
    return json.loads(found[1])


def replay(data: dict) -> Iterator[list[int]]:
    """The sequence after each step, made from the stored places as the script does."""
    tokens = list(enumerate(data["start"]))
    yield [idx for _, idx in tokens]
    for step in data["steps"]:
        after = []
        while tokens:
            offset, idx = tokens.pop(0)
            if offset in step["at"]:
                tokens.pop(0)
                idx = step["idx"]
            after.append((offset, idx))
        tokens = after
        yield [idx for _, idx in tokens]


@pytest.mark.parametrize("ties", ["first", "smallest"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_viewer_shows_what_training_learns(text, ties):
    view = watch_merges(text, 6, ties)
    data = stored(view)
    learned = {tuple(step["pair"]): step["idx"] for step in data["steps"]}
    assert learned == train(text, 256 + len(learned), ties=ties)
    assert list(replay(data)) == view.sequences


@given(st.text("ab \n한é", min_size=2, max_size=30), st.sampled_from(["first", "smallest"]))
def test_counts_places_and_ends_agree(text, ties):
    view = watch_merges(text, 40, ties)
    data = view.data()
    assert list(replay(data)) == view.sequences
    assert len(data["tables"]) == len(data["steps"]) + 1
    for ids, table, step in zip(view.sequences, data["tables"], data["steps"]):
        stats = get_stats(ids)
        assert {(a, b): count for a, b, count, _ in table["rows"]}.items() <= stats.items()
        assert table["pairs"] == len(stats)
        assert table["rows"][0] == [*step["pair"], step["count"], len(step["at"])]
        assert step["rivals"] == sum(n == step["count"] for n in stats.values()) - 1
    assert data["end"] == "none" and len(view.sequences[-1]) == 1


def test_overlaps_are_told_apart_from_replacements():
    rows = watch_merges("aaabdaaabac").data()["tables"][0]["rows"]
    assert rows[0] == [97, 97, 4, 2]


@pytest.mark.parametrize(
    "text, num_merges, steps, end",
    [("aaabdaaabac", None, 3, "once"), ("aaabdaaabac", 2, 2, "asked"), ("aaab", 9, 3, "none")],
)
def test_it_stops_and_says_why(text, num_merges, steps, end):
    view = watch_merges(text, num_merges)
    assert (len(view.steps), view.data()["end"]) == (steps, end)


@pytest.mark.parametrize(
    "text, num_merges, ties, message",
    [
        ("", None, "first", "'' has 0 bytes, and a pair needs two"),
        ("a", 3, "first", "'a' has 1 byte, and a pair needs two"),
        ("abc", None, "first", "no pair occurs twice in 'abc': give num_merges"),
        ("é" * 201, None, "first", "402 bytes, .* 400 at most: .*bpe.training.train"),
        ("aa", 0, "first", "num_merges=0: the viewer shows 1 to 200"),
        ("aa", MAX_MERGES + 1, "first", "num_merges=201"),
        ("aa", 1, "loudest", "ties='loudest' is not a rule"),
    ],
)
def test_what_cannot_be_watched_says_the_way_out(text, num_merges, ties, message):
    with pytest.raises(ValueError, match=message):
        watch_merges(text, num_merges, ties)


def test_the_longest_text_and_most_merges_fit():
    text = "".join(chr(97 + i * i % 26) for i in range(MAX_BYTES))
    view = watch_merges(text, MAX_MERGES)
    assert len(view._repr_html_()) < 250_000


def test_lone_surrogates_are_replaced_as_everywhere():
    assert "�" in str(watch_merges("\ud800\ud800", 2))


def test_the_html_is_safe_alone_and_the_same_every_time():
    view = watch_merges(TEXTS[5], 5)
    source = view._repr_html_()
    assert source == watch_merges(TEXTS[5], 5)._repr_html_()
    assert source.count("</script>") == 2, "the data's and the script's own"
    static = source.split("<script")[0]
    assert "<b>" not in static and escape(view._rows()[1][-1]) in static
    assert not re.search(r"url\(|@import|<link|\bid=|\bsrc=", source)
    assert set(re.findall(r"https?://\S+?\"", source)) <= {'http://www.w3.org/2000/svg"'}


def test_no_rule_of_the_style_sheet_leaks():
    css = files("bpe").joinpath("static/watch.css").read_text(encoding="utf-8")
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    css = re.sub(r"@media[^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}", r"\1", css)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", css):
        for selector in re.sub(r"\([^()]*\)", "", selectors).split(","):
            assert selector.strip().startswith(".bpe-watch"), selector


def test_every_word_is_a_label_and_every_label_is_used():
    script = files("bpe").joinpath("static/watch.js").read_text(encoding="utf-8")
    assert set(re.findall(r'\b(?:say|fill|section)\("(\w+)"', script)) <= set(LABELS)
    view = watch_merges("aaab", 2, labels={key: f"<{key}>" for key in LABELS})
    assert {key: f"<{key}>" for key in LABELS} == stored(view)["labels"]
    assert 'aria-label="&lt;title&gt;"' in view._repr_html_()
    assert str(view).startswith("<col_step>")


def test_as_text_it_is_a_table():
    view = watch_merges("aaab", 1)
    assert str(view).splitlines()[1].split() == ["1", "(97,", "97)", "256", "aa", "2", "1", "3",
                                                 "|aa|a|b|"]  # fmt: skip
    assert repr(view) == "<MergeView of 1 merges>"


def test_importing_is_light():
    code = "import sys, bpe.watch; print('numpy' in sys.modules or 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with three viewers, two of them of the same text."""
    views = [watch_merges(TEXTS[0]), watch_merges(TEXTS[0]), watch_merges(TEXTS[3] + "\n<b>", 9)]
    path = tmp_path_factory.mktemp("watch") / "page.html"
    path.write_text(
        '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Test</title><main><h1>Test</h1>'
        f"{''.join(view._repr_html_() for view in views)}</main></html>",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def watched(browser: Browser, file: Path) -> Iterator[Watched]:
    watched = Watched(browser, file.as_uri(), viewport={"width": 1000, "height": 900})
    watched.page.goto(file.as_uri())
    yield watched
    watched.page.close()
    assert watched.errors == [] and watched.foreign == []


@pytest.fixture
def page(watched: Watched) -> Page:
    return watched.page


def viewer(page: Page, i: int) -> Locator:
    return page.locator(".bpe-watch").nth(i)


def press(root: Locator, action: str) -> None:
    root.locator(f"[data-action={action}]").click()


def tokens(root: Locator) -> list[str]:
    return root.locator(".bpe-watch-line bdi").all_inner_texts()


def steps(page: Page) -> list[str | None]:
    return [each.get_attribute("data-step") for each in page.locator(".bpe-watch").all()]


def test_buttons_step_and_viewers_do_not_disturb_each_other(page: Page):
    first = viewer(page, 0)
    assert first.get_attribute("data-steps") == "3"
    assert steps(page) == ["0", "0", "0"]
    press(first, "next")
    press(first, "next")
    assert steps(page) == ["2", "0", "0"]
    assert tokens(first) == ["aaa", "b", "d", "aaa", "b", "a", "c"]
    assert "(256, 97) → 257 “aaa”" in first.inner_text()
    press(first, "prev")
    assert tokens(first) == ["aa", "a", "b", "d", "aa", "a", "b", "a", "c"]
    assert "2 pairs share this count" in first.inner_text()
    assert first.locator(".bpe-watch-line .bpe-watch-pair").count() == 2
    press(viewer(page, 1), "last")
    assert steps(page) == ["1", "3", "0"]
    press(first, "first")
    assert tokens(first) == list("aaabdaaabac")
    expect(first.locator("[data-action=prev]")).to_have_attribute("aria-disabled", "true")


def test_every_step_shows_the_sequence_that_python_computed(page: Page):
    view = watch_merges(TEXTS[3] + "\n<b>", 9)
    names = view.data()["names"]
    root = viewer(page, 2)
    for k, ids in enumerate(view.sequences):
        assert root.get_attribute("data-step") == str(k)
        assert tokens(root) == [names[idx] for idx in ids]
        if k < len(view.steps):
            press(root, "next")


def test_keys_slider_and_list_step_too(page: Page):
    root = viewer(page, 0)
    root.focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(root.get_attribute("data-step"))
    assert seen == ["1", "2", "1", "3", "3", "0", "0"]
    root.locator("input").fill("2")
    assert root.get_attribute("data-step") == "2"
    expect(root.locator("input")).to_have_attribute("aria-valuetext", "step 2 of 3")
    root.locator("[data-jump='3']").click()
    expect(root.locator("[aria-current=step]")).to_contain_text("aaab")
    expect(root.locator("[aria-live]")).to_contain_text("step 3 of 3. Learned: (257, 98) → 258")


def test_it_plays_and_pauses(page: Page):
    page.clock.install()
    page.reload()
    root = viewer(page, 0)
    press(root, "play")
    expect(root.locator("[data-action=play]")).to_have_attribute("aria-label", LABELS["pause"])
    page.clock.run_for(1500)
    assert root.get_attribute("data-step") == "2"
    press(root, "play")
    page.clock.run_for(5000)
    assert root.get_attribute("data-step") == "2"
    press(root, "play")
    page.clock.run_for(5000)
    assert root.get_attribute("data-step") == "3"
    expect(root.locator("[data-action=play]")).to_have_attribute("aria-label", LABELS["play"])


def test_the_page_below_does_not_jump_up_when_the_text_gets_shorter(page: Page):
    root = viewer(page, 2)
    highest = root.bounding_box()["height"]
    while root.get_attribute("data-step") != root.get_attribute("data-steps"):
        press(root, "next")
        height = root.bounding_box()["height"]
        assert height > highest - 1, "one pixel of rounding"
        highest = max(highest, height)


def test_nothing_moves_for_readers_who_want_calm(page: Page):
    root = viewer(page, 0)
    running = "document.getAnimations().filter(a => !(a instanceof CSSTransition)).length"
    press(root, "next")
    assert page.evaluate(running) > 0
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_timeout(450)
    press(root, "next")
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("theme, width", [("light", 1000), ("dark", 390)])
def test_no_violation_of_accessibility_and_nothing_hangs_over(page: Page, theme: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.evaluate(f"document.body.style.background = '{'#121212' if theme == 'dark' else '#fff'}'")
    page.locator("h1").evaluate(f"e => e.style.color = '{'#fff' if theme == 'dark' else '#000'}'")
    page.emulate_media(reduced_motion="reduce")
    for action in ("next", "last"):
        for root in page.locator(".bpe-watch").all():
            press(root, action)
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    colors = page.evaluate("getComputedStyle(document.querySelector('.bpe-watch')).colorScheme")
    assert colors == theme


def test_without_scripts_a_table_remains(browser: Browser, file: Path):
    page = browser.new_page(java_script_enabled=False)
    page.goto(file.as_uri())
    assert page.locator(".bpe-watch table:visible").count() == 3
    assert page.locator(".bpe-watch button").count() == 0
    page.close()


def test_the_table_unfolds_and_is_printed(page: Page):
    root = viewer(page, 0)
    table = root.locator(".bpe-watch-static")
    expect(table).to_be_hidden()
    root.locator("summary").click()
    expect(table).to_be_visible()
    page.emulate_media(media="print")
    expect(viewer(page, 1).locator(".bpe-watch-static")).to_be_visible()
    expect(viewer(page, 1).locator("[data-action=next]")).to_be_hidden()
