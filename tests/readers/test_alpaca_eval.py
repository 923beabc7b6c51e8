from __future__ import annotations

import copy
import csv
import gzip
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.analysis.reconcile import RATES
from aliquot.errors import InputError
from aliquot.evidence.contents import systems
from aliquot.evidence.identity import content_hash
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_evidence, read_one
from aliquot.stats.results import Estimate
from aliquot.verbs.compare import compare
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced
from tests.shared import FOLDER, shared

METRIC = "win over gpt4_1106_preview"


def _record(number: int, preference: float | None, **more: Any) -> dict[str, Any]:
    return {
        "instruction": f"Question {number}?", "output_1": "long", "generator_1": "gpt4_1106_preview",
        "dataset": "koala" if number % 2 else "vicuna", "output_2": "short", "generator_2": "mine",
        "annotator": "weighted_alpaca_eval_gpt4_turbo", "preference": preference, "price_per_example": 0.01,
        **more,
    }  # fmt: skip


def _weighted(number: int, *, second: float, switched: bool) -> dict[str, Any]:
    """Return a record of which the judge says ``M`` (the answer shown second) with the probability ``second``."""
    tops = [{"token": "m", "logprob": math.log(1 - second)}, {"token": "M", "logprob": math.log(second)}]
    raw = {"logprobs": {"content": [{"token": "M", "top_logprobs": tops}]}, "text": "M"}
    return _record(number, 1 + (1 - second if switched else second), raw_completion=raw)


def _write(folder: Path, records: Any, name: str = "annotations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(records))
    return path


def _mean(evidence: Evidence) -> pl.Series:
    (system,) = systems(evidence)
    return units(evidence, system, task="alpaca-eval", metric=METRIC).frame["mean"]


def test_a_preference_is_an_outcome_and_a_vote_of_the_judge(tmp_path: Path) -> None:
    records = [_record(1, 1.25), _record(2, 2), _record(3, 1.5), _record(4, 0), _record(5, None)]
    path = _write(tmp_path, records)
    assert find_reader(path).name == "alpaca-eval"
    evidence = read_one(path)
    assert evidence.outcomes["value"].to_list() == [0.25, 1.0, 0.5, 0.5, None]
    assert evidence.votes["verdict"].to_list() == ["a", "b", "tie", "tie", None]
    assert evidence.votes["status"].to_list() == ["ok"] * 4 + ["unparsed"]
    assert set(evidence.votes["system_a"]) == {"gpt4_1106_preview"}
    assert evidence.votes["label"].to_list() == ["1.25", "2", "1.5", "0", None]
    assert evidence.metrics.select("kind", "judge").row(0) == ("bounded", "weighted_alpaca_eval_gpt4_turbo")
    assert systems(evidence) == ("mine",)
    assert evidence.items["segment.dataset"].to_list()[:2] == ["koala", "vicuna"]
    assert evidence.texts is not None
    assert evidence.texts.response("mine", "alpaca-eval", content_hash("Question 1?", None), 1) == "short"
    assert systems(read_one(tmp_path)) == ("mine",)  # the folder the annotations lie in
    assert systems(read_one(path, ReadOptions(name="ours"))) == ("ours",)


def test_a_preference_off_the_scale_is_an_error_naming_the_record(tmp_path: Path) -> None:
    for wrong in (0.5, -1, 2.1):
        with pytest.raises(InputError, match=r"is no preference \(record 2\).*1 \(the baseline\) to 2"):
            read_one(_write(tmp_path, [_record(1, 1.0), _record(2, wrong)]))
    with pytest.raises(
        InputError, match=r"record 2: Expected `float \| null`, got `str` - at `\$.preference`"
    ):
        read_one(_write(tmp_path, [_record(1, 1.0), _record(2, 1.0) | {"preference": "model"}]))


def test_the_order_shown_is_recovered_from_log_probabilities(tmp_path: Path) -> None:
    records = [
        _weighted(1, second=0.9, switched=False),
        _weighted(2, second=0.9, switched=True),
        _weighted(3, second=0.5, switched=True),  # either order fits
        _record(4, 1.2),
        _record(5, 1.2, raw_completion={"logprobs": {"content": []}}),
        _weighted(6, second=0.8, switched=False) | {"preference": 1.7},  # neither order fits
    ]
    evidence = read_one(_write(tmp_path, records))
    assert evidence.votes["shown_first"].to_list() == ["a", "b", None, None, None, None]
    assert "for 2 of 6" in next(note.text for note in evidence.notes if note.code == "order_recovered")


def test_a_judge_asked_again_repeats_and_is_averaged(tmp_path: Path) -> None:
    evidence = read_one(_write(tmp_path, [_record(1, 1.0), _record(1, 2.0), _record(2, 1.0)]))
    assert sorted(_mean(evidence)) == [0.0, 0.5]
    assert evidence.votes["repeat"].to_list() == [1, 2, 1]


def test_models_judged_against_different_baselines_share_no_metric(tmp_path: Path) -> None:
    one = _write(tmp_path, [_record(1, 1.0)], "one.json")
    two = _write(tmp_path, [_record(1, 1.0, generator_1="text_davinci_003", generator_2="other")], "two.json")
    with pytest.raises(Exception, match="win over"):
        compare(one, two)


def test_a_leaderboard_beside_the_annotations_is_what_was_printed(tmp_path: Path) -> None:
    path = _write(tmp_path, [_record(1, 1.0), _record(2, 2.0)])
    head = ",win_rate,standard_error,n_wins,n_wins_base,n_draws,n_total,mode,length_controlled_winrate\n"
    (tmp_path / "leaderboard.csv").write_text(
        head + "other,1,1,1,1,0,2,x,\nmine,50.0,50.0,1,1,0,2,community,\n"
    )
    printed = dict(read_one(path).reported.select("statistic", "value").iter_rows())
    assert printed == {
        "win_rate": 0.5, "standard_error": 0.5, "n_wins": 1.0, "n_wins_base": 1.0, "n_draws": 0.0, "n_total": 2.0,
    }  # fmt: skip
    assert "win_rate" in RATES


def test_model_outputs_are_answers_nobody_judged(tmp_path: Path) -> None:
    outputs = [{"instruction": "Q?", "output": "A", "generator": "mine", "dataset": "koala"}]
    evidence = read_one(_write(tmp_path, outputs, "model_outputs.json"))
    assert (evidence.outcomes.height, evidence.responses.height) == (0, 1)
    assert evidence.texts is not None
    assert evidence.texts.response("mine", "alpaca-eval", content_hash("Q?", None), 1) == "A"


def test_the_win_rates_of_the_leaderboard_are_reproduced() -> None:
    """Percent; the files here keep preferences to ten digits, so a percentage is off by 100 × 5e-11 at most."""
    board = shared("logs", "alpaca_eval", "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv")
    printed = {row["name"]: float(row["win_rate"]) for row in csv.DictReader(board.read_text().splitlines())}
    for model, name in (("NullModel", "NullModel (adversarial)"), ("FuseChat-Gemma-2-9B-Instruct",) * 2):
        found = _mean(
            read_one(shared("logs", "alpaca_eval", f"annotations_{model}.weighted_gpt4_turbo.json.gz"))
        )
        assert found.len() == 805
        assert 100 * math.fsum(found) / 805 == pytest.approx(printed[name], abs=5e-9)


@pytest.mark.parametrize(
    ("model", "rate", "error"),
    [
        ("claude-2.1", 0.1573, 0.0112), ("claude-2.1_concise", 0.0923, 0.0089), ("gpt-3.5-turbo-1106", 0.0918, 0.0089),
        ("gpt-3.5-turbo-1106_concise", 0.0742, 0.0084), ("gpt4_0613_concise", 0.0940, 0.0090),
        ("vicuna-13b-v1.5", 0.0672, 0.0077), ("FuseChat-Llama-3.1-8B-Instruct", 0.6333, 0.0142),
        ("gpt4_1106_preview", 0.5, 0.0),
    ],
)  # fmt: skip
def test_published_win_rates_and_standard_errors(model: str, rate: float, error: float) -> None:
    path = shared("logs", "alpaca_eval", f"annotations_{model}.weighted_gpt4_turbo.json.gz")
    assert find_reader(path).name == "alpaca-eval"
    found = _mean(read_one(path))
    deviation = found.std()
    assert isinstance(deviation, float)
    assert found.mean() == pytest.approx(rate, abs=5e-5)
    assert deviation / math.sqrt(found.len()) == pytest.approx(error, abs=5e-5)


def test_two_real_files_compare_with_only_their_paths() -> None:
    """Published: the difference .0651 with a paired standard error of .0099."""
    paths = [
        shared("logs", "alpaca_eval", f"annotations_{model}.weighted_gpt4_turbo.json.gz")
        for model in ("claude-2.1_concise", "claude-2.1")
    ]
    found = compare(*paths).difference
    assert isinstance(found, Estimate)
    assert found.point == pytest.approx(0.0651, abs=5e-5)
    assert found.se == pytest.approx(0.0099, abs=5e-5)
    assert read_evidence(paths).votes.height == 2 * 805


def test_the_recovered_order_is_the_one_recovered_by_others() -> None:
    folder = shared("logs", "alpaca_eval")
    evidence = read_one(folder / "annotations_claude-2.1.first25_raw_with_logprobs.json")
    rows = csv.DictReader((folder / "preferences_long.csv").read_text().splitlines())
    known = [row["is_switched_recovered"] for row in rows if row["generator_2"] == "claude-2.1"][:25]
    assert evidence.votes["shown_first"].to_list() == [{"0": "a", "1": "b"}[one] for one in known]


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    records = copy.deepcopy([_record(1, 1.0), _weighted(2, second=0.9, switched=True)])
    path = data.draw(st.sampled_from(places(records)))
    ends_well(_write(tmp_path, replaced(records, path, junk)), reader="alpaca-eval")


@MUTATED
@given(edits=EDITS, packed=st.booleans())
def test_mutated_real_files_give_evidence_or_one_error(tmp_path: Path, edits: Any, packed: bool) -> None:
    source = FOLDER / "logs" / "alpaca_eval" / "annotations_claude-2.1.first25_raw_with_logprobs.json"
    if not source.exists():
        pytest.skip("../shared/logs/alpaca_eval is not on this machine")
    data = source.read_bytes()
    path = tmp_path / "a.json.gz"
    path.write_bytes(edited(gzip.compress(data), edits) if packed else edited(data, edits))
    ends_well(path, reader="alpaca-eval")
