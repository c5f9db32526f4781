"""Sphinx's settings; ``site_build.py`` lays the pages out and says which version they are of."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes

HERE = Path(__file__).parent

project = "mt-gate"
release = os.environ["MT_GATE_SITE_VERSION"]
html_title = "mt-gate"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
# The docs' folder has more than pages: files that they show or offer.
include_patterns = ["*.md", "*.rst", "cli/*.md", "api/*.rst"]
smartquotes = False  # options begin with two hyphens
highlight_language = "none"  # a block says its language, or is plain text
myst_heading_anchors = 4  # named as GitHub names them

autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # not the dozen types that it stands for
autosummary_generate = True
templates_path = [str(HERE / "templates")]

html_theme = "furo"
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
html_search_scorer = str(HERE / "scorer.js")
html_static_path = [str(HERE / "static")]
html_favicon = str(HERE / "static" / "icon.svg")
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_extra_path = [os.environ["MT_GATE_SITE_BESIDE"]]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_domain_indices = False
html_use_index = False
pygments_style = "a11y-light"
pygments_dark_style = "a11y-high-contrast-dark"


def _as_it_reads(_: Any, what: str, __: str, ___: Any, ____: Any, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon for the type of a variable."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def _headless(_: Any, page: str, __: str, context: dict[str, Any], ___: Any) -> None:
    """Make a table's empty heading a plain cell, so that nobody is told of a heading.

    And let the name of a module, which heads its page, break at its dots.
    """
    if "body" in context:
        empty = re.compile(r'<th class="head[^"]*"><p></p></th>')
        context["body"] = empty.sub("<td></td>", context["body"])
    if page.startswith("api/"):
        name = re.compile(r"(?<=<h1>)[^<]*")
        context["body"] = name.sub(lambda it: it[0].replace(".", ".<wbr>"), context["body"], 1)


def _unbroken(_: Any, doctree: nodes.document, __: str) -> None:
    """Keep a number and its percent sign on one line, but in code, which is copied."""
    for text in list(doctree.findall(nodes.Text)):
        if " %" in text and not isinstance(text.parent, (nodes.literal, nodes.literal_block)):
            text.parent.replace(text, nodes.Text(re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)))


def setup(app: Any) -> None:
    """Add what no setting says."""
    app.connect("autodoc-process-docstring", _as_it_reads, priority=100)
    app.connect("doctree-resolved", _unbroken)
    app.connect("html-page-context", _headless)
