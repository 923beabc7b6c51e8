"""Cases of a parametrised test that pass or fail one by one, and whose rate is what counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, cast

import pytest

PROPERTY: Final = "aliquot_rate"
"""Under which a case travels in its report, from a worker of xdist too."""


@dataclass(slots=True)
class _Group:
    """The cases of one test: id of each → its outcomes, None where it broke without being a failure."""

    floor: float
    name: str
    cases: dict[str, list[float | None]] = field(default_factory=dict[str, list[float | None]])
    finding: Any = None


@dataclass(slots=True, eq=False)  # pytest keeps plugins by identity
class RateGroups:
    """All marked tests of a session."""

    groups: dict[str, _Group] = field(default_factory=dict[str, _Group])

    @staticmethod
    def take(
        item: pytest.Item, marker: pytest.Mark, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Write a case into its report; a failed assertion is counted, and shown as an expected failure."""
        floor = marker.args[0] if marker.args else marker.kwargs.get("floor")
        if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 < floor < 1:
            report.outcome = "failed"
            report.longrepr = (
                f"{item.nodeid}: aliquot_rate takes a floor between 0 and 1, such as 0.9; got {floor!r}"
            )
            return
        if report.skipped:
            return
        lost = call.excinfo is not None and not call.excinfo.errisinstance(AssertionError)
        value = None if lost else float(report.passed)
        whole, _, case = item.nodeid.partition("[")
        name = marker.kwargs.get("name") or whole
        report.user_properties.append((PROPERTY, [name, float(floor), case.removesuffix("]"), value]))
        if report.failed and not lost:
            report.outcome = "skipped"
            report.wasxfail = "counted in the rate of its test"  # type: ignore[attr-defined] - as pytest marks them

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a case out of a report, of a worker of xdist too."""
        if report.when != "call":
            return
        for key, told in report.user_properties:
            if key == PROPERTY:
                name, floor, case, value = cast("tuple[str, float, str, float | None]", told)
                group = self.groups.setdefault(name, _Group(floor, name))
                group.cases.setdefault(case or "-", []).append(value)

    def decide(self) -> None:
        """Hold every rate against its floor."""
        if not self.groups:
            return
        from aliquot.verbs.expect import rate_of_cases  # noqa: PLC0415 - only where a test is marked

        for group in self.groups.values():
            group.finding = rate_of_cases(group.cases, floor=group.floor, name=group.name)

    def fails(self, undecided: str) -> bool:
        """Tell whether a rate that is not reached, or open, fails the session."""
        ends = {group.finding.decision for group in self.groups.values() if group.finding is not None}
        return bool(ends & {"fail", "nothing_to_judge"}) or (undecided == "fail" and "undecided" in ends)

    def lines(self) -> list[str]:
        """Return a sentence for each marked test."""
        return [group.finding.verdict.text for group in self.groups.values() if group.finding is not None]
