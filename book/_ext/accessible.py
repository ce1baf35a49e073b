"""Small repairs of the pages' HTML for readers who do not see them."""

from typing import Any

from sphinx.application import Sphinx


def repair(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """docutils calls a bibliography a list, though its entries are no list items."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", repair)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
