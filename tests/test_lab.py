"""JupyterLab, in a real browser: the chapters open, render their MyST, and run to the end."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Watched, open_browser
from playwright.sync_api import Browser, Page

from course import ROOT, WRITTEN, notebook

SECONDS = 120  # for one chapter


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab on a copy of the chapters, so that nothing here is changed."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "chapters", folder / "chapters")
    shutil.copy(ROOT / "pyproject.toml", folder)  # jupytext's settings
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", f"--port={port}"]
    command += ["--allow-root", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
    command += ["--LabApp.expose_app_in_browser=True"]  # so that the tests can ask the model
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(folder / "config"), "BPE_PROGRESS": "off"}
    log = (folder / "log.txt").open("w")
    server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    home = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{home}/api/status").close()
                break
            except OSError:
                assert server.poll() is None, Path(log.name).read_text()
                time.sleep(0.25)
        yield home
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:  # it waits for a kernel: the test is over all the same
            server.kill()
            server.wait()
        log.close()


def open_notebook(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
    for button in page.locator("dialog.jp-Dialog button.jp-mod-accept").all():
        button.click()


STATE = """() => {
    const panel = window.jupyterapp?.shell.currentWidget;
    return (panel?.content.widgets ?? []).filter(w => w.model.type === 'code').map(w => ({
        count: w.model.executionCount,
        state: w.model.executionState,
        errors: w.model.outputs.toJSON()
            .filter(o => o.output_type === 'error').map(o => o.evalue),
    }))}"""


def run_all(page: Page, cells: int) -> list[dict]:
    """Restart the kernel, run every cell, and return what the code cells say in the end.

    The model is asked, not the page: cells out of sight are not drawn.
    """
    deadline = time.monotonic() + SECONDS
    counts: list[int | None] = []
    while time.monotonic() < deadline:
        page.click("text=Run >> nth=0")
        page.click("text=Restart Kernel and Run All Cells")
        page.locator("dialog.jp-Dialog button.jp-mod-accept").click()
        page.wait_for_timeout(1000)  # the counts of the stored notebook go away
        again = time.monotonic() + SECONDS / 4
        # On a busy machine a restart can come to nothing: then nothing has run, and it is repeated.
        while time.monotonic() < deadline and (any(counts) or time.monotonic() < again):
            page.wait_for_timeout(500)
            seen = page.evaluate(STATE)
            counts = [cell["count"] for cell in seen]
            if counts == list(range(1, cells + 1)) and seen[-1]["state"] != "running":
                return seen
    pytest.fail(f"not done after {SECONDS} s: {counts}")


def code_cells(name: str) -> list:
    cells = notebook(ROOT / "chapters" / f"{name}.ipynb").cells
    return [cell for cell in cells if cell.cell_type == "code"]


# nbval runs every chapter's cells; here it is JupyterLab that is looked at, in three chapters: one
# that reads a file beside it, one with widgets, one that starts processes.
IN_LAB = ("00-why", "03-pairs", "12-counting")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.rounds] * (name not in IN_LAB)) for name in WRITTEN],
)
def test_chapter_runs_to_its_end(name: str, lab: str, browser: Browser) -> None:
    page = Watched(browser, lab, viewport={"width": 1280, "height": 1000}).page
    open_notebook(page, f"{lab}/lab/tree/chapters/{name}.ipynb?reset")
    page.locator(".jp-MarkdownCell h1").first.wait_for()  # the title, rendered
    cells = code_cells(name)
    for cell, now in zip(cells, run_all(page, len(cells)), strict=True):
        on_purpose = "raises-exception" in cell.metadata.get("tags", [])
        assert bool(now["errors"]) == on_purpose, f"{cell.source}\n{now['errors']}"
    page.close()


def test_merge_viewer_steps_in_jupyterlab(lab: str, browser: Browser) -> None:
    watched = Watched(browser, lab, viewport={"width": 1280, "height": 1000})
    page = watched.page
    open_notebook(page, f"{lab}/lab/tree/chapters/03-pairs.ipynb?reset")
    run_all(page, len(code_cells("03-pairs")))
    viewer = page.locator(".bpe-watch[data-step]").first
    for _ in range(20):
        # Cells are drawn when they come into sight; the run scrolls to its own end, so go again.
        page.evaluate(
            """() => {
                const book = window.jupyterapp.shell.currentWidget.content;
                const calls = w => /^watch_merges/m.test(w.model.sharedModel.source);
                book.scrollToItem(book.widgets.findIndex(calls), 'start');
            }"""
        )
        page.wait_for_timeout(500)
        if viewer.is_visible():
            break
    start = int(viewer.get_attribute("data-step"))
    viewer.locator("[data-action=next]").click()
    assert int(viewer.get_attribute("data-step")) == start + 1
    viewer.locator("[data-action=prev]").click()
    assert int(viewer.get_attribute("data-step")) == start
    page.close()


def test_source_opens_as_a_notebook(lab: str, browser: Browser) -> None:
    """The MyST file can be opened as a notebook, too: jupytext is at work."""
    watched = Watched(browser, lab, viewport={"width": 1280, "height": 1000})
    page = watched.page
    page.goto(f"{lab}/lab/tree/chapters?reset")
    item = page.locator(".jp-DirListing-item", has_text=f"{WRITTEN[1]}.md").first
    item.wait_for(timeout=60_000)
    item.click(button="right")
    page.locator(".lm-Menu-itemLabel", has_text="Open With").first.hover()
    page.locator(".lm-Menu-itemLabel", has_text="Notebook").first.click()
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=30_000)
    page.close()
