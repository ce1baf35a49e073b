"""The built book in a real browser: every page, in light and dark, wide and on a phone.

`make test` builds the book first. The pages are read from disk (file://), the harder case: a static
host serves the same files.
"""

from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Watched, open_browser
from playwright.sync_api import Browser

from course import ROOT, WRITTEN, notebook

PAGES = ROOT / "_build" / "html"
HTML = sorted({*PAGES.glob("*.html"), *PAGES.glob("chapters/*.html")})
CHAPTER_PAGES = [PAGES / "chapters" / f"{name}.html" for name in WRITTEN]
# genindex and search are the theme's; they are read by the link check and the search test.
READ = [PAGES / "index.html", *CHAPTER_PAGES, PAGES / "glossary.html", PAGES / "references.html"]
READ += [PAGES / "claims.html", PAGES / "teaching.html"]


def name_of(path: Path) -> str:
    return path.relative_to(PAGES).with_suffix("").as_posix()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    watched = Watched(browser, PAGES.as_uri(), viewport={"width": 1280, "height": 900})
    yield watched
    watched.page.close()


def test_the_book_has_been_built() -> None:
    assert (PAGES / "index.html").exists(), "run: make book"
    for path in CHAPTER_PAGES:
        assert path.exists(), f"{path} is missing: run make book"


# --- what can be read without a browser -----------------------------------------------------------


class Links(HTMLParser):
    """The ids of a page, and what it points to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.ids.add(found.get("id") or "")
        self.ids.add(found.get("name") or "")
        for key in ("href", "src"):
            if found.get(key) and not found[key].startswith("data:"):
                self.targets.append(found[key])


@pytest.fixture(scope="module")
def links() -> dict[Path, Links]:
    return {path: Links(path) for path in HTML}


def test_no_broken_link_or_picture(links: dict[Path, Links]) -> None:
    broken = []
    for path, page in links.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.exists():
                broken.append(f"{name_of(path)}: {target}")
            elif parts.fragment and file in links and file.suffix == ".html":
                if unquote(parts.fragment) not in links[file].ids:
                    broken.append(f"{name_of(path)}: {target} (no such place)")
    assert links and not broken, "\n".join(broken)


def test_pages_load_nothing_from_other_hosts(links: dict[Path, Links]) -> None:
    for path in HTML:
        for line in path.read_text("utf-8").splitlines():
            if "<script" in line or "<link" in line or "<img" in line:
                assert 'src="http' not in line and 'src="//' not in line, line
                assert '<link rel="stylesheet" href="http' not in line, line


@pytest.mark.parametrize("name", WRITTEN)
def test_page_offers_its_notebook_without_solutions(name: str, links: dict[Path, Links]) -> None:
    path = PAGES / "chapters" / f"{name}.html"
    assert f"../notebooks/{name}.ipynb" in links[path].targets
    offered = nbformat.read(PAGES / "notebooks" / f"{name}.ipynb", as_version=4)
    nbformat.validate(offered)
    text = nbformat.writes(offered)
    assert "BEGIN SOLUTION" not in text and "HIDDEN TESTS" not in text
    assert len(offered.cells) < len(notebook(ROOT / "chapters" / f"{name}.ipynb").cells)


def test_no_page_or_file_gives_hidden_checks_away() -> None:
    for path in PAGES.rglob("*"):
        if path.suffix in {".html", ".js", ".ipynb", ".txt", ".md"} and "vendor" not in path.parts:
            assert "HIDDEN TESTS" not in path.read_text("utf-8", errors="ignore"), path


# --- what needs one -------------------------------------------------------------------------------


# Most of a page's elements are the colored words of its code, and their contrast takes most of the
# time. One word of each color is enough, in each kind of box: the others become plain text.
ONE_OF_EACH_KIND = """
    const seen = new Set();
    for (const word of document.querySelectorAll(".highlight span[class]")) {
        const boxes = [word.closest("[class*=cell_]"), word.closest(".admonition, details")];
        const kind = [word, ...boxes].map(each => each?.className).join("|");
        if (seen.has(kind) && !word.children.length) word.replaceWith(word.textContent);
        seen.add(kind);
    }
"""


@pytest.mark.parametrize("path", READ, ids=name_of)
class TestPage:
    def test_loads_without_errors_and_alone(self, path: Path, watched: Watched) -> None:
        watched.page.goto(path.as_uri())
        watched.page.wait_for_load_state("networkidle")
        assert watched.errors == [] and watched.foreign == []
        broken = watched.page.evaluate(
            "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        )
        assert broken == []

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_no_serious_violation_of_accessibility(
        self, path: Path, theme: str, watched: Watched
    ) -> None:
        watched.page.goto(path.as_uri())
        watched.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        watched.page.evaluate(ONE_OF_EACH_KIND)
        watched.page.wait_for_timeout(400)  # colours fade from one theme to the other
        options = {"resultTypes": ["violations"]}
        if theme == "dark":  # nothing but the colours is different
            options["runOnly"] = ["color-contrast"]
        found = Axe().run(watched.page, options=options).response
        serious = [
            f"{violation['id']}: {node['target']} {node['html'][:160]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
        assert not serious, "\n".join(serious)

    def test_fits_a_phone(self, path: Path, watched: Watched) -> None:
        watched.page.set_viewport_size({"width": 390, "height": 844})
        watched.page.goto(path.as_uri())
        watched.page.wait_for_load_state("networkidle")
        width = watched.page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= 390, f"the page is {width} pixels wide"
        hanging_over = watched.page.evaluate(
            """[...document.querySelectorAll('.bd-article img, .bd-article p, .bd-article li')]
            .filter(e => e.getBoundingClientRect().right > 391)
            .filter(e => !e.closest("pre, table, .cell_output"))
            .map(e => e.outerHTML.slice(0, 120))"""
        )
        assert hanging_over == []


def diagrams() -> list[Path]:
    return [path for path in READ if path.exists() and 'class="mermaid"' in path.read_text("utf-8")]


@pytest.mark.parametrize("path", diagrams(), ids=name_of)
def test_diagrams_are_drawn(path: Path, watched: Watched) -> None:
    watched.page.goto(path.as_uri())
    wanted = watched.page.locator("pre.mermaid").count()
    assert wanted
    watched.page.wait_for_function(
        "n => document.querySelectorAll('pre.mermaid > svg').length === n", arg=wanted
    )
    assert watched.errors == []
    assert "Syntax error" not in " ".join(watched.page.locator("pre.mermaid").all_inner_texts())


def formulas() -> list[Path]:
    return [path for path in READ if path.exists() and 'class="math' in path.read_text("utf-8")]


@pytest.mark.parametrize("path", formulas(), ids=name_of)
def test_formulas_are_set(path: Path, watched: Watched) -> None:
    watched.page.goto(path.as_uri())
    watched.page.wait_for_selector("mjx-container svg", state="attached")
    assert watched.errors == []


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """The book on a static host."""
    handler = partial(SimpleHTTPRequestHandler, directory=PAGES)
    handler.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("word", ["surrogate", "overlap"])
def test_search_finds_a_word(word: str, browser: Browser, host: str) -> None:
    watched = Watched(browser, host)
    watched.page.goto(f"{host}/search.html?q={word}")
    watched.page.wait_for_selector("ul.search li a")
    watched.page.wait_for_load_state("networkidle")
    found = [link.get_attribute("href") for link in watched.page.locator("ul.search li a").all()]
    assert any("chapters/" in link for link in found)
    assert watched.errors == [] and watched.foreign == []
    watched.page.close()


def test_search_works_from_disk(watched: Watched) -> None:
    """A browser does not let a page on disk read another one: no summaries, but results."""
    watched.page.goto((PAGES / "search.html").as_uri() + "?q=surrogate")
    watched.page.wait_for_selector("ul.search li a[href*='chapters/']")
    assert watched.foreign == []


def test_merge_viewer_steps_forward_and_back(watched: Watched) -> None:
    page = watched.page
    page.goto((PAGES / "chapters" / "03-pairs.html").as_uri())
    viewer = page.locator(".bpe-watch").first
    viewer.scroll_into_view_if_needed()

    def at() -> int:
        return int(viewer.get_attribute("data-step"))

    def tokens() -> list[str]:
        return viewer.locator(".bpe-watch-line bdi").all_inner_texts()

    steps = int(viewer.get_attribute("data-steps"))
    assert steps >= 3
    start, before = at(), tokens()
    viewer.locator("[data-action=next]").click()
    assert at() == start + 1 and len(tokens()) < len(before)
    viewer.locator("[data-action=prev]").click()
    assert at() == start and tokens() == before
    viewer.locator("[data-action=last]").click()
    assert at() == steps
    viewer.locator("[data-action=first]").click()
    assert at() == 0
    assert watched.errors == []


def test_merge_viewers_of_one_page_do_not_disturb_each_other(watched: Watched) -> None:
    page = watched.page
    page.goto((PAGES / "chapters" / "03-pairs.html").as_uri())
    viewers = page.locator(".bpe-watch")
    assert viewers.count() >= 2
    other = viewers.nth(1).get_attribute("data-step")
    viewers.nth(0).locator("[data-action=last]").click()
    assert viewers.nth(1).get_attribute("data-step") == other


def test_solutions_are_folded_until_asked_for(watched: Watched) -> None:
    watched.page.goto((PAGES / "chapters" / "03-pairs.html").as_uri())
    solutions = watched.page.locator(".solution.dropdown, .solution .toggle, details.solution")
    assert solutions.count() >= 3
    code = watched.page.locator(".solution pre").first
    assert not code.is_visible()
    watched.page.locator(".solution .toggle-button, .solution summary").first.click()
    code.wait_for(state="visible")


def test_reader_can_go_from_page_to_page(watched: Watched) -> None:
    watched.page.goto(CHAPTER_PAGES[0].as_uri())
    seen = [CHAPTER_PAGES[0].stem]
    for _ in CHAPTER_PAGES[1:]:
        watched.page.locator("a.right-next").click()
        watched.page.wait_for_load_state()
        seen.append(Path(urlsplit(watched.page.url).path).stem)
    assert seen == WRITTEN


def test_code_can_be_copied(watched: Watched) -> None:
    watched.page.goto(CHAPTER_PAGES[1].as_uri())
    watched.page.wait_for_selector(".cell_input button.copybtn", state="attached")
    cells = watched.page.locator(".cell_input .highlight").count()
    assert watched.page.locator(".cell_input button.copybtn").count() == cells
