"""SWE-bench results: which instances were resolved, and which of those that were to be resolved were not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError, excerpt
from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.files.ends import file_ends
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded
from aliquot.readers.instances import listed_instances, submitted_instances
from aliquot.readers.options import ReadOptions

TASK: Final = "swe-bench"
MAX_BYTES: Final = 256 << 20

RESOLVED: Final = ("resolved", "resolved_ids")
EVALUATED: Final = ("applied", "completed_ids", "unresolved_ids", "with_logs", "test_errored", "test_timeout")
"""Lists of instances whose patch was tried; one that is not resolved failed."""

NO_ANSWER: Final = ("no_generation", "empty_patch_ids", "no_apply")
"""Lists of instances without a patch that could be tried: the system's doing."""

NOT_MEASURED: Final = ("no_logs", "error_ids", "install_fail", "reset_failed", "incomplete_ids")
"""Lists of instances of which nothing is known: the measurement's doing."""

LISTED: Final = ("generated", "submitted_ids")
"""Lists of every instance that was answered."""

WHOLE: Final = ("applied", "completed_ids", "with_logs", *LISTED)
"""Lists that hold every resolved instance and the unresolved ones beside them."""


class SweBenchReader:
    """Reads ``results.json`` of SWE-bench submissions and the harness's own report."""

    name = "swe-bench"
    reads = "SWE-bench results with lists of resolved instances"

    def sniff(self, path: Path) -> bool | str:
        """Tell a result list by its keys."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        head, tail = file_ends(path)
        ends = head + tail
        known = (*EVALUATED, *NO_ANSWER, *NOT_MEASURED, *LISTED)
        lists = sum(f'"{name}"'.encode() in ends for name in known)
        resolved = any(f'"{name}"'.encode() in ends for name in RESOLVED)
        return "results.json" if resolved and lists and head.lstrip().startswith(b"{") else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one system's result lists.

        Some name what was resolved and not what was tried and failed. Every rate of such a list would be too high, and
        two of them would share what both resolved and nothing else. The others are taken from ``options.items``, else
        from the submission's patches beside the list; where there is neither, it is refused.

        Raises:
            InputError: there is no list of resolved instances, a list holds anything but ids, or nothing tells which
                instances there were.
            MachineError: the machine refuses to read it.
        """
        file, reading = str(path), JsonReading()
        data = read_bounded(path, limit=MAX_BYTES)
        document = reading.parse(decode(data, file=file, encoding=options.encoding), file=file)
        lists = _lists(document, file=file)
        name = options.name or _name(path)
        notes = [Note("item_key", "the instance id")]
        if not any(lists.values()):
            raise InputError("lists no instance at all", file=file)
        if options.items is not None:
            notes += _add_listed(lists, Path(options.items), file=file)
        elif not _is_whole(lists, document.get("total_instances")):
            notes += _add_submitted(lists, path)
        rows = list(_rows(lists, system=name))
        frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "reason": pl.String})
        items = frame.select("task", "item", cluster=pl.col("item").str.extract(r"^(.+)-\d+$"))
        return assemble(
            frame.select("system", "task", "item", "value", "status", metric=pl.lit("resolved")),
            items=items,
            responses=frame.select("system", "task", "item", "status", "reason"),
            metrics=_metrics(frame["value"]),
            reported=_reported(document, system=name),
            sources=(Source(file, "swe-bench", "results.json", hashlib.sha256(data).hexdigest()),),
            notes=notes,
        )


def _name(path: Path) -> str:
    """Return the system's name: a submission's folder, as every file in it is called ``results.json``."""
    if path.stem != "results":
        return path.stem
    folders = [part for part in path.absolute().parts[:-1] if part != "results"]
    return folders[-1] if len(folders) > 1 else path.stem


def _lists(document: Any, *, file: str) -> dict[str, list[str]]:
    if not isinstance(document, dict) or not any(isinstance(document.get(name), list) for name in RESOLVED):
        raise InputError("has no list 'resolved' of instance ids", file=file)
    known = (*RESOLVED, *EVALUATED, *NO_ANSWER, *NOT_MEASURED, *LISTED)
    lists: dict[str, list[str]] = {}
    for name in known:
        found = document.get(name)
        if found is None or isinstance(found, int):  # a count beside the lists
            continue
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            raise InputError("is no list of instance ids", file=file, field=name)
        lists[name] = list(dict.fromkeys(found))
    return lists


def _rows(lists: Mapping[str, Sequence[str]], *, system: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each instance that any list names; the first of these that fits tells its fate."""
    fates: dict[str, tuple[float | None, str, str | None]] = {}
    for names, value, status in (
        (RESOLVED, 1.0, "ok"),
        (NO_ANSWER, None, "failed"),
        (NOT_MEASURED, None, "error"),
        (EVALUATED, 0.0, "ok"),
        (LISTED, 0.0, "ok"),
    ):
        for name in names:
            for item in lists.get(name, ()):
                fates.setdefault(item, (value, status, None if status == "ok" else name))
    for item in sorted(fates):
        value, status, reason = fates[item]
        yield {
            "system": system,
            "task": TASK,
            "item": item,
            "value": value,
            "status": status,
            "reason": reason,
        }


def _metrics(values: pl.Series) -> pl.DataFrame:
    return pl.DataFrame([metric_row("resolved", values, kind="binary", headline=True)], schema=dict(METRICS))


def _reported(document: Mapping[str, Any], *, system: str) -> pl.DataFrame:
    counts = {
        name: document.get(f"{name}_instances") for name in ("total", "resolved", "unresolved", "error")
    }
    rows = [
        {"system": system, "task": TASK, "metric": "resolved", "statistic": name, "value": float(value)}
        for name, value in counts.items()
        if isinstance(value, int) and abs(value) < 1 << 53
    ]
    return pl.DataFrame(rows)


def _is_whole(lists: Mapping[str, Sequence[str]], total: Any) -> bool:
    """Tell whether the lists name the unresolved instances too."""
    named = set[str]().union(*lists.values())
    resolved = {item for name in RESOLVED for item in lists.get(name, ())}
    return (
        "unresolved_ids" in lists
        or len(named) == total
        or any(name in lists and resolved <= set(lists[name]) for name in WHOLE)
    )


def _add_listed(lists: dict[str, list[str]], path: Path, *, file: str) -> list[Note]:
    """Add the instances the user's file lists; return what that means."""
    listed = listed_instances(path)
    named = set[str]().union(*lists.values())
    strange = sorted(named.difference(listed))
    if strange:
        problem = f"names {len(strange)} instances that {path} does not list: {excerpt(strange[0])}"
        raise InputError(problem, file=file, remedy="It must list every instance of the same benchmark")
    lists["generated"] = [*lists.get("generated", ()), *listed]
    text = (
        f"{len(listed) - len(named)} of {len(listed)} instances of {path.name} are in no list: not resolved"
    )
    return [Note("unresolved_listed", text)]


def _add_submitted(lists: dict[str, list[str]], path: Path) -> list[Note]:
    """Add the instances the submission has a patch for; return what that means."""
    submitted = submitted_instances(path)
    if not submitted:
        raise InputError(
            "lists what was resolved but not what was tried and failed, so no rate and no comparison can be made of it",
            file=str(path),
            remedy="Put the submission's all_preds.jsonl or preds.json beside it, or name a file of all instance ids: "
            "--mapping FILE with the line items: ids.txt",
        )
    named = set[str]().union(*lists.values())
    lists["generated"] = [*lists.get("generated", ()), *submitted]
    text = f"{len(set(submitted) - named)} instances have a patch and are in no list: tried and not resolved"
    return [Note("unresolved_from_patches", text)]
