"""The plugin in real sessions: fixtures, parametrised ids, -k, reruns, xdist, marked tests, options."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points

import pytest

from aliquot import expect_rate
from tests.workshop.sources import ROOT

pytest_plugins = ["pytester"]

LOADED = (
    ()
    if any(one.name == "aliquot" for one in entry_points(group="pytest11"))
    else ("-p", "aliquot.pytest_plugin")
)
"""How the plugin gets in: by its entry point where the distribution is installed as it stands, else by name."""

RERUNS = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for _ in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""


@pytest.fixture(autouse=True, scope="module")
def loaded() -> None:
    """Load what a decision needs: pytester takes away what its sessions load, and numpy loads once a process."""
    assert expect_rate([True] * 36) >= 0.9


def session(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    pytester.makepyfile(text)
    return pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", *words)


def test_a_floor_that_is_open_fails_and_shows_the_finding(pytester: pytest.Pytester) -> None:
    text = """
        import aliquot

        def test_open():
            assert aliquot.expect_rate([True] * 4 + [False]) >= 0.9
    """
    done = session(pytester, text)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*<rate of the check: 4 of 5 passed> >= 0.9*",
            "*UNDECIDED: the check may or may not reach 90%: 28.4 to 99.5%*",
        ]
    )
    session(pytester, text, "--aliquot-undecided=pass").assert_outcomes(passed=1)
    session(pytester, text, "--aliquot-undecided=skip").assert_outcomes(skipped=1)
    pytester.makeini("[pytest]\naliquot_undecided = skip")
    session(pytester, text).assert_outcomes(skipped=1)
    pytester.makeini("[pytest]\naliquot_undecided = maybe")
    assert session(pytester, text).ret == pytest.ExitCode.USAGE_ERROR


def test_fixtures_parametrised_ids_and_k(pytester: pytest.Pytester) -> None:
    text = """
        import aliquot, pytest

        @pytest.fixture
        def model():
            return lambda name: name != "bad"

        @pytest.mark.parametrize("name", ["good", "bad"])
        def test_each(model, name):
            assert aliquot.expect_rate(lambda: model(name)) >= 0.9
    """
    done = session(pytester, text)
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*FAIL: the check does not reach 90%: 0.0 to 9.7%*"])
    session(pytester, text, "-k", "good").assert_outcomes(passed=1, deselected=1)


def test_reruns_add_attempts(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(RERUNS)
    text = """
        import aliquot

        calls = []

        def check():
            calls.append(1)
            return True

        def test_rate():
            assert aliquot.expect_rate(check, attempts=20) >= 0.9

        def test_calls():
            assert len(calls) == {calls}
    """
    # a third of the error for each of three runs: all-pass needs 46, so the third run of 20 settles it
    session(pytester, text.format(calls=60), "--aliquot-looks=3").assert_outcomes(passed=2)
    # one run planned: 20 attempts are all there will be, whoever runs the test again
    session(pytester, text.format(calls=20)).assert_outcomes(passed=1, failed=1)


def test_the_marker_of_rerunfailures_is_read(pytester: pytest.Pytester) -> None:
    text = """
        import aliquot, pytest

        @pytest.mark.flaky(reruns=2)
        def test_rate():
            assert aliquot.expect_rate([True] * 45) >= 0.9

        @pytest.mark.flaky(reruns=2)
        def test_more():
            assert aliquot.expect_rate([True] * 46) >= 0.9
    """
    pytester.makeini("[pytest]\nmarkers = flaky: as pytest-rerunfailures registers it")
    session(pytester, text).assert_outcomes(passed=1, failed=1)


MARKED = """
    import pytest

    @pytest.mark.aliquot_rate({floor})
    @pytest.mark.parametrize("case", range(60))
    def test_case(case):
        assert case % 12
"""


def test_the_rate_of_a_marked_test_counts_and_not_its_cases(pytester: pytest.Pytester) -> None:
    done = session(pytester, MARKED.format(floor=0.7))
    done.assert_outcomes(passed=55, xfailed=5)
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines(["PASS: *test_case reaches 70%: 81.6 to 97.2% (passed, 60 items)."])
    done = session(pytester, MARKED.format(floor=0.9))
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["UNDECIDED: *", "The session fails, *--aliquot-undecided=pass).", "*passed*"])
    assert session(pytester, MARKED.format(floor=0.9), "--aliquot-undecided=pass").ret == pytest.ExitCode.OK
    assert (
        session(pytester, MARKED.format(floor=0.99), "--aliquot-undecided=pass").ret
        == pytest.ExitCode.TESTS_FAILED
    )
    few = session(pytester, MARKED.format(floor=0.7), "-k", "case and (1 or 2)")
    assert few.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    assert session(pytester, MARKED.format(floor=90)).ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.heavy
def test_workers_of_xdist_report_to_one_rate(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED.format(floor=0.7))
    done = pytester.runpytest_subprocess(*LOADED, "-p", "xdist", "-n", "2", "-p", "no:cacheprovider")
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines(["PASS: *test_case reaches 70%: 81.6 to 97.2% (passed, 60 items)."])


def test_wrong_options_are_usage_errors(pytester: pytest.Pytester) -> None:
    assert session(pytester, "def test_one(): pass", "--aliquot-looks=0").ret == pytest.ExitCode.USAGE_ERROR


def test_the_distribution_brings_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"aliquot": "aliquot.pytest_plugin"}
