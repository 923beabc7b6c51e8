"""Faults that users of other tools reported, as small inputs: what holds when they go through the commands."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aliquot.runner.cache import cache_key
from aliquot.stats import Undefined, item_pass_at_k, proportion
from aliquot.systems.requests import ChatRequest, Decoding, Message
from tests.cli.called import call
from tests.shared import shared


def folder(name: str) -> Path:
    return shared("cases", name)


def checks(name: str) -> dict[str, Any]:
    """Return the expected values of a case by name, with their own tolerance."""
    case = json.loads((folder(name) / "case.json").read_text(encoding="utf-8"))
    return {
        one["name"]: pytest.approx(one["value"], abs=one.get("abs_tol", 0), rel=one.get("rel_tol"))
        for one in case["expected"]["checks"]
    }


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(path: Path, head: str, *lines: str) -> Path:
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def no_number(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


def finding(*words: str | Path, code: int = 0) -> dict[str, Any]:
    done = call(*words, "--json")
    assert done.code == code, done.err
    return json.loads(done.out, parse_constant=no_number)


def summary(*words: str | Path, code: int = 0) -> dict[str, Any]:
    return finding("summarize", *words, code=code)["lines"][0]


def test_01_the_error_of_a_group_follows_its_weighting(tmp_path: Path) -> None:
    name = "01-group-stderr-follows-the-weights"
    expected = checks(name)
    scores = rows(folder(name) / "scores.csv")
    # subtasks as strata: the shares of a sample drawn by subtask are those of its sizes
    lines = [f"{row['subtask']}{row['item']},{row['score']},{row['subtask']}" for row in scores]
    sized = summary(written(tmp_path / "sized.csv", "item,value,stratum", *lines))["estimate"]
    assert sized["point"] == expected["size_weight_mean"]
    assert sized["se"] == expected["size_weight_stderr"]
    # subtasks as tasks: the mean over tasks weighs each alike
    both = [
        f"{system},{row['subtask']},{row['subtask']}{row['item']},{row['score'] if system == 's' else 0}"
        for system in ("zero", "s")
        for row in scores
    ]
    found = finding("table", written(tmp_path / "tasks.csv", "system,task,item,value", *both))
    alike = next(group for group in found["groups"] if group["weighting"] == "tasks as strata")
    assert alike["candidate_rate"]["point"] == expected["equal_weight_mean"]
    assert alike["candidate_rate"]["se"] == expected["equal_weight_stderr"]


def test_03_repeats_are_not_items() -> None:
    name = "03-epochs-are-not-items"
    expected = checks(name)
    line = summary(folder(name) / "scores.csv", "--value-column", "score")
    assert line["estimate"]["point"] == expected["mean"]
    assert line["estimate"]["se"] == expected["stderr_items"]
    assert (line["n_items"], line["rows"]) == (expected["n_items"], expected["n_rows"])


def test_05_a_judge_that_crashes_on_the_hard_rows_lifts_nothing() -> None:
    name = "05-missing-scores-raise-the-mean"
    expected, a, b = checks(name), folder(name) / "system_a.csv", folder(name) / "system_b.csv"
    assert summary(a)["estimate"]["point"] == expected["a_mean"]
    line = summary(b)
    assert line["estimate"]["point"] == expected["b_mean_scored_only"]
    assert (line["n_items"], line["rows"], line["missing"]) == (expected["b_scored"], expected["b_total"], 2)
    failed, passed = line["if_missing"]
    assert failed["point"] == expected["b_lower_if_missing_are_0"]
    assert passed["point"] == expected["b_upper_if_missing_are_1"]
    compared = finding("compare", a, b)
    assert compared["verdict"]["word"] == "undecided"
    assert compared["matching"]["missing_b"] == 2
    assert compared["difference"]["point"] == 0  # on the two items both were scored on
    assert "2 items" in compared["verdict"]["text"]


def test_07_errors_stand_beside_the_score() -> None:
    name = "07-errors-and-the-denominator"
    expected = checks(name)
    line = summary(folder(name) / "results.csv")
    assert line["estimate"]["point"] == expected["score_errors_excluded"]
    assert line["if_missing"][0]["point"] == expected["score_errors_as_zero"]
    assert line["statuses"]["error"] == expected["n_errors"]
    printed = call("summarize", folder(name) / "results.csv").text
    assert "2 rows have no value: 60.0% if all such rows failed, 80.0% if all passed" in printed
    assert "80%" in printed  # answered


def agreement(path: Path, *words: str, code: int = 0) -> dict[str, Any]:
    return finding("agree", path, *words, code=code)


def test_09_kappa_when_one_or_both_raters_never_vary() -> None:
    cases = folder("09-kappa-constant-raters")
    both = agreement(cases / "both_constant.csv")
    kappa = both["coefficients"][0]
    assert kappa["name"] == "cohen_kappa"
    assert kappa["point"] is None
    assert "chance alone" in kappa["estimate"]["undefined"]
    assert "UNDEFINED" in both["verdict"]["text"]
    assert both["observed"]["point"] == 1.0
    one = agreement(cases / "one_constant.csv")
    assert one["coefficients"][0]["point"] == pytest.approx(0.0, abs=1e-12)
    assert one["observed"]["point"] == 0.75


@pytest.mark.parametrize("empty", ["", "None", "NA"])
def test_11_an_empty_cell_is_not_a_label(tmp_path: Path, empty: str) -> None:
    given = rows(folder("11-alpha-missing-is-not-a-category") / "ratings.csv")
    lines = [",".join(cell or empty for cell in row.values()) for row in given]
    path = written(tmp_path / "ratings.csv", ",".join(given[0]), *lines)
    found = agreement(path, "--measured", "nominal", *(["--missing", empty] if empty else []))
    assert {"alpha": found["coefficients"][0]["point"]} == checks("11-alpha-missing-is-not-a-category")
    assert found["coefficients"][0]["name"] == "krippendorff_alpha"


@pytest.mark.parametrize("name", ["one_rater", "no_overlap"])
@pytest.mark.filterwarnings("error")
def test_14_two_ratings_of_one_item_are_needed(name: str) -> None:
    found = agreement(folder("14-alpha-needs-two-raters") / f"{name}.csv", code=5)
    assert "no answer has two ratings (labels by rater: r1" in found["verdict"]["text"]


def test_15_all_passed_has_an_interval_and_constant_ratings_have_none() -> None:
    name = "15-bca-on-constant-data"
    wilson = json.loads((folder(name) / "case.json").read_text())["expected"]["all_pass"]["any_of"][1]
    found = summary(folder(name) / "all_pass.csv")["estimate"]
    assert found["method"] == "wilson"
    assert (found["low"], found["high"]) == (pytest.approx(wilson["low"], abs=1e-6), 1)
    constant = summary(folder(name) / "constant_rating.csv", code=5)["estimate"]  # nothing to judge
    assert "3.5" in constant["undefined"]
    assert "without variation" in constant["undefined"]
    assert "not available" in call("summarize", folder(name) / "constant_rating.csv").text


@pytest.mark.heavy
def test_16_a_million_rows_stay_in_bounds(tmp_path: Path) -> None:
    name = "16-bootstrap-memory"
    expected = checks(name)
    subprocess.run([sys.executable, folder(name) / "make_input.py"], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "aliquot", "summarize", "scores.csv", "--json"]
    with (tmp_path / "found.json").open("wb") as file:
        child = subprocess.Popen(command, cwd=tmp_path, stdout=file)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    assert usage.ru_maxrss < 1.5e6  # kilobytes
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["lines"][0]["estimate"]
    assert found["point"] == expected["mean"]
    assert (found["high"] - found["low"]) / (2 * 1.959963984540054) == expected["bootstrap_stderr"]


def test_17_limits_end_where_proportions_end(tmp_path: Path) -> None:
    name = "17-proportion-at-the-edges"
    expected = checks(name)
    for row in rows(folder(name) / "counts.csv"):
        k, n, level = int(row["k"]), int(row["n"]), 1 - float(row["alpha"])
        lines = [f"{item},{int(item < k)}" for item in range(n)]
        path = written(tmp_path / f"{k}-{n}.csv", "item,value", *lines)
        found = summary(path, "--level", str(level))["estimate"]
        assert 0 <= found["low"] <= k / n <= found["high"] <= 1
        assert found["low"] == 0 if k == 0 else found["low"] > 0
        assert found["high"] == 1 if k == n else found["high"] < 1
        if f"wilson_{k}_{n}_low" in expected:
            assert (found["low"], found["high"]) == (
                expected[f"wilson_{k}_{n}_low"],
                expected[f"wilson_{k}_{n}_high"],
            )
        else:
            exact = proportion(k, n, level=level, method="clopper_pearson")
            assert (exact.low, exact.high) == (expected[f"cp_{k}_{n}_low"], expected[f"cp_{k}_{n}_high"])
    assert call("compare", "--counts", "0/0", "--counts", "3/5").code == 2


def test_19_a_balanced_table_has_p_1(tmp_path: Path) -> None:
    name = "19-mcnemar-balanced"
    expected = checks(name)
    for row in rows(folder(name) / "pairs.csv"):
        cells = [(1, 1, "both"), (1, 0, "a_only"), (0, 1, "b_only"), (0, 0, "neither")]
        pairs = [(a, b) for a, b, cell in cells for _ in range(int(row[cell]))]
        lines = [f"{item},{a},{b}" for item, (a, b) in enumerate(pairs)]
        path = written(tmp_path / f"{row['table']}.csv", "item,a,b", *lines)
        wide = ("--wide", "a", "--wide", "b")
        found = finding("compare", path, *wide)
        deciding = next(test for test in found["tests"] if test["decides"])
        assert deciding["name"] == "mcnemar_exact"
        assert deciding["p"] == expected[f"p_{row['table']}"]
        if row["table"] == "none":
            assert found["difference"]["low"] < 0 < found["difference"]["high"]
            assert "0 fixed, 0 broke" in call("compare", path, *wide).text


def test_22_a_permutation_p_is_never_0() -> None:
    name = "22-monte-carlo-p-floor"
    path = folder(name) / "paired.csv"
    found = finding("compare", path, "--wide", "a", "--wide", "b")
    deciding = next(test for test in found["tests"] if test["decides"])
    assert deciding["name"] == "sign_flip"
    assert deciding["p"] >= min(2 / 2**30, checks(name)["p_min_possible"].expected)
    printed = call("compare", path, "--wide", "a", "--wide", "b", "-v").text
    assert "p < 0.0001" in printed
    assert "p 0 " not in printed


def test_27_three_labels_are_no_interval_of_a_judge(tmp_path: Path) -> None:
    case = folder("27-ppi-three-labels")
    wanted = json.loads((case / "case.json").read_text(encoding="utf-8"))["expected"]["any_of"][1]
    labelled, others = rows(case / "labelled.csv"), rows(case / "unlabelled.csv")
    lines = [f"{row['item']},{row['judge']},{row.get('human', '')}" for row in (*labelled, *others)]
    path = written(tmp_path / "all.csv", "item,judge,human", *lines)
    found = finding("calibrate", path, "--value-column", "judge", "--labels", path)
    corrected = found["corrected"][0]["corrected"]
    assert (corrected["low"], corrected["high"]) == pytest.approx(
        (wanted["low"], wanted["high"]), abs=wanted["abs_tol"]
    )
    assert "3 labels" in found["corrected"][0]["why"]
    assert "minimum" in found["corrected"][0]["why"]


def test_29_pass_at_k_of_too_few_attempts_is_not_available(tmp_path: Path) -> None:
    name = "29-pass-at-k-too-few"
    expected, counted = checks(name), rows(folder(name) / "samples.csv")
    case = json.loads((folder(name) / "case.json").read_text(encoding="utf-8"))["expected"]
    lines = [
        f"{row['item']},{attempt},{int(attempt <= int(row['correct']))}"
        for row in counted
        for attempt in range(1, int(row["n"]) + 1)
    ]
    line = summary(written(tmp_path / "attempts.csv", "item,attempt,value", *lines))
    shown = line["repeats"]["pass_at"]
    assert list(shown) == ["1", "2", "4"]  # x has 4 attempts, so nothing is said of more
    means = {"1": (0 + 0.4 + 0 + 1) / 4, "2": (0 + 0.7 + 0 + 1) / 4, "4": (0 + 1 + 0 + 1) / 4}  # x, y, z, w
    assert {k: one["point"] for k, one in shown.items()} == pytest.approx(means)
    n, correct = ([int(row[column]) for row in counted] for column in ("n", "correct"))
    for k in (1, 3, 5):
        for row, found in zip(counted, item_pass_at_k(correct, n, k=k), strict=True):
            named = f"{row['item']}_pass_at_{k}"
            if named in expected:
                assert found == expected[named]
            elif case.get(named) == "not available":
                assert isinstance(found, Undefined)


def test_51_a_cache_key_covers_everything() -> None:
    name = "51-cache-key-covers-everything"
    lines = (folder(name) / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    keys = [_cache_key(json.loads(line)) for line in lines]
    assert len(set(keys)) == checks(name)["n_distinct_keys"]
    assert keys[0] == keys[9]
    assert keys[10] != keys[0]  # no temperature is not temperature 0


OWN = """\
import re
from pathlib import Path

REPLIES = Path(__file__).with_name("replies.txt").read_text(encoding="utf-8").split("\\x1f")

def answer(asked):
    return "an answer"

def reply(asked):
    return REPLIES[int(re.search(r"item (\\d+)\\.", asked)[1]) - 1]
"""

JUDGED = """\
name: judged
items: items.jsonl
guards: off
scorers: [{judge: judge.yaml, model: {python: "own.py:reply"}}]
systems: {one: {model: {python: "own.py:answer"}, prompt: "{{ question }}"}}
"""


def judged(folder: Path, verdicts: str, replies: list[str]) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Return what a run comes to whose judge gives these replies, and its outcomes in the order of the items."""
    folder.mkdir()
    asks = 'asks: "{{ question }} {{ answer }}"'
    texts = {"own.py": OWN, "judged.yaml": JUDGED, "judge.yaml": f"name: judge\n{asks}\n{verdicts}\n"}
    items = [json.dumps({"id": f"{n}", "question": f"item {n}."}) for n in range(1, len(replies) + 1)]
    texts |= {"items.jsonl": "\n".join(items), "replies.txt": "\x1f".join(replies)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = call("run", folder / "judged.yaml", "--directory", folder / "runs")
    assert done.code == 0, done.err
    assert "the judge 'judge' is uncalibrated" in done.err
    run = folder / "runs" / "judged"
    assert call("read", run, "-o", folder / "rows.csv").code == 0
    found = sorted(rows(folder / "rows.csv"), key=lambda row: int(row["item"]))
    assert len(found) == len(replies)
    return summary(run), found


def test_58_a_verdict_inside_another_word_is_none(tmp_path: Path) -> None:
    case = folder("58-incorrect-contains-correct")
    expected = json.loads((case / "case.json").read_text(encoding="utf-8"))["expected"]
    lines = (case / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [json.loads(line)["reply"] for line in lines]
    line, found = judged(tmp_path / "run", "labels: [correct, incorrect]\npasses: [correct]", replies)
    said = [row["outcome.label"] if row["outcome.status"] == "ok" else "unparsed" for row in found]
    for verdict, wanted in zip(said, expected["verdicts"], strict=True):
        assert verdict in wanted.split(" or ")
    assert line["estimate"]["point"] == pytest.approx(
        2 / 5
    )  # of the five verdicts there are, two are correct


def test_60_a_score_off_its_scale_is_none(tmp_path: Path) -> None:
    name = "60-score-off-the-scale"
    expected = json.loads((folder(name) / "case.json").read_text(encoding="utf-8"))["expected"]
    replies = (folder(name) / "judge.jsonl").read_text(encoding="utf-8").splitlines()
    line, found = judged(tmp_path / "plain", "scale: [0, 100]", replies)
    values = {int(row["item"]): float(row["value"]) for row in found if row["value"]}
    assert sorted(values) == expected["valid_items"]
    assert line["estimate"]["point"] == checks(name)["mean_of_1_6_9"]
    _, found = judged(tmp_path / "told", "scale: [0, 100]\naccept: [text, fraction]", replies)
    told = {row["item"]: float(row["value"]) for row in found if row["value"]}
    assert {item: value for item, value in told.items() if int(item) not in values} == expected[
        "accepted_if_declared"
    ]
    assert not set(map(int, told)) & set(expected["invalid_items"])


def _cache_key(body: dict[str, Any]) -> str:
    messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
    decoding = Decoding(
        temperature=body.get("temperature"),
        max_tokens=body["max_tokens"],
        seed=body.get("seed"),
        stop=tuple(body.get("stop", ())),
        top_p=body.get("top_p"),
    )
    return cache_key({"model": body["model"]}, ChatRequest(messages, decoding), attempt=1)
