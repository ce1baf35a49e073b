"""The table of contents, from `chapters/chapters.toml`, wherever book or README show it."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LEVELS = {1: "●○○", 2: "●●○", 3: "●●●"}
LEVEL_NAMES = {1: "first steps", 2: "some patience", 3: "an evening"}


def chapters(folder: Path) -> Iterator[dict[str, Any]]:
    """Each chapter in order: the fields of the table of contents, its name, part and state."""
    contents = tomllib.loads((folder / "chapters.toml").read_text("utf-8"))
    for part in contents["part"]:
        for name in part["chapters"]:
            written = (folder / f"{name}.ipynb").exists()
            number = name.split("-")[0]
            yield contents["chapter"][name] | {
                "name": name,
                "number": number,
                "part": part["title"],
                "written": written,
            }


def table(folder: Path) -> str:
    """The chapters as a Markdown table, for the README: those to come in the last row."""
    rows = ["| | chapter | after it you can | time | level |", "|-|-|-|-|-|"]
    to_come = []
    for chapter in chapters(folder):
        if not chapter["written"]:
            to_come.append(chapter["title"])
            continue
        title = f"[{chapter['title']}](chapters/{chapter['name']}.md)"
        time, level = f"{chapter['minutes']} min", LEVELS[chapter["level"]]
        rows.append(f"| {chapter['number']} | {title} | {chapter['after']} | {time} | {level} |")
    if to_come:
        rows.append(f"| | *to come* | {', '.join(to_come)} | | |")
    return "\n".join(rows)


def _cards(folder: Path) -> str:
    lines = [":::::{grid} 1 1 2 2", ":gutter: 3", ""]
    to_come = []
    for chapter in chapters(folder):
        if not chapter["written"]:
            to_come.append(f"*{chapter['title']}*")
            continue
        lines += [
            f"::::{{grid-item-card}} {chapter['number']} · {chapter['title']}",
            f":link: chapters/{chapter['name']}",
            ":link-type: doc",
            "",
            f"You will be able to {chapter['after']}.",
            ":::{card-footer}",
            f"{chapter['minutes']} minutes · {LEVEL_NAMES[chapter['level']]}",
            ":::",
            "::::",
            "",
        ]
    lines.append(":::::")
    if to_come:
        lines += ["", f"Still to come: {', '.join(to_come)}."]
    return "\n".join(lines)


def _toctrees(folder: Path) -> str:
    parts: dict[str, list[str]] = {}
    for chapter in chapters(folder):
        if chapter["written"]:
            parts.setdefault(chapter["part"], []).append(f"chapters/{chapter['name']}")
    return "\n\n".join(
        "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```"])
        for title, names in parts.items()
    )


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the chapters in the places that a page keeps for them."""
    folder = Path(app.srcdir).parent / "chapters"
    for place, make in (("<!-- chapter cards -->", _cards), ("<!-- chapter trees -->", _toctrees)):
        if place in source[0]:
            text = make(folder)
            if app.env.doc2path(docname).suffix == ".ipynb":
                text = json.dumps(text)[1:-1]  # inside a string of the notebook
            source[0] = source[0].replace(place, text)


def reread(app: Sphinx, env: Any, added: set, changed: set, removed: set) -> list[str]:
    """Every page lists the chapters and leads to the next one: not its own text alone counts."""
    return sorted(env.found_docs - added) if added or removed else []


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", fill)
    app.connect("env-get-outdated", reread)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
