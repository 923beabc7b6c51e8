"""Read every shared log and write the second half of docs/readers.md: what the tools printed beside our numbers.

Run by ``make readers``; needs the folder ``shared`` beside the project. Ends with 1 when a number differs for no stated
reason.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from aliquot.errors import AliquotError
from aliquot.evidence.contents import metrics
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.registry import find_reader, read_one
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.results import Undefined

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT.parent / "shared" / "logs"
PAGE = ROOT / "docs" / "readers.md"
MARK = "<!-- Everything below is written by make readers -->\n"
FORMATS = (
    "inspect", "lm-eval", "promptfoo", "helm", "lighteval", "deepeval", "ragas", "alpaca_eval", "fastchat",
    "openai_evals", "azure",
)  # fmt: skip
NO_LOGS = {
    "tasks",
    "promptfooconfig.yaml",
    "two_prompts.config.yaml",
    "results.junit.xml",
    "terminal_output.txt",
    "preferences_long.csv",
    "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv",
    "judge_prompts.jsonl",
    "mt_bench_question.jsonl",
    "mt_bench_reference_gpt-4.jsonl",
    "terminal_output_evaluate.txt",
    "terminal_output_test_run.txt",
    "discount_benchmark.csv",
}
"""What lies beside the logs: configurations, item files and renderings."""

FOLDERS = ("helm",)
"""Tools whose log is a folder: each file in it stands for the whole."""

GROUPED, CLUSTERED = "grouped: ", "stderr(cluster="


@dataclass(frozen=True)
class Number:
    """One number a tool printed, ours if there is one, and why they differ if they do."""

    file: str
    system: str
    task: str
    metric: str
    statistic: str
    printed: float
    ours: float | None
    why: str

    @property
    def equal(self) -> bool:
        return self.ours is not None and math.isclose(self.printed, self.ours, rel_tol=1e-12, abs_tol=1e-12)


def main() -> int:
    """Write the page."""
    numbers: list[Number] = []
    lines: list[str] = []
    for path in _logs():
        name = path.relative_to(LOGS).as_posix()
        try:
            evidence = read_one(path)
        except AliquotError as error:
            lines.append(f"| `{name}` | {error} | | | | | |")
            continue
        found = list(_numbers(evidence, name))
        numbers += found
        equal = sum(number.equal for number in found)
        version = f"{find_reader(path).name} {evidence.sources[0].version}"
        lines.append(
            f"| `{_short(name)}` | {version} | {evidence.items.height} | {_answers(evidence)} "
            f"| {_errors(evidence)} | {len(found)} | {equal} |"
        )
    head = PAGE.read_text(encoding="utf-8").split(MARK)[0]
    PAGE.write_text(head + MARK + "\n".join(_page(lines, numbers)) + "\n", encoding="utf-8")
    unexplained = [number for number in numbers if not number.equal and not number.why]
    for number in unexplained:
        print(f"unexplained: {number}")  # noqa: T201 - a script
    print(f"{len(lines)} logs, {len(numbers)} numbers, {len(unexplained)} differ for no stated reason")  # noqa: T201 - as above
    return 1 if unexplained else 0


def _logs() -> Iterator[Path]:
    for part in FORMATS:
        if part in FOLDERS:
            yield from sorted(path for path in (LOGS / part).glob("*/*") if path.is_dir())
            continue
        for path in sorted((LOGS / part).rglob("*")):
            if path.is_file() and not NO_LOGS & set(path.relative_to(LOGS).parts):
                yield path


def _answers(evidence: Evidence) -> str:
    votes = evidence.votes.height
    return f"{votes} votes" if votes and not evidence.responses.height else str(evidence.responses.height)


def _errors(evidence: Evidence) -> int:
    return evidence.responses.filter(pl.col("status") == "error").height


def _numbers(evidence: Evidence, file: str) -> Iterator[Number]:
    for row in evidence.reported.iter_rows(named=True):
        system, task, metric, statistic = (row[name] for name in ("system", "task", "metric", "statistic"))
        there = metric in metrics(evidence, task, system=system)
        ours = _ours(evidence, system, task, metric, statistic) if there else None
        why = _why(evidence, file.split("/", maxsplit=1)[0], metric, statistic, there=there)
        yield Number(file, system, task, metric, statistic, row["value"], ours, why)


def _ours(evidence: Evidence, system: str, task: str, metric: str, statistic: str) -> float | None:
    """Return what we make of the rows under the statistic's own name."""
    frame = units(evidence, system, task=task, metric=metric).frame
    answered = frame.drop_nulls("mean")
    values = answered["mean"].to_numpy()
    outcomes = evidence.outcomes.filter(
        pl.col("system") == system, pl.col("task") == task, pl.col("metric") == metric
    )
    responses = evidence.responses.filter(pl.col("system") == system, pl.col("task") == task)
    if statistic.startswith(GROUPED) and statistic != "grouped: all":
        return _mean(_group(answered, statistic.removeprefix(GROUPED)))
    if statistic.startswith(CLUSTERED):
        return _clustered(answered, statistic.removeprefix(CLUSTERED).removesuffix(")"))
    if ", " in statistic:
        return _of_part(answered, statistic)
    counted: dict[str, Callable[[], float | None]] = {
        **dict.fromkeys(("accuracy", "value", "mean", "pass_rate", "grouped: all"), lambda: _mean(values)),
        **dict.fromkeys(("stderr", "bootstrap_stderr"), lambda: _deviation(values, root=True)),
        "std": lambda: _deviation(values, root=False),
        "scored_samples": lambda: answered.height,
        "unscored_samples": lambda: frame.height - answered.height,
        "pass_count": (outcomes["value"] == 1.0).sum,
        "fail_count": (outcomes["value"] == 0.0).sum,
        "error_count": lambda: responses.filter(pl.col("status") == "error").height,
        "errors": (outcomes["status"] == "error").sum,
        "sum": outcomes["value"].sum,
        "count": outcomes["value"].count,
        "total_cost": responses["cost"].sum,
        "total_latency_ms": lambda: 1000 * responses["latency_s"].sum(),
    }
    return counted[statistic]() if statistic in counted else None


def _of_part(frame: pl.DataFrame, statistic: str) -> float | None:
    """Return a mean of the items that HELM's statistic names, ``mean, sub_split=p1``; a deviation is between trials."""
    name, *parts = statistic.split(", ")
    for part in parts:
        field, _, value = part.partition("=")
        frame = frame.filter(pl.col(f"segment.{field}") == value)
    values = frame["mean"].to_numpy()
    return _mean(values) if name == "mean" else _deviation(values, root=False)


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if values.size else None


def _deviation(values: np.ndarray, *, root: bool) -> float | None:
    if values.size == 1:
        return 0.0  # what the tools print; a finding says "undefined"
    return float(values.std(ddof=1) / (math.sqrt(values.size) if root else 1.0)) if values.size else None


def _group(frame: pl.DataFrame, name: str) -> np.ndarray:
    segments = [column for column in frame.columns if column.startswith("segment.")]
    fitting = [column for column in segments if name in frame[column]]
    return frame.filter(pl.col(fitting[0]) == name)["mean"].to_numpy() if fitting else np.array([])


def _clustered(frame: pl.DataFrame, field: str) -> float | None:
    column = f"segment.{field}" if f"segment.{field}" in frame.columns else "cluster"
    codes = frame[column].rank("dense").to_numpy().astype(np.int64)
    found = cluster_variance(frame["mean"].to_numpy(), clusters=codes)
    return None if isinstance(found, Undefined) else math.sqrt(found.variance)


REDUCERS = ("mode: ", "pass_at_2: ", "at_least_", "max: ", "median: ")

REASONS: tuple[tuple[str, str], ...] = (
    ("openai_evals bootstrap_std", "the spread of means of 1,000 unseeded half samples; ours is s/√n"),
    ("inspect bootstrap_stderr", "a bootstrap without a seed; ours is s/√n"),
    (
        f"inspect {CLUSTERED}",
        "Inspect's cluster sum without small-sample correction; ours is CR2, larger with few clusters",
    ),
    (
        "promptfoo pass_rate",
        "promptfoo counts errors as failures; ours leaves them out and bounds what they could hide",
    ),
    (
        "promptfoo sum",
        "promptfoo adds value × weight, also of assertions that errors cut short; ours is the mean of the values",
    ),
    (
        "promptfoo count",
        "promptfoo counts assertions of this name, several in one test; ours counts attempts with a value",
    ),
    (
        "promptfoo mean",
        "promptfoo averages attempts; ours averages items, of which errors leave some fewer attempts",
    ),
    (
        "lm-eval value brier_score",
        "the log keeps probabilities rounded to eight digits; lm-eval printed it before rounding",
    ),
    (
        "promptfoo total_latency_ms",
        "promptfoo adds the time of answers that ended in an error; the log's rows without one",
    ),
    (
        "helm stddev",
        "HELM's deviation is between trials, so 0 with one; ours is between items, and no standard error either",
    ),
    (
        "deepeval passes",
        "cases that reached the metric's threshold, which evidence does not hold; its value is the score",
    ),
    (
        "deepeval fails",
        "cases that reached the metric's threshold, which evidence does not hold; its value is the score",
    ),
    ("promptfoo weight", "promptfoo's sum of weights; our values are unweighted"),
)


def _why(evidence: Evidence, tool: str, metric: str, statistic: str, *, there: bool) -> str:
    """Return why our number may differ from the printed one, or nothing."""
    if not evidence.outcomes.height:
        return "the log holds totals only: nothing per item to check them by"
    if not there and tool == "helm":
        return "made of sums over instances: no instance has a value of it"
    if not there:
        return "a group or sum the tool makes of other metrics; it has no rows of its own (lm-eval ignores the weights)"
    if any(statistic.startswith(name) for name in REDUCERS):
        return "another summary of the epochs; ours is the mean of the epochs of an item"
    if evidence.outcomes.filter(pl.col("metric") == metric, pl.col("value").is_not_null()).is_empty():
        return "a metric of the whole corpus, made of parts and not of values of items"
    return next((text for name, text in REASONS if f"{tool} {statistic} {metric}".startswith(name)), "")


def _page(lines: list[str], numbers: list[Number]) -> Iterator[str]:
    yield "\n## Every shared log, and what its tool printed\n"
    yield "Errors are responses with status `error`. A number is equal to 1e-12, or stands below with the reason.\n"
    yield "| log | tool | items | responses | errors | numbers printed | equal |\n|---|---|---|---|---|---|---|"
    yield from lines
    yield "\n### Numbers that are not ours\n"
    yield "| why | statistics | how many | example: printed, ours |\n|---|---|---|---|"
    differing = [number for number in numbers if not number.equal]
    for why in dict.fromkeys(number.why for number in differing):
        own = [number for number in differing if number.why == why]
        names = ", ".join(
            f"`{name}`" for name in dict.fromkeys(number.statistic.split(", ")[0] for number in own)
        )
        first = own[0]
        ours = "–" if first.ours is None else f"{first.ours:.4g}"
        example = f"`{_short(first.file)}`, {first.metric} {first.statistic}: {first.printed:.4g}, {ours}"
        yield f"| {why or '**unexplained**'} | {names} | {len(own)} | {example} |"


def _short(name: str) -> str:
    """Return a log's path without the time stamps that make it long."""
    folder, _, file = name.rpartition("/")
    return f"{folder}/{file[:14]}…{file[-18:]}" if len(file) > 40 else name


if __name__ == "__main__":
    sys.exit(main())
