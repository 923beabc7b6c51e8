"""Which files of a folder lighteval wrote, and which details belong to which results."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.ends import file_ends
from aliquot.files.parquet_footer import MAGIC

MAX_ENTRIES: Final = 100_000
MAX_DEPTH: Final = 6
"""``details/<organisation>/<model>/<time>/`` below an output folder, and one for folders of such folders."""

_STAMP: Final = r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_DETAILS: Final = re.compile(rf"details_(?P<task>.+)_{_STAMP}\.parquet")
_RESULTS: Final = re.compile(rf"results_{_STAMP}\.json")
_PEEK: Final = 4096


@dataclass(slots=True)
class RunFiles:
    """The files of one run of lighteval.

    Attributes:
        model: the model's name as the folders tell it, empty when they do not.
        stamp: the time in their names.
        results: the aggregates, if they are there.
        details: task, as the file's name tells it → the rows.
    """

    model: str
    stamp: str
    results: Path | None = None
    details: dict[str, Path] = field(default_factory=dict[str, Path])


def is_details(path: Path) -> bool:
    """Tell whether a file holds the rows of a task, by its name and first bytes."""
    return (
        bool(_DETAILS.fullmatch(path.name))
        and path.is_file()
        and file_ends(path, head=_PEEK, tail=0)[0].startswith(MAGIC)
    )


def is_results(path: Path) -> bool:
    """Tell whether a file holds lighteval's aggregates, by its first bytes."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    start = file_ends(path, head=_PEEK, tail=0)[0].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and b'"config_general"' in start[:200]


def has_logs(path: Path) -> bool:
    """Tell whether a file or folder holds anything of lighteval's."""
    if not path.is_dir():
        return is_details(path) or is_results(path)
    try:
        return any(is_details(file) or is_results(file) for file in _files(path))
    except InputError:
        return False


def find_runs(path: Path) -> list[RunFiles]:
    """Return the runs of a folder, or the run a file belongs to; oldest first.

    Results bring the details of their time, and details their results, wherever in the output folder they are.

    Raises:
        InputError: nothing of lighteval is there, or too many files.
    """
    files = _files(path) if path.is_dir() else [path]
    found = {one for file in files for one in _with_partners(file)}
    if not found:
        remedy = "It writes results_<time>.json, and details_<task>_<time>.parquet with --save-details"
        raise InputError("holds no log of lighteval", file=str(path), remedy=remedy)
    runs = _group(found)
    return sorted(runs, key=lambda run: (run.stamp, run.model))


def _with_partners(file: Path) -> Iterator[Path]:
    """Yield a file that lighteval wrote and those of the same run; nothing for any other file."""
    if is_results(file):
        yield file.absolute()
        yield from (one for folder in _details_folders(file) for one in _inside(folder) if is_details(one))
    elif is_details(file):
        yield file.absolute()
        yield from (one for one in _results_files(file) if is_results(one))


def _group(files: Iterable[Path]) -> list[RunFiles]:
    """Return the runs that files belong to: of one model and time."""
    runs: dict[tuple[str, str], RunFiles] = {}
    for file in sorted(files):
        details, results = _DETAILS.fullmatch(file.name), _RESULTS.fullmatch(file.name)
        stamp = details["stamp"] if details else results["stamp"] if results else ""
        model = model_of(file)
        run = runs.setdefault((model, stamp), RunFiles(model, stamp))
        if details:
            run.details[details["task"]] = file
        elif run.results is None or stamp:
            run.results = file
        else:  # two files of results without a time are two runs
            runs[str(file), ""] = RunFiles(model, "", file)
    return list(runs.values())


def model_of(file: Path) -> str:
    """Return the model the folders above a file name: below ``details`` or ``results``, or ``details_<model>``.

    Examples:
        >>> model_of(Path("out/details/org/m/2026-01-01T00-00-00/details_t|0_2026-01-01T00-00-00.parquet"))
        'org/m'
    """
    folders = list(file.absolute().parts[1:-1])
    if folders and re.fullmatch(_STAMP, folders[-1]):
        folders.pop()
    for place in range(len(folders) - 1, -1, -1):
        name = folders[place]
        if name in ("details", "results") and place < len(folders) - 1:
            return "/".join(folders[place + 1 :])
        if name.startswith("details_"):
            return name.removeprefix("details_").removesuffix("_private").replace("__", "/")
    return folders[-1] if folders else ""


def _details_folders(results: Path) -> Iterator[Path]:
    """Yield where the details of a file of results may be."""
    found = _RESULTS.fullmatch(results.name)
    if found:
        yield from (
            place / found["stamp"] for place in (_swap(results.parent, "results", "details"), results.parent)
        )


def _results_files(details: Path) -> Iterator[Path]:
    """Yield where the results of a file of details may be."""
    found = _DETAILS.fullmatch(details.name)
    if found:
        name, above = f"results_{found['stamp']}.json", details.absolute().parent.parent
        yield from (place / name for place in (_swap(above, "details", "results"), above))


def _swap(folder: Path, old: str, new: str) -> Path:
    """Return a folder with the last of its parts of one name called otherwise."""
    parts = list(folder.absolute().parts)
    if old not in parts:
        return folder
    place = len(parts) - 1 - parts[::-1].index(old)
    return Path(*parts[:place], new, *parts[place + 1 :])


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, without following links."""
    seen, depth = 0, len(folder.parts)
    for place, folders, names in os.walk(folder):
        seen += len(folders) + len(names)
        if seen > MAX_ENTRIES:
            raise InputError(f"holds more than {MAX_ENTRIES:,} entries", file=str(folder))
        if len(Path(place).parts) - depth >= MAX_DEPTH:
            folders.clear()
        folders.sort()
        yield from (Path(place, name) for name in names if name.endswith((".json", ".parquet")))
