"""What a saved calibration says of a judge's errors, for answers that nobody labelled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from aliquot.analysis.judge_errors import JudgeErrors, Share
from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import Labels
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document

SCHEMA: Final = "aliquot.calibration/1"

_Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Count = Annotated[float, msgspec.Meta(gt=0)]


class _Share(msgspec.Struct):
    point: _Rate | None = None
    n: _Count | None = None
    n_eff: _Count | None = None
    undefined: str = ""


class _Line(msgspec.Struct):
    labelled: int
    sensitivity: _Share
    specificity: _Share


class _Saved(msgspec.Struct):
    schema: str
    judge: str
    lines: list[_Line]


def errors_elsewhere(files: Sequence[str | Path | Labels]) -> JudgeErrors | None:
    """Return the errors of a judge where its calibration was given in place of labels; None where labels were given.

    Args:
        files: as given for ``--labels``.

    Raises:
        InputError: a calibration without both error rates.
        UsageError: a calibration beside other files.
    """
    found = [_saved_errors(Path(one)) for one in files if isinstance(one, str | Path)]
    known = next((one for one in found if one is not None), None)
    if known is not None and len(files) > 1:
        raise UsageError(
            f"{known.file} is a calibration, which stands for labels of other answers. Give it alone, or labels "
            "of these answers alone"
        )
    return known


def _saved_errors(path: Path) -> JudgeErrors | None:
    """Return the errors that a finding of ``calibrate`` holds; None when the file is no such finding.

    Raises:
        InputError: a calibration without both error rates.
    """
    if path.suffix != ".json" or not path.is_file():
        return None
    data = read_bounded(path)
    if SCHEMA.encode() not in data[:200]:
        return None
    found = decode_document(data, msgspec.json.Decoder(_Saved), file=str(path))
    if not found.lines:
        raise InputError(
            f"the judge {found.judge!r} was held against grades, so that it has no rates of error",
            file=str(path),
            remedy="Label some of these answers instead: --labels FILE (a table with item and label)",
        )
    whole = found.lines[0]
    sensitivity, specificity = (
        _share(one, what, str(path))
        for one, what in ((whole.sensitivity, "passes"), (whole.specificity, "failures"))
    )
    return JudgeErrors(found.judge, sensitivity, specificity, whole.labelled, str(path))


def _share(told: _Share, what: str, file: str) -> Share:
    if told.point is None or told.n is None:
        raise InputError(
            f"how often the judge is right about {what} is not known: {told.undefined or 'no number'}",
            file=file,
            remedy=f"Label answers until some are {what}, and calibrate again",
        )
    return Share(told.point, told.n_eff or told.n)
