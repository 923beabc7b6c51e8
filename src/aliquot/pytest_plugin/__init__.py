"""The pytest plugin: ``assert aliquot.expect_rate(check) >= 0.9`` in tests, with reruns, xdist and markers.

This module is imported by every pytest session of an environment that has aliquot; it loads nothing of the package
but what tells a test's runs apart. A test is known by its node id, so parametrised cases are apart.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final

import pytest

from aliquot.pytest_plugin.rates import RateGroups
from aliquot.verbs.looks import CURRENT, Looks

_LOOKS: Final = pytest.StashKey[dict[str, Looks]]()
_GROUPS: Final = pytest.StashKey[RateGroups]()
_SAID: Final = pytest.StashKey[list[str]]()

CHOICES: Final = ("fail", "skip", "pass")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--aliquot-undecided`` and ``--aliquot-looks``, also as ini options."""
    group = parser.getgroup("aliquot", "rates of passes")
    group.addoption(
        "--aliquot-undecided",
        choices=CHOICES,
        default=None,
        help="What an expectation that the attempts do not decide does to its test (default: fail).",
    )
    group.addoption(
        "--aliquot-looks",
        type=int,
        default=None,
        metavar="N",
        help="Runs of a test that share the error; by default one, and one for each rerun of pytest-rerunfailures.",
    )
    parser.addini("aliquot_undecided", "as --aliquot-undecided", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse an unknown choice where it is written."""
    config.addinivalue_line(
        "markers",
        "aliquot_rate(floor, name=None): cases of this test pass or fail one by one, and their rate has to reach floor",
    )
    if _undecided(config) not in CHOICES:
        raise pytest.UsageError(
            f"aliquot_undecided is one of {', '.join(CHOICES)}; got {_undecided(config)!r}"
        )
    looks = config.getoption("--aliquot-looks")
    if looks is not None and looks < 1:
        raise pytest.UsageError(f"--aliquot-looks is 1 or more; got {looks}")
    config.stash[_LOOKS] = {}
    config.stash[_GROUPS] = RateGroups()
    config.pluginmanager.register(
        config.stash[_GROUPS], "aliquot_rates"
    )  # told of every report, of workers too


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let expectations of a test know its earlier runs, and keep what they say for its report."""
    said: list[str] = []
    item.stash[_SAID] = said
    known = item.config.stash[_LOOKS]
    looks = known.get(item.nodeid)
    if looks is None:
        looks = known[item.nodeid] = Looks(_planned(item), _when_undecided(item.config), said.append)
    looks.place, looks.say = 0, said.append
    token = CURRENT.set(looks)
    try:
        return (yield)
    finally:
        CURRENT.reset(token)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what was decided into the report; a case of a marked test counts, and its failure is the rate's business."""
    report = yield
    if call.when != "call":
        return report
    said = item.stash.get(_SAID, [])
    if said:
        report.sections.append(("aliquot", "\n".join(dict.fromkeys(said))))
    marker = item.get_closest_marker("aliquot_rate")
    if marker is not None:
        RateGroups.take(item, marker, call, report)
    return report


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show what was decided in the place of two objects."""
    from aliquot.pytest_plugin.explained import explain  # noqa: PLC0415 - only where an assertion failed

    return explain(op, left, right)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session when the rate of a marked test is not reached; workers leave that to the controller."""
    if hasattr(session.config, "workerinput"):
        return
    groups = session.config.stash[_GROUPS]
    groups.decide()
    if groups.fails(_undecided(session.config)) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the rates of marked tests came to."""
    groups = config.stash[_GROUPS]
    lines = groups.lines()
    if groups.fails(_undecided(config)):
        option = "" if groups.fails("pass") else " (an open one passes with --aliquot-undecided=pass)"
        lines.append(f"The session fails, whatever its cases came to{option}.")
    if lines:
        terminalreporter.section("aliquot")
        for line in lines:
            terminalreporter.write_line(line)


def _undecided(config: pytest.Config) -> str:
    return config.getoption("--aliquot-undecided") or str(config.getini("aliquot_undecided"))


def _when_undecided(config: pytest.Config) -> Callable[[str], bool]:
    choice = _undecided(config)

    def act(text: str) -> bool:
        if choice == "skip":
            pytest.skip(text)
        return choice == "pass"

    return act


def _planned(item: pytest.Item) -> int:
    """Return how often a test may run: as told, or once and once for each rerun of pytest-rerunfailures."""
    told = item.config.getoption("--aliquot-looks")
    if told is not None:
        return told
    marker = item.get_closest_marker("flaky")
    again = item.config.getoption("reruns", default=None)
    if marker is not None:
        again = marker.kwargs.get("reruns", marker.args[0] if marker.args else 1)
    return 1 + (again if isinstance(again, int) and again > 0 else 0)
