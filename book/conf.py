"""How the book is built: Sphinx with myst-nb, from the executed notebooks, with no request to
another host when it is read."""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "grading"))
CONTENTS = tomllib.loads((HERE.parent / "chapters" / "chapters.toml").read_text("utf-8"))

project = "From Text to Tokens"
author = "The authors of From Text to Tokens"
copyright = "2026, the authors. Text CC BY 4.0, code MIT"
language = "en"

extensions = [
    "reader_edition",
    "vendor",
    "accessible",
    "mermaid",
    "contents",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_exercise",
    "sphinx_togglebutton",
    "sphinxcontrib.bibtex",
]
# A notebook's MyST twin holds the same page; its executed form is the one that readers see.
exclude_patterns = ["_build", "chapters/*.md", "**.ipynb_checkpoints"]
exclude_patterns += ["claims.md", "index.md", "teaching.md"]

nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
nb_mime_priority_overrides = [("html", "text/markdown", 5)]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 3

bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
exercise_style = ""

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_copy_source = False
html_show_sourcelink = False
html_favicon = "_static/favicon.svg"
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "navbar_start": [],
    "navbar_center": [],
    "navbar_end": [],
    "navbar_persistent": [],
    "logo": {"text": project},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
mathjax_path = "vendor/mathjax.js"
copybutton_exclude = ".linenos, .gp, .go"
