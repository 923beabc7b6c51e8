"""How Sphinx builds these pages: ``make docs``."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "Aliquot"
author = "The Aliquot authors"
project_copyright = "The Aliquot authors, Apache-2.0"
version = release = installed_version("aliquot")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"Aliquot {version}"

autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpicky = False
