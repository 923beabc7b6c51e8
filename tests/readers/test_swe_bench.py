from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence
from aliquot.readers.mapping import read_mapping
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.readers.swe_bench import SweBenchReader
from aliquot.stats import mcnemar
from aliquot.verbs.compare import compare
from tests.shared import shared


def _write(folder: Path, document: dict[str, Any], *, name: str = "20250101_agent") -> Path:
    place = folder / name / "results"
    place.mkdir(parents=True, exist_ok=True)
    path = place / "results.json"
    path.write_text(json.dumps(document))
    return path


def _read(folder: Path, document: dict[str, Any], **options: Any) -> Evidence:
    path = _write(folder, document)
    assert find_reader(path).name == "swe-bench"
    return read_one(path, ReadOptions(**options))


SOME = {"no_generation": ["a__a-1"], "no_logs": ["b__b-2"], "resolved": ["a__a-10", "c__c-3"]}
FATES = [
    ("a__a-1", None, "failed"),  # no patch: counts as 0
    ("a__a-10", 1.0, "ok"),
    ("a__a-11", 0.0, "ok"),  # in no list, though there was a patch
    ("b__b-2", None, "error"),  # no log: missing
    ("c__c-3", 1.0, "ok"),
]


def _fates(evidence: Evidence) -> list[tuple[Any, ...]]:
    return evidence.outcomes.sort("item").select("item", "value", "status").rows()


@pytest.mark.parametrize("document", [SOME, SOME | {"total_instances": 5}, SOME | {"completed_ids": []}])
def test_a_list_that_does_not_name_what_failed_is_refused(tmp_path: Path, document: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"not what was tried and failed.*all_preds\.jsonl.*items: ids\.txt"):
        _read(tmp_path, document)


@pytest.mark.parametrize("place", [".", "results"])
@pytest.mark.parametrize("name", ["all_preds.jsonl", "preds.json"])
def test_what_was_tried_and_failed_comes_from_the_patches_of_the_submission(
    tmp_path: Path, place: str, name: str
) -> None:
    path = _write(tmp_path, SOME)
    ids = ["a__a-11", "c__c-3", "a__a-10", "b__b-2"]
    patches = [{"instance_id": one, "model_patch": "diff"} for one in ids]
    text = "\n".join(map(json.dumps, patches)) if name.endswith("l") else json.dumps({one: {} for one in ids})
    (path.parents[1] / place / name).write_text(text)
    evidence = _read(tmp_path, SOME)
    assert systems(evidence) == ("20250101_agent",)
    assert _fates(evidence) == FATES
    assert evidence.items.sort("item")["cluster"].to_list() == ["a__a", "a__a", "a__a", "b__b", "c__c"]
    assert [note.text for note in evidence.notes] == [
        "the instance id",
        "1 instances have a patch and are in no list: tried and not resolved",
    ]


def test_what_there_was_to_resolve_comes_from_a_file_the_user_names(tmp_path: Path) -> None:
    ids = [item for item, *_ in FATES]
    (tmp_path / "ids.txt").write_text("\n".join(ids) + "\n\n")
    pl.DataFrame({"instance_id": ids, "repo": "a"}).write_parquet(tmp_path / "ids.parquet")
    for name in ("ids.txt", "ids.parquet"):
        evidence = _read(tmp_path, SOME, items=str(tmp_path / name))
        assert _fates(evidence) == FATES
        assert f"1 of 5 instances of {name} are in no list: not resolved" in [n.text for n in evidence.notes]
    (tmp_path / "few.txt").write_text("a__a-1\na__a-10\n")
    with pytest.raises(InputError, match=r"names 2 instances that .*few\.txt does not list: 'b__b-2'"):
        _read(tmp_path, SOME, items=str(tmp_path / "few.txt"))


def test_two_lists_share_what_either_did_not_resolve(tmp_path: Path) -> None:
    ids = [f"x__x-{k}" for k in range(10)]
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    (tmp_path / "swe.yaml").write_text(f"items: {tmp_path / 'ids.txt'}")
    old = _write(tmp_path, {"resolved": ids[:6], "no_logs": []}, name="old")
    new = _write(tmp_path, {"resolved": ids[4:9], "no_logs": []}, name="new")
    table = compare(old, new, options=read_mapping(tmp_path / "swe.yaml")).table
    assert table is not None
    # of 10: both 4 and 5; broke 0 to 3; fixed 6, 7 and 8; neither 9
    assert (table.both, table.broke, table.fixed, table.neither) == (2, 4, 3, 1)


@pytest.mark.parametrize(
    "more",
    [
        {"unresolved_ids": []},
        {"total_instances": 4},
        {"generated": ["a__a-10", "c__c-3"]},
        {"applied": ["a__a-10", "c__c-3", "d__d-1"]},
    ],
)
def test_lists_that_name_every_instance_need_no_more(tmp_path: Path, more: dict[str, Any]) -> None:
    evidence = _read(tmp_path, SOME | more)
    assert [note.code for note in evidence.notes] == ["item_key"]


def test_the_harness_report_names_every_instance(tmp_path: Path) -> None:
    report = {
        "total_instances": 5,
        "resolved_instances": 1,
        "submitted_ids": ["x-1", "x-2", "x-3", "x-4"],
        "completed_ids": ["x-1", "x-2"],
        "resolved_ids": ["x-1"],
        "unresolved_ids": ["x-2"],
        "empty_patch_ids": ["x-3"],
        "error_ids": ["x-4"],
        "incomplete_ids": ["x-5"],
    }
    evidence = _read(tmp_path, report)
    values = evidence.outcomes.sort("item").select("value", "status").rows()
    assert values == [(1.0, "ok"), (0.0, "ok"), (None, "failed"), (None, "error"), (None, "error")]
    assert ("resolved", 1.0) in evidence.reported.select("statistic", "value").rows()
    assert [note.code for note in evidence.notes] == ["item_key"]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"resolved": "x-1", "no_logs": []}, "has no list 'resolved'"),
        ({"resolved": [1], "no_logs": []}, "is no list of instance ids"),
        ({"resolved": [], "no_logs": []}, "lists no instance at all"),
    ],
)
def test_lists_that_are_none_are_refused(tmp_path: Path, document: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        _read(tmp_path, document)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(["resolved", "no_logs", "resolved_ids", "completed_ids", "total_instances"]),
        st.one_of(
            st.lists(st.one_of(st.text(max_size=3), st.none())), st.integers(), st.none(), st.booleans()
        ),
    )
)
def test_any_lists_give_evidence_or_one_error(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document))
    said = ""
    try:
        assert SweBenchReader().read(path, ReadOptions()).outcomes.height > 0
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said


def test_published_pairs_of_swe_bench_verified_come_out_of_the_rows() -> None:
    folder = shared("data", "swebench_verified")
    evidence = read_one(folder / "swebench_verified.parquet")
    published = pl.read_parquet(folder / "published_pairs_verified.parquet")
    table = evidence.outcomes.pivot(on="system", index="item", values="value").sort("item")
    scores = {name: table[name].to_numpy() for name in systems(evidence)}
    worst = np.zeros(3)
    for row in published.iter_rows(named=True):
        d = scores[row["model_a"]] - scores[row["model_b"]]
        fixed, broke = int((d > 0).sum()), int((d < 0).sum())
        n = d.size
        psi, mean = (fixed + broke) / n, (fixed - broke) / n
        found = (
            mcnemar(fixed, broke).p - row["pvalue"],
            np.sqrt((psi - mean**2) / n) - row["SE(A-B)"],  # divisor n, as the design's difference.se
            np.sqrt(psi / n) - row["SE_signtest"],
        )
        worst = np.maximum(worst, np.abs(found))
    assert published.height == 8072
    assert (worst < 1e-12).all()


def test_published_rates_of_swe_bench_verified_come_out_of_the_rows() -> None:
    folder = shared("data", "swebench_verified")
    evidence = read_one(folder / "swebench_verified.parquet")
    published = pl.read_csv(folder / "published_models_verified.csv")
    means = evidence.outcomes.group_by(model="system").agg(
        pl.col("value").mean(), se=pl.col("value").std(ddof=0) / pl.len().sqrt()
    )
    both = published.join(means, on="model", how="full", coalesce=True)
    assert both.height == 123
    assert (both["pass1"] - both["value"]).abs().max() < 1e-12  # type: ignore[operator]
    assert (both["SE(A)"] - both["se"]).abs().max() < 1e-12  # type: ignore[operator]
