"""The reader's edition of the chapters, and the student's notebooks beside it.

The notebooks in `chapters/` are the one source, and `grading/editions.py` makes the others of it.
"""

import tomllib
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from editions import for_readers, for_students


def _write_if_new(path: Path, text: str) -> None:
    """Leave an unchanged file alone, so that Sphinx reads only what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8", newline="\n")


def _notebooks(source: Path) -> list[Path]:
    contents = tomllib.loads((source.parent / "chapters" / "chapters.toml").read_text("utf-8"))
    names = [name for part in contents["part"] for name in part["chapters"]]
    paths = [source.parent / "chapters" / f"{name}.ipynb" for name in names]
    return [path for path in paths if path.exists()]


def prepare(app: Sphinx) -> None:
    """Write the reader's edition where Sphinx reads, and drop what has no source any more."""
    source = Path(app.srcdir)
    target = source / "chapters"
    written = set()
    for path in _notebooks(source):
        notebook = for_readers(nbformat.read(path, as_version=4))
        _write_if_new(target / path.name, nbformat.writes(notebook) + "\n")
        written.add(path.name)
    for old in target.glob("*.ipynb"):
        if old.name not in written:
            old.unlink()


def offer(app: Sphinx, error: Exception | None) -> None:
    """Put the student's notebooks beside the pages."""
    if error or app.builder.format != "html":
        return
    for path in _notebooks(Path(app.srcdir)):
        notebook = for_students(nbformat.read(path, as_version=4))
        _write_if_new(Path(app.outdir) / "notebooks" / path.name, nbformat.writes(notebook) + "\n")


def add_button(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Offer the student's notebook in the header of its page."""
    if doctree is None or not pagename.startswith("chapters/"):
        return
    name = pagename.removeprefix("chapters/")
    context.setdefault("header_buttons", []).append(
        {
            "type": "link",
            "url": f"../notebooks/{name}.ipynb",
            "tooltip": "Download this chapter as a notebook, without the solutions",
            "icon": "fas fa-download",
            "label": "download-notebook-button",
        }
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", prepare)
    app.connect("build-finished", offer)
    app.connect("html-page-context", add_button, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
