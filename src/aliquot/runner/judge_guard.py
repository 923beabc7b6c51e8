"""What is checked of judges before any is asked: that none judges its own kind, and whether it was probed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, cast

from aliquot.errors import InputError, RunStoppedError
from aliquot.files.probe_records import FOLDER, probe_path, read_probes
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.scorers.judges import Judge, judge_notes
from aliquot.scorers.rubrics import UNCALIBRATED
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.families import family_of
from aliquot.systems.system import System

OWN_FAMILY: Final = "family"
"""The probe of answers of the judge's own family against others'."""


def require_no_self_judge(
    specs: Iterable[JudgeSpec],
    systems: Mapping[str, Mapping[str, str]],
    models: Mapping[str, System],
    *,
    folder: Path = FOLDER,
) -> None:
    """Stop where a judge is a system's own model, or of its family, and was not probed on that.

    Args:
        specs: the judges, their files read.
        systems: the components of each system, by its name.
        models: the opened models of the judges, by name.
        folder: where probes are kept.

    Raises:
        RunStoppedError: a judge would judge its own kind.
    """
    for spec in specs:
        judge = cast("Judge", spec.judge)
        for model in spec.panel:
            if _probed(judge, model.name, folder=folder, on=OWN_FAMILY):
                continue
            for system, components in systems.items():
                kin = _kin(model, models[model.name].components, components)
                if kin is not None:
                    raise RunStoppedError(
                        f"stopped: the judge {judge.name!r} asks {model.name!r}, which is {kin} the system "
                        f"{system!r}, and models favour what their own kind writes. Ask a judge of another family, "
                        "probe this one on answers of its own family (aliquot probe judge), or go on all the same "
                        "with --allow-self-judge"
                    )


def judge_words(specs: Iterable[JudgeSpec], *, folder: Path = FOLDER) -> Iterator[str]:
    """Yield what a reader should hear of judges before they are asked.

    Nobody has held them against labels yet, their scales may be read unsteadily, and they may not have been probed.
    """
    for spec in specs:
        judge = cast("Judge", spec.judge)
        yield f"the judge {judge.name!r} {UNCALIBRATED}"
        yield from (note.text for note in judge_notes(judge))
        for model in spec.panel:
            if not _probed(judge, model.name, folder=folder):
                yield (
                    f"the judge {judge.name!r} by {model.name!r} was not probed: whether order, length or tone move it "
                    "is not known (aliquot probe judge)"
                )


def _kin(model: JudgeModel, own: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """Return how a judge is kin to a system, in words; None when it is not."""
    names = [own.get("model", ""), model.model.model if isinstance(model.model, Endpoint) else model.name]
    theirs = other.get("model", "")
    same = {part: own.get(part) for part in ("model", "snapshot", "base_url")}
    if theirs and same == {part: other.get(part) for part in same}:
        return "the model of"
    family = next(filter(None, map(family_of, names)), None)
    if family is not None and family == family_of(theirs):
        return f"of the same family ({family}) as"
    return None


def _probed(judge: Judge, model: str, *, folder: Path, on: str | None = None) -> bool:
    """Tell whether probes of a judge are on record, and of the kind that is asked for."""
    path = probe_path(judge.hash, model, folder=folder)
    if not path.is_file():
        return False
    try:
        record = read_probes(path)
    except InputError:
        return False
    return any(one.probe == (on or one.probe) and one.verdict is not None for one in record.verdicts)
