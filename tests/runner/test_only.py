"""Asking again the items that differ: apart from the run, resumable, and told as stable or flaky."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from aliquot import compare
from aliquot.errors import AliquotError, InputError, NothingToJudgeError, RunStoppedError, UsageError
from aliquot.files.manifest import read_manifest
from aliquot.runner.only import Only, read_only
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.runner.evaluations import right, write_evaluation


class Moody:
    """Second fails q0 to q3 in the run; asked again it fails q0 always, q1 now and then, q2 never, q3 is lost."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()
        self.again = False

    def __call__(self, prompt: str) -> str | Reply:
        self.times[prompt] += 1
        if "first" in prompt or prompt[-3:] not in {"q0.", "q1.", "q2.", "q3."}:
            return right(prompt)
        if not self.again or "q0." in prompt:
            return "no"
        if "q3." in prompt:
            return Reply(text="", status="error", reason="500")
        return "no" if "q1." in prompt and self.times[prompt] % 2 else right(prompt)


@pytest.fixture
def done(tmp_path: Path) -> tuple[Path, Path, Moody]:
    """An evaluation that was run, the folder of its runs, and what its systems answer."""
    file, script = write_evaluation(tmp_path, 12), Moody()
    run(file, directory=tmp_path / "runs", models={"fake": FakeSystem(script)})
    script.again = True
    return file, tmp_path / "runs", script


def test_only_what_broke_is_asked_again_and_the_run_stays_as_it_is(done: tuple[Path, Path, Moody]) -> None:
    file, runs, script = done
    kept = {path: path.read_bytes() for path in (runs / "trial").rglob("*") if path.is_file()}
    before, fake = compare(runs / "trial"), FakeSystem(script)
    found = run(file, directory=runs, models={"fake": fake}, only="broke:first,second", attempts=4)
    assert Counter(fake.asked) == {f"{name} q{k}.": 4 for name in ("first", "second") for k in range(4)}
    assert {path: path.read_bytes() for path in kept} == kept
    assert compare(runs / "trial") == before
    assert found.path.parent == runs / "trial"
    assert found.path.name.startswith("only-broke-")
    assert [(one.item, one.right, one.of, one.came) for one in found.again] == [
        ("i0", (4, 0), (4, 4), "stable"),
        ("i1", (4, 2), (4, 4), "flaky"),
        ("i2", (4, 4), (4, 4), "gone"),
        ("i3", (4, 0), (4, 0), "unanswered"),
    ]


def test_it_goes_on_where_it_stopped_and_more_attempts_may_follow(done: tuple[Path, Path, Moody]) -> None:
    file, runs, script = done
    given = {"directory": runs, "only": "broke:first,second"}
    run(file, models={"fake": FakeSystem(script)}, attempts=1, **given)
    fake = FakeSystem(right)
    found = run(file, models={"fake": fake}, attempts=2, **given)
    assert len(fake.asked) == 4 * 2 + 1  # the second attempts, and what was lost
    assert {one.of for one in found.again} == {(2, 2)}


def test_items_that_all_fail_do_not_stop_it(done: tuple[Path, Path, Moody]) -> None:
    file, runs, _ = done
    cut = FakeSystem(lambda _: Reply(text="", status="truncated"))
    found = run(file, directory=runs, models={"fake": cut}, only="broke:first,second", attempts=8)
    assert {one.came for one in found.again} == {"gone"}


def test_the_manifest_says_which_items_they_are(done: tuple[Path, Path, Moody]) -> None:
    file, runs, script = done
    found = run(file, directory=runs, models={"fake": FakeSystem(script)}, only="broke:first,second")
    manifest = read_manifest(found.path / "run.json")
    assert manifest.item_set["selected"] == "only broke:first,second, 4 of 12"
    assert manifest.attempts == 5
    assert list(manifest.systems) == ["first", "second"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            {"only": "fixed:first,second"},
            NothingToJudgeError,
            "have no item that fixed; there is nothing to ask again",
        ),
        ({"only": "broke:first,secnd"}, UsageError, r"no system 'secnd'\. Did you mean 'second'"),
        ({"only": "broke"}, UsageError, "--only takes broke:A,B with two systems, not 'broke'"),
        ({"only": "brok:first,second"}, UsageError, "Did you mean 'broke'"),
        ({"only": "broke:first,first"}, UsageError, "give two systems"),
        ({"only": "broke:first,second", "attempts": 0}, UsageError, "attempts is 0"),
        ({"only": "broke:first,second", "limit": 3}, UsageError, "exclude each other"),
        ({"only": "broke:first,second", "cache": "c"}, UsageError, "only and cache exclude each other"),
        ({"attempts": 3}, UsageError, "attempts goes with only"),
    ],
)
def test_what_cannot_be_asked_again_says_why(
    done: tuple[Path, Path, Moody], given: dict[str, object], error: type[AliquotError], message: str
) -> None:
    file, runs, _ = done
    fake = FakeSystem(right)
    with pytest.raises(error, match=message):
        run(file, directory=runs, models={"fake": fake}, **given)  # type: ignore[arg-type]
    assert fake.asked == []


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = write_evaluation(tmp_path, 3)
    with pytest.raises(InputError, match=r"trial: there is no such run yet\. Run it first"):
        run(file, directory=tmp_path, models={"fake": FakeSystem(right)}, only="broke:first,second")
    assert not issubclass(RunStoppedError, InputError)


def test_a_name_with_a_comma_is_found() -> None:
    assert read_only("differ:a,b,c", ["a,b", "c"]) == Only("differ", ("a,b", "c"))
    assert str(read_only("broke: a , b", ["a", "b"])) == "broke:a,b"


def test_the_command_prints_how_each_item_came_out(
    done: tuple[Path, Path, Moody], monkeypatch: pytest.MonkeyPatch
) -> None:
    from aliquot.verbs import run as verb

    file, runs, script = done

    def asked(*given: object, **choices: object) -> object:
        return run(*given, models={"fake": FakeSystem(script)}, **choices)  # type: ignore[arg-type]

    monkeypatch.setattr(verb, "run", asked)
    printed = call("run", file, "--directory", runs, "--only", "broke:first,second", "--attempts", "2")
    assert printed.code == 0, printed.err
    assert printed.text.startswith(
        "ASKED AGAIN: 4 items: 1 came out as before in every attempt; 1 flaky: attempts of one system disagree"
    )
    assert "i1 2 of 2 1 of 2 flaky" in printed.text
    assert "so they say nothing of the whole" in printed.text
