"""Which sheet shows which kind of finding."""

from __future__ import annotations

from importlib import import_module

from aliquot.findings.finding import Finding
from aliquot.reports.sheet import Sheet


def sheet_of(finding: Finding) -> Sheet:
    """Return the text of a finding of any kind, by the module named after it."""
    return import_module(f"aliquot.reports.{finding.kind}_sheet").sheet_of(finding)
