"""A finding as JUnit XML, which every CI shows: the verdict as a test case, and one for each item that moved."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from xml.etree import ElementTree as ET

from aliquot.findings.comparison import Comparison
from aliquot.findings.finding import Finding
from aliquot.findings.gate import Decision, Gate
from aliquot.findings.verdict import Verdict, Word
from aliquot.reports.gate_sheet import strip_text
from aliquot.reports.plain import neutralise
from aliquot.reports.view import view_of

MOST_ITEMS = 200
"""Items that broke, and items that were fixed, with a test case of their own."""

Ended: TypeAlias = Literal["passed", "failure", "skipped"]
"""How a test case ended."""

_BY_DECISION: Final[Mapping[Decision, Ended]] = {
    "pass": "passed",
    "fail": "failure",
    "undecided": "skipped",
    "nothing_to_judge": "failure",  # never green, and a skipped case is
}
_FAILURES: Final[frozenset[Word]] = frozenset({"worse", "not_met", "fail"})
_OPEN: Final[frozenset[Word]] = frozenset({"undecided", "nothing_to_judge"})
_LONGEST_TEXT = 2000
"""Characters of a name or a text."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (section 2.2) holds in no form, not even escaped."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One test case: its name, how it ended, and a text."""

    name: str
    ended: Ended
    text: str


def render_junit(finding: Finding) -> str:
    """Return a finding as one JUnit test suite.

    The verdict fails when it is ``worse`` (beyond the margin), ``not_met`` or ``fail``, and is skipped when it is open.
    Of a comparison each item that broke fails, with the command that shows it, and each that was fixed passes; of a
    gate each condition is a case too, and nothing to judge is a failure.
    """
    cases = [_verdict_case(finding)]
    if isinstance(finding, Comparison):
        cases += _item_cases(finding)
    if isinstance(finding, Gate):
        cases += _gate_cases(finding)
    suite = ET.Element("testsuite", name=f"aliquot {finding.kind}", tests=str(len(cases)), errors="0")
    for count, ended in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(count, str(sum(case.ended == ended for case in cases)))
    for case in cases:
        _add(suite, case, classname=f"aliquot.{finding.kind}")
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'


def _verdict_case(finding: Finding) -> _Case:
    again = f" Again: {finding.command}" if finding.command else ""
    ended = _BY_DECISION[finding.decision] if isinstance(finding, Gate) else _ended(finding.verdict)
    return _Case("verdict", ended, finding.verdict.text + again)


def _ended(verdict: Verdict) -> Ended:
    if verdict.word in _OPEN:
        return "skipped"
    return "failure" if verdict.word in _FAILURES and not verdict.within_margin else "passed"


def _item_cases(comparison: Comparison) -> Iterator[_Case]:
    view = view_of(comparison)
    for ended, (title, names) in zip(
        ("failure", "passed"), view.moved, strict=False
    ):  # none where not paired
        for name in names[:MOST_ITEMS]:
            shown = _shown_by(view.rows_command, name) if ended == "failure" else ""
            yield _Case(f"{title.lower()}: {name}", ended, shown)
        left = len(names) - MOST_ITEMS
        if left > 0:
            text = f"{left} more items are left out here; -o FILE.json names all. {comparison.command}"
            yield _Case(f"{title.lower()}: {left} more", "skipped", text.strip())


def _gate_cases(gate: Gate) -> Iterator[_Case]:
    """Yield a case for each condition, and each item that moved; items that broke fail where the gate does."""
    for one in gate.conditions:
        ended = (
            _BY_DECISION[one.decision] if one.blocks else "skipped" if one.decision != "pass" else "passed"
        )
        yield _Case(f"{one.name} floor" if one.of == "floor" else one.name, ended, one.text)
    for change, flips in (("broke", gate.broke), ("fixed", gate.fixed)):
        for flip in flips[:MOST_ITEMS]:
            came = f"; asked again: {flip.came}" if flip.came else ""
            moved = f"{strip_text(flip.before)} before, {strip_text(flip.after)} after{came}"
            lost = gate.decision == "fail" and flip.came in ("", "stable")
            broke: Ended = "failure" if lost else "skipped"
            yield _Case(f"{change}: {flip.item}", broke if change == "broke" else "passed", moved)
        left = len(flips) - MOST_ITEMS
        if left > 0:
            yield _Case(f"{change}: {left} more", "skipped", "-o FILE.json names all")


def _shown_by(command: str, item: str) -> str:
    return f"{command} --item {shlex.quote(item)}" if command else f"aliquot.show(..., items=[{item!r}])"


def _add(suite: ET.Element, case: _Case, *, classname: str) -> None:
    node = ET.SubElement(suite, "testcase", classname=classname, name=_safe(case.name))
    if case.ended == "passed":
        if case.text:
            ET.SubElement(node, "system-out").text = _safe(case.text)
        return
    ET.SubElement(node, case.ended, message=_safe(case.text))


def _safe(text: str) -> str:
    r"""Return text that XML 1.0 may hold: what it may not is written out as ``\ufffe``."""
    shown = neutralise(text, limit=_LONGEST_TEXT)
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), shown)
