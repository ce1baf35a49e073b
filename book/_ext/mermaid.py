"""The fence ```mermaid as a diagram: drawn in the page by the book's own copy of mermaid.

JupyterLab draws the same fence by itself. Without scripts the text of the diagram remains.
"""

import html

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Mermaid(SphinxDirective):
    """A diagram, given in mermaid's own language."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = html.escape("\n".join(self.content))
        return [nodes.raw("", f'<pre class="mermaid">{text}</pre>', format="html")]


def add_script(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None
) -> None:
    """Load mermaid (3 MB) only on the pages that have a diagram."""
    if doctree and any('class="mermaid"' in node.astext() for node in doctree.findall(nodes.raw)):
        app.add_js_file("vendor/mermaid.js", loading_method="defer")
        app.add_js_file("diagrams.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("mermaid", Mermaid)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
