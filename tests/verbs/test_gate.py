"""``gate``: decisions on real tables, exit codes, rows without a value, policies, baselines, what is written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

from aliquot import bless, finding_schema, gate
from aliquot.errors import InputError, NothingToJudgeError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import OUTCOMES, Evidence
from aliquot.evidence.texts import HeldTexts
from aliquot.findings.document import finding_document
from aliquot.findings.gate import Gate
from aliquot.gates.policy import CostRule, MetricRule, Policy, SegmentRule
from aliquot.gates.year import simulate_year
from aliquot.reports.render import render
from aliquot.stats.merge_draws import PairedMerges
from tests.cli.called import call
from tests.shared import shared

REGRESSION = (169, 21, 6, 44)
"""Both right, broke, fixed, neither: the requirement's case, worse by 2.2 to 10.9 points."""
BETTER = (172, 9, 18, 41)


def write_pair(folder: Path, table: Sequence[int] = REGRESSION, *, slower: float = 0.0) -> tuple[Path, Path]:
    both, broke, fixed, neither = table
    sides = {
        "main": [1] * (both + broke) + [0] * (fixed + neither),
        "pr": [1] * both + [0] * broke + [1] * fixed + [0] * neither,
    }
    return tuple(
        write(folder / f"{name}.csv", values, slower=slower if name == "pr" else 0.0)
        for name, values in sides.items()
    )  # type: ignore[return-value]


def write(path: Path, values: Sequence[object], *, slower: float = 0.0) -> Path:
    rows = [
        ",".join(
            (
                f"t-{i:03d},{value}",
                "ok" if value != "" else "error",
                "de" if i % 2 else "en",
                f"{1 + i % 9 / 4 + slower * (1 + i % 7 / 10):.2f}",
                f"{0.004 + i % 3 / 1000:.3f}",
            )
        )
        for i, value in enumerate(values)
    ]
    path.write_text(
        "item,value,status,segment.lang,latency_s,cost\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    return path


def test_the_case_of_the_requirement_fails(tmp_path: Path) -> None:
    found = gate(*write_pair(tmp_path), no_worse_than="2pt")
    assert (found.decision, found.exit_code) == ("fail", 3)
    assert found.verdict.text == (
        "FAIL: worse than main by 2.2 to 10.9 points (value, 240 items, margin 2 points, p 0.0059)."
    )
    assert [len(found.broke), len(found.fixed)] == [21, 6]
    assert [flip.item for flip in found.flips[:2]] == ["t-169", "t-170"]
    assert (found.flips[0].before, found.flips[0].after) == ((1.0,), (0.0,))
    jsonschema.validate(json.loads(json.dumps(finding_document(found))), finding_schema("gate"))


def test_the_other_ends(tmp_path: Path) -> None:
    main, pr = write_pair(tmp_path, BETTER)
    assert gate(main, pr, no_worse_than="2pt").exit_code == 0
    back = gate(pr, main, no_worse_than="2pt")
    assert (back.decision, back.exit_code) == ("undecided", 4)
    assert "It needs about 621 items" in back.verdict.text
    assert gate(pr, main, no_worse_than="10pt").decision == "pass"
    inside = gate(*write_pair(tmp_path), no_worse_than="12pt")
    assert inside.decision == "pass"
    assert inside.verdict.text.startswith("PASS: worse within the margin, by 2.2 to 10.9 points (value")
    assert not inside.quiet


def test_one_answer_of_other_items_does_not_settle_anything_with_one_more(tmp_path: Path) -> None:
    main = write(tmp_path / "main.csv", [1] * 237 + [0] * 63)
    one = tmp_path / "pr.csv"
    one.write_text("item,value\nother-001,1\n", encoding="utf-8")
    settle = gate(main, one, no_worse_than="5pt").to_settle
    assert settle.items > 1_000  # a side of one right answer has an error, though no spread


def test_what_would_settle_it_settles_it(tmp_path: Path) -> None:
    """Of as many items as it names, drawn with the chances that were seen, four in five merges pass."""
    main, pr = write_pair(tmp_path, BETTER)
    found = gate(pr, main, no_worse_than="7pt")  # −3.8 points seen: −7 is excluded with more items
    assert found.decision == "undecided"
    settle = found.to_settle
    assert settle is not None
    n = settle.items  # type: ignore[union-attr]
    margin, seen = 0.07, 9 / 240
    year = simulate_year(
        [PairedMerges(n, margin, 27 / 240 + 1e-9, loss=margin)], merges=1, error=None, alpha=0.05
    )
    # a loss of 9/240 is a shift of the same interval: what passes with margin .07 − .0375 when nothing is lost
    shifted = simulate_year(
        [PairedMerges(n, margin - seen, 27 / 240, loss=margin - seen)], merges=1, error=None, alpha=0.05
    )
    assert shifted.unchanged[0] == pytest.approx(0.8, abs=0.04)
    assert year.unchanged[0] > 0.99


def test_undecided_and_report_only_change_the_code_and_not_the_decision(tmp_path: Path) -> None:
    main, pr = write_pair(tmp_path, BETTER)
    found = gate(pr, main, no_worse_than="2pt", undecided="pass")
    assert (found.decision, found.exit_code, found.acted != "") == ("undecided", 0, True)
    lost = write_pair(tmp_path)
    assert gate(*lost, no_worse_than="2pt", undecided="pass").exit_code == 3
    told = gate(*lost, no_worse_than="2pt", report_only=True)
    assert (told.decision, told.exit_code, told.acted) == (
        "fail",
        0,
        "only reported here; it would exit with 3",
    )


def test_a_pass_that_hangs_on_errors_is_not_given(tmp_path: Path) -> None:
    main = write(tmp_path / "main.csv", [1] * 200 + [0] * 40)
    pr = write(
        tmp_path / "pr.csv", [""] * 31 + [1] * 169 + [0] * 40
    )  # what ran is as good; 31 are rate limits
    found = gate(main, pr, no_worse_than="15pt")
    assert (found.decision, found.exit_code) == ("undecided", 4)
    assert found.verdict.text.startswith(
        "UNDECIDED: it passes with the rows without a value left out, and not with"
    )
    assert gate(main, pr, no_worse_than="30pt").decision == "pass"


def test_nothing_to_judge_is_never_green(tmp_path: Path) -> None:
    main = write(tmp_path / "main.csv", [1, 0] * 20)
    pr = write(tmp_path / "pr.csv", [""] * 40)
    for further in ({}, {"undecided": "pass"}, {"report_only": True}):
        found = gate(main, pr, no_worse_than="2pt", **further)
        assert (found.decision, found.exit_code) == ("nothing_to_judge", 5)
    assert "all 40 rows of pr are errors" in found.verdict.text
    (tmp_path / "none.jsonl").write_text("", encoding="utf-8")
    assert gate(main, tmp_path / "none.jsonl", no_worse_than="2pt").exit_code == 5


def test_an_unchanged_candidate_passes_and_is_quiet(tmp_path: Path) -> None:
    main, _ = write_pair(tmp_path, BETTER)
    policy = Policy(
        metrics=(MetricRule("", "2pt"),), costs={"latency p95": CostRule("20%"), "cost": CostRule("10%")}
    )
    found = gate(main, main, policy=policy)
    assert (found.decision, found.quiet) == ("pass", True)
    assert [one.decision for one in found.conditions] == ["pass", "pass", "pass"]


def test_several_conditions_are_held_by_one_rule(tmp_path: Path) -> None:
    main, pr = write_pair(tmp_path, BETTER, slower=0.9)
    policy = Policy(
        metrics=(MetricRule("", "2pt", 0.6, segments={"lang": SegmentRule("3pt")}),),
        costs={"latency median": CostRule("20%"), "cost": CostRule("10%")},
    )
    found = gate(main, pr, policy=policy)
    assert [(one.name, one.of, one.blocks, one.decision) for one in found.conditions[:4]] == [
        ("value", "difference", True, "pass"),
        ("value", "floor", True, "pass"),
        ("latency median", "difference", True, "fail"),
        ("cost", "difference", True, "pass"),
    ]
    assert [one.name for one in found.conditions[4:]] == ["value, lang=de", "value, lang=en"]
    assert not any(one.blocks for one in found.conditions[4:])
    assert "latency median" in found.verdict.text
    again = gate(main, pr, policy=Policy(metrics=(MetricRule(),), costs={"latency p95": CostRule("20%")}))
    assert again.decision == "fail"
    assert again.conditions[0].test is not None


@pytest.mark.parametrize("names", [("", "value"), ("value", "value"), ("", "")])
def test_a_metric_under_two_names_is_one_condition(names: tuple[str, str], tmp_path: Path) -> None:
    rules = Policy(metrics=(MetricRule(names[0], "2pt"), MetricRule(names[1], "5pt", effect="investigates")))
    with pytest.raises(
        UsageError, match=r"names the metric 'value' twice .*Write all that it is held to under one"
    ):
        gate(*write_pair(tmp_path), policy=rules, noise=None)


def test_costs_without_an_error_to_see(tmp_path: Path) -> None:
    def timed(name: str, shift: float, n: int = 100) -> Path:
        rows = "\n".join(f"i{i:03d},1,{1 + i % 7 + shift:.2f}" for i in range(n))
        (tmp_path / name).write_text(f"item,value,latency_s\n{rows}\n", encoding="utf-8")
        return tmp_path / name

    main, faster, slower = timed("main.csv", 0), timed("faster.csv", -0.5), timed("slower.csv", 0.5)
    rules = Policy(costs={"latency p95": CostRule("1%")})
    assert [gate(main, one, policy=rules, noise=None).decision for one in (main, faster, slower)] == [
        "pass",
        "pass",
        "undecided",
    ]
    few = gate(timed("a.csv", 0, 30), timed("b.csv", 0.01, 30), policy=rules, noise=None)
    assert few.decision == "undecided"
    assert "it needs 72" in few.verdict.text
    untimed = Policy(metrics=(MetricRule("", "5pt"),), costs={"cost": CostRule("10%")})
    assert gate(main, faster, policy=untimed, noise=None).decision == "nothing_to_judge"


def test_critical_and_quarantined_items(tmp_path: Path) -> None:
    main, pr = write_pair(tmp_path, BETTER)
    broken = "t-175"  # of the nine that broke
    found = gate(main, pr, policy=Policy(metrics=(MetricRule("", "2pt"),), critical=(broken, "t-000")))
    assert found.decision == "fail"
    assert found.critical is not None
    assert found.critical.failed == (broken,)
    assert f"1 of 2 critical items failed: {broken}" in found.verdict.text
    out = gate(
        main, pr, policy=Policy(metrics=(MetricRule("", "2pt"),), quarantine={broken: "flaky", "gone": ""})
    )
    assert out.decision == "pass"
    assert (out.quarantined, out.n_items) == ((broken,), 239)
    assert broken not in {flip.item for flip in out.flips}
    assert [note.code for note in out.warnings][:2] == ["quarantined", "quarantine_unknown"]
    with pytest.raises(UsageError, match="there is no critical item 't-999'"):
        gate(main, pr, policy=Policy(metrics=(MetricRule("", "2pt"),), critical=("t-999",)))


def test_floors_alone_need_no_baseline(tmp_path: Path) -> None:
    _, pr = write_pair(tmp_path, BETTER)
    assert [gate(pr, at_least=floor).decision for floor in ("70%", "79%", "90%")] == [
        "pass",
        "undecided",
        "fail",
    ]
    with pytest.raises(UsageError, match="there is no baseline to hold it against"):
        gate(pr, no_worse_than="2pt")
    with pytest.raises(UsageError, match="say what passes: --no-worse-than 2pt"):
        gate(pr)


def test_a_floor_of_36_of_36_and_4_of_5(tmp_path: Path) -> None:
    full, few = write(tmp_path / "full.csv", [1] * 36), write(tmp_path / "few.csv", [1, 1, 1, 1, 0])
    assert gate(full, at_least=0.9).decision == "pass"
    assert gate(write(tmp_path / "less.csv", [1] * 35), at_least=0.9).decision == "undecided"
    assert gate(few, at_least=0.9).decision == "undecided"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_blessed_baseline_decides_as_its_run_does(there: Path) -> None:
    main, pr = write_pair(there)
    direct = gate(main, pr, no_worse_than="2pt")
    path = bless(main, name="main", now=datetime(2026, 1, 1, tzinfo=UTC))
    assert path == Path("baselines/main.jsonl")
    main.unlink()
    found = gate("main", pr, no_worse_than="2pt", now=datetime(2026, 1, 15, tzinfo=UTC))
    assert [one.estimate for one in found.conditions] == [one.estimate for one in direct.conditions]
    assert found.flips == direct.flips
    assert found.against is not None
    assert (found.against.name, found.against.age_days) == ("main", 14.0)
    assert path.stat().st_size < 50_000


def test_a_baseline_that_is_too_old_lets_nothing_pass(there: Path) -> None:
    main, pr = write_pair(there, BETTER)
    blessed = datetime(2026, 1, 1, tzinfo=UTC)
    bless(main, name="main", now=blessed)
    (there / "gate.yaml").write_text(
        "metrics: {headline: {no_worse_than: 2pt}}\nbaseline: {name: main, oldest_days: 14}", encoding="utf-8"
    )
    young, old = (gate(pr, policy="gate.yaml", now=blessed + timedelta(days=days)) for days in (13, 15))
    assert (young.decision, old.decision) == ("pass", "undecided")
    assert "is 15 days old and the policy takes it up to 14. Run it again and bless it" in old.verdict.text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: "", "is no baseline"),
        (lambda text: text.replace("aliquot.baseline/1", "aliquot.baseline/9"), "its schema is"),
        (lambda text: "\n".join(text.splitlines()[:-3]), "has 237 rows and its first line says 240"),
        (lambda text: text.replace('"item":"t-005"', '"item":t-005'), "row 6: is damaged"),
    ],
)
def test_a_damaged_baseline_is_said(there: Path, change: object, says: str) -> None:
    main, pr = write_pair(there)
    path = bless(main, name="main")
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")  # type: ignore[operator]
    with pytest.raises(InputError, match=says):
        gate("main", pr, no_worse_than="2pt")


def test_what_cannot_be_blessed(there: Path) -> None:
    with pytest.raises(NothingToJudgeError, match="there is nothing to bless"):
        bless(write(there / "lost.csv", [""] * 5), name="main")
    for name in ("../main", "", "a/b", ".hidden"):
        with pytest.raises(UsageError, match="a baseline's name"):
            bless(write(there / "one.csv", [1, 0]), name=name)
    with pytest.raises(UsageError, match="there is no baseline 'mian' in baselines"):
        gate("mian", there / "one.csv", no_worse_than="2pt")


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_a_change_cannot_excuse_itself(there: Path) -> None:
    main, pr = write_pair(there)
    strict = "metrics: {headline: {no_worse_than: 2pt}}\nbaseline: main\n"
    (there / "gate.yaml").write_text(strict, encoding="utf-8")
    bless(main, name="main")
    git(there, "init", "-q", "-b", "main")
    git(there, "add", "gate.yaml", "baselines")
    git(there, "commit", "-q", "-m", "a policy")
    (there / "gate.yaml").write_text(strict.replace("2pt", "30pt"), encoding="utf-8")
    bless(pr, name="main")
    assert gate(pr, policy="gate.yaml").decision == "pass"
    held = gate(pr, policy="gate.yaml", base_ref="main")
    assert (held.decision, held.conditions[0].margin) == ("fail", 0.02)
    assert "--base-ref main" in held.command
    with pytest.raises(UsageError, match="git knows no 'nowhere' here"):
        gate(pr, policy="gate.yaml", base_ref="nowhere")
    with pytest.raises(UsageError, match=r"main has no policy other\.yaml"):
        gate(pr, policy="other.yaml", base_ref="main")
    with pytest.raises(UsageError, match="is no branch or commit"):
        gate(pr, policy="gate.yaml", base_ref="--output=x")


def judged(systems: dict[str, tuple[list[str], list[float]]]) -> Evidence:
    rows = [
        {"system": name, "task": "task", "item": f"i{i}", "attempt": 1, "metric": "judged", "scorer": "judge",
         "value": value, "by": "judge"}
        for name, (_, values) in systems.items()
        for i, value in enumerate(values)
    ]  # fmt: skip
    kept = {name: kind for name, kind in OUTCOMES.items() if name in rows[0]}
    evidence = assemble(pl.DataFrame(rows, schema=kept))
    texts = {
        (name, "task", f"i{i}", 1): text
        for name, (answers, _) in systems.items()
        for i, text in enumerate(answers)
    }
    return evidence.revise(texts=HeldTexts(responses=texts))


def test_an_answer_that_was_judged_before_is_no_new_row() -> None:
    answers = [f"answer {i}" for i in range(40)]
    moody = [1.0] * 30 + [0.0] * 10
    evidence = judged({"main": (answers, [1.0] * 40), "pr": (answers, moody)})
    found = gate(evidence, no_worse_than="10pt")
    assert (found.decision, found.flips, found.identical) == ("pass", (), True)
    other = judged({"main": (answers, [1.0] * 40), "pr": ([f"{text}!" for text in answers], moody)})
    assert gate(other, no_worse_than="10pt").decision == "fail"
    ruled = evidence.revise(outcomes=evidence.outcomes.with_columns(pl.lit("rule").alias("by")))
    assert len(gate(ruled, no_worse_than="10pt").broke) == 10  # another rule is a change, and is not hidden
    half = judged({"main": (answers, [1.0] * 40), "pr": (answers[:35] + ["new"] * 5, moody)})
    assert [flip.item for flip in gate(half, no_worse_than="10pt").broke] == [f"i{i}" for i in range(35, 40)]


def test_a_baseline_with_fewer_attempts_is_said() -> None:
    rows = [
        {"system": name, "item": f"i{i:02d}", "attempt": k, "value": float((i * 7 + k * 3) % 10 > 2)}
        for name, attempts in (("main", 1), ("pr", 3))
        for i in range(40)
        for k in range(1, attempts + 1)
    ]
    found = gate(assemble(pl.DataFrame(rows)), no_worse_than="20pt")
    assert any(note.code == "baseline_attempts" for note in found.warnings)


def test_the_names_of_conditions_and_sides_are_whole_in_the_terminal(tmp_path: Path) -> None:
    main, pr = (
        path.rename(path.with_stem(f"nightly-2026-11-30-{path.stem}")) for path in write_pair(tmp_path)
    )
    rules = Policy(
        metrics=(MetricRule("", "2pt", 0.5, segments={"lang": SegmentRule("15pt")}),),
        costs={"latency p95": CostRule("20%")},
        critical=("t-000",),
    )
    text = render(gate(main, pr, policy=rules, noise=None))
    table = text.split("\n\n")[1]
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in table
    for words in ("critical", "items", "latency", "p95", "lang=de", "lang=en", "nightly-"):
        assert words in table


def test_of_several_systems_the_candidate_or_both_are_named(tmp_path: Path) -> None:
    rows = [
        {"system": name, "item": f"i{i:03d}", "value": float(i % 10 < cut)}
        for name, cut in (("small", 6), ("base", 7), ("large", 9))
        for i in range(200)
    ]
    evidence = assemble(pl.DataFrame(rows))
    assert gate(evidence, systems=["base", "large"], no_worse_than="2pt", noise=None).decision == "pass"
    assert gate(evidence, systems=["base", "small"], no_worse_than="2pt", noise=None).decision == "fail"
    assert gate(evidence, systems=["large"], at_least="80%", noise=None).decision == "pass"
    with pytest.raises(UsageError, match="Name it: --system NAME"):
        gate(evidence, at_least="80%")
    table = tmp_path / "three.csv"
    pl.DataFrame(rows).write_csv(table)
    done = call("gate", table, "--system", "large", "--at-least", "80%", "--json")
    assert (done.code, json.loads(done.out)["conditions"][0]["n"]) == (0, 200)
    assert json.loads(done.out)["command"].endswith("--at-least 80% --system large")
    assert (
        call("gate", table, "--system", "large", "--systems", "base", "large", "--at-least", "80%").code == 2
    )


def test_attempts_are_no_items(tmp_path: Path) -> None:
    rows = [
        {"system": "pr", "item": f"i{i}", "attempt": k, "value": 1.0} for i in range(40) for k in range(1, 6)
    ]
    found = gate(assemble(pl.DataFrame(rows)), at_least="80%")
    assert (found.n_items, found.conditions[0].n) == (40, 40)


CASE = "65-gate-with-nothing-to-judge"


def test_65_a_gate_with_nothing_to_judge_is_never_green() -> None:
    folder = shared("cases", CASE)
    codes = {}
    for path in sorted(folder.glob("*.jsonl")):
        done = call("gate", path, "--at-least", "0.5", "--json")
        found = json.loads(done.out)
        codes[path.name] = done.code
        assert found["exit_code"] == done.code
        assert found["decision"] == {0: "pass", 3: "fail", 5: "nothing_to_judge"}[done.code]
        assert found["verdict"]["text"]
    assert codes == {"all_errors.jsonl": 5, "bad.jsonl": 3, "empty.jsonl": 5, "good.jsonl": 0}


@pytest.mark.parametrize(
    "names",
    [
        ("deepeval/test_run_model-a.json", "deepeval/test_run_model-b.json"),
        ("deepeval/evaluation_result_model-a.json", "deepeval/evaluation_result_model-b.json"),
        ("promptfoo/results_v3_repeat2.json", "promptfoo/results_v3_repeat2_changed_provider.json"),
    ],
)
def test_baseline_and_candidate_files_gate_in_one_line(names: tuple[str, str], tmp_path: Path) -> None:
    pair = [shared("logs", *name.split("/")) for name in names]
    done = call("gate", *pair, "--no-worse-than", "2pt", "--comment", tmp_path / "pr.md")
    assert done.code == 4, done.err
    assert done.out.startswith("UNDECIDED")
    assert (
        (tmp_path / "pr.md").read_text(encoding="utf-8").startswith("<!-- aliquot gate -->\n> [!WARNING]\n")
    )


def test_a_finding_is_made_again_by_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path)
    found = gate("main.csv", "pr.csv", no_worse_than="2pt", report_only=True)
    assert found.command == "aliquot gate main.csv pr.csv --no-worse-than 2pt --report-only"
    done = call(*found.command.split()[1:], "--json")
    assert (done.code, json.loads(done.out)["verdict"]["text"]) == (0, found.verdict.text)


@pytest.mark.heavy
def test_the_same_seed_decides_the_same(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, slower=0.4)
    policy = Policy(metrics=(MetricRule("", "2pt"),), costs={"latency p95": CostRule("20%")})
    first, second = (finding_document(gate(*pair, policy=policy)) for _ in range(2))
    assert first == second


def test_a_gate_is_what_it_says(tmp_path: Path) -> None:
    found = gate(*write_pair(tmp_path), no_worse_than="2pt")
    assert isinstance(found, Gate)
    assert str(found) == found.verdict.text


def test_items_that_share_clusters_are_told_with_them(tmp_path: Path) -> None:
    """Twenty items of five documents are five, and a reader has to see it beside the 9 that broke."""
    for name, right in (("main", 12), ("pr", 7)):
        rows = [f"q{i},{int(i < right)},doc{i % 5}" for i in range(20)]
        (tmp_path / f"{name}.csv").write_text(
            "item,value,cluster\n" + "\n".join(rows) + "\n", encoding="utf-8"
        )
    found = gate(tmp_path / "main.csv", tmp_path / "pr.csv", no_worse_than="2pt")
    assert found.conditions[0].n_clusters == 5
    assert "(value, 20 items in 5 clusters, margin 2 points" in found.verdict.text
    plain = gate(*write_pair(tmp_path), no_worse_than="2pt")
    assert plain.conditions[0].n_clusters is None
    assert "240 items, margin" in plain.verdict.text


def test_a_quarantine_of_everything_is_refused(tmp_path: Path) -> None:
    main = write(tmp_path / "main.csv", [1, 0, 1])
    rules = Policy(metrics=(MetricRule("", "2pt"),), quarantine={f"t-{i:03d}": "" for i in range(3)})
    with pytest.raises(UsageError, match="every item is in quarantine"):
        gate(main, main, policy=rules)


@pytest.mark.heavy
def test_whole_gates_come_out_as_the_year_says() -> None:
    """Merges of two metrics through the program: nothing changed, and worse by twice the margin."""
    rng, n, psi, margin, merges = np.random.default_rng(11), 200, 0.1, 0.06, 40
    rules = Policy(metrics=tuple(MetricRule(f"m{k}", margin) for k in range(2)))
    year = simulate_year([PairedMerges(n, margin, psi, loss=margin)] * 2, merges=200, error=None, alpha=0.05)
    for loss, expected in ((0.0, year.unchanged), (2 * margin, year.beyond)):
        counts = {"pass": 0, "undecided": 0, "fail": 0}
        for _ in range(merges):
            rows = [row for k in range(2) for row in drawn_pair(rng, f"m{k}", n=n, psi=psi, loss=loss)]
            counts[gate(assemble(pl.DataFrame(rows)), policy=rules, noise=None).decision] += 1
        shares = np.array(list(counts.values())) / merges
        error = 4 * np.sqrt(np.maximum(np.array(expected) * (1 - np.array(expected)), 0.005) / merges)
        assert np.all(np.abs(shares - np.array(expected)) <= error), (shares, expected)


def drawn_pair(
    rng: np.random.Generator, metric: str, *, n: int, psi: float, loss: float
) -> list[dict[str, object]]:
    apart = max(psi, loss)
    kind = rng.choice(3, size=n, p=[(apart - loss) / 2, (apart + loss) / 2, 1 - apart])
    a, b = (kind != 0).astype(float), (kind != 1).astype(float)
    return [
        {"system": name, "item": f"i{i}", "metric": metric, "value": value}
        for name, values in (("main", a), ("pr", b))
        for i, value in enumerate(values)
    ]


def test_a_field_of_very_many_levels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = "\n".join(f"i{i},{i % 2},u{i}" for i in range(60))
    path.write_text(f"item,value,segment.user\n{rows}\n", encoding="utf-8")
    rules = Policy(metrics=(MetricRule("", "2pt", segments={"user": SegmentRule("5pt")}),))
    with pytest.raises(UsageError, match="has 60 levels, and a gate takes apart up to 50"):
        gate(path, path, policy=rules, noise=None)
    assert gate(path, path, no_worse_than="10pt", noise=None).verdict.text.startswith(
        "PASS: not worse than baseline by 10"
    )


def _values(folder: Path, name: str, items: dict[str, int]) -> Path:
    path = folder / f"{name}.csv"
    path.write_text(
        "item,value\n" + "".join(f"{item},{value}\n" for item, value in items.items()), encoding="utf-8"
    )
    return path


def test_a_candidate_does_not_pass_by_leaving_out_what_it_fails(tmp_path: Path) -> None:
    whole = {f"q{i}": int(i % 5 > 0) for i in range(500)}
    main = _values(tmp_path, "main", whole)
    without = _values(tmp_path, "pr", {item: value for item, value in whole.items() if value})
    found = gate(main, without, no_worse_than="10pt")
    assert (found.decision, found.exit_code) == ("undecided", 4)
    assert "100 items of the baseline are not in the candidate" in found.verdict.text
    few = _values(tmp_path, "few", dict(list(whole.items())[:-2]))  # 2 of 500 cannot undo it
    assert gate(main, few, no_worse_than="10pt").decision == "pass"


def test_other_items_do_not_pass(tmp_path: Path) -> None:
    main = _values(tmp_path, "main", {f"q{i}": int(i % 5 > 0) for i in range(500)})
    easy = _values(tmp_path, "easy", {f"z{i}": int(i % 50 > 0) for i in range(500)})
    found = gate(main, easy, no_worse_than="10pt")
    assert found.decision == "undecided"
    assert "share no item" in found.verdict.text


def test_an_empty_file_is_nothing_to_judge(tmp_path: Path) -> None:
    main = _values(tmp_path, "main", {f"q{i}": 1 for i in range(50)})
    (tmp_path / "zero.csv").write_bytes(b"")
    done = call(
        "gate", main, tmp_path / "zero.csv", "--no-worse-than", "5pt", "--report-only", folder=tmp_path
    )
    assert done.code == 5, done.err


def test_margins_are_not_proposed_from_two_runs_that_differ(tmp_path: Path) -> None:
    same = _values(tmp_path, "same", {f"q{i}": int(i % 5 > 0) for i in range(200)})
    worse = _values(tmp_path, "worse", {f"q{i}": int(i % 2 > 0) for i in range(200)})
    done = call("init", "gate", same, worse, "--policy", tmp_path / "gate.yaml", folder=tmp_path)
    assert done.code == 2
    assert "the two runs differ by more than noise alone" in done.err
