"""Sphinx's settings: ``make site`` builds these pages as HTML."""

from pathlib import Path

project = "mt-gate"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "mt-gate"
html_copy_source = False
exclude_patterns = ["audits", "design", "own-relations", "workflows"]
myst_heading_anchors = 4  # named as GitHub names them
smartquotes = False  # options begin with two hyphens
highlight_language = "none"  # a block says its language, or is plain text
# A test checks that links lead somewhere; those to files that are no page stay as GitHub has them.
suppress_warnings = ["myst.xref_missing"]
html_extra_path = [
    path for path in ["../mt-gate-demo"] if Path(__file__).parent.joinpath(path).is_dir()
]
