"""A browser for the tests: the system's Chromium, driven by Playwright, cut off from the net.

Without a browser the tests that need one are skipped with a reason; where COURSE_BROWSER=required
(the project's own check), they fail instead.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_browser() -> str:
    """The path of a Chromium or Chrome; BROWSER_PATH names another one."""
    found = os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        reason = f"no browser: none of {', '.join(NAMES)} is on the PATH (set BROWSER_PATH)"
        if os.environ.get("COURSE_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextmanager
def open_browser() -> Iterator[Browser]:
    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page that remembers what went wrong in it: script errors, requests to other hosts."""

    def __init__(self, browser: Browser, home: str, **options: object) -> None:
        self.home = home  # what the addresses of allowed requests begin with
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page: Page = browser.new_page(**options)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)
        self.page.on("requestfailed", lambda r: self.errors.append(f"failed: {r.url}"))
        self.page.route("**/*", self._route)

    def _console(self, message: object) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _route(self, route: Route) -> None:
        url = route.request.url
        if url.startswith((self.home, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(url)
            route.abort()
