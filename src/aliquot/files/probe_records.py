"""What a judge said when it was probed, as it is kept: a verdict a row, with what was changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from aliquot.errors import InputError
from aliquot.files.writing import machine_errors, write_whole

FOLDER: Final = Path(".aliquot") / "probes"
"""Where probes are kept, in the working directory."""

VERSION: Final = 2
"""Changes whenever the same judge would be probed otherwise."""

MAX_BYTES: Final = 64 << 20

Winner: TypeAlias = Literal["plain", "changed", "tie", "both_bad"]
"""Which text won: the one as it stood, the one that was changed, or neither."""


class ProbeVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a judge said of two texts, of which one was changed in a known way.

    Attributes:
        probe: which one.
        item: the item's id.
        order: 1 when the plain text stood first, 2 when it stood second, 0 when each was judged by itself.
        repeat: which time of asking the same, from 1.
        verdict: which won; None when there is no verdict.
        worth: how far the changed one won, 0 to 1, where a judge grades its preference.
        status: why there is, or is not, a verdict.
        cluster: what the item shares with others.
        changed: what was changed, in words.
    """

    probe: str
    item: str
    order: Literal[0, 1, 2]
    repeat: int = 1
    verdict: Winner | None = None
    worth: float | None = None
    status: str = "ok"
    cluster: str | None = None
    changed: str = ""


class ProbeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's verdicts on probes.

    Attributes:
        judge: its name.
        judge_hash: hash of everything that makes it another judge.
        model: the model that was asked, as the evaluation names it.
        pairwise: whether it sees two answers at once.
        items_hash: hash of the items that were probed on.
        seed: of the drawing of items.
        verdicts: a row each.
        declined: probe → why an item could not be changed → how many.
        version: of the way of probing.
    """

    judge: str
    judge_hash: str = ""
    model: str = ""
    pairwise: bool = True
    items_hash: str = ""
    seed: int = 0
    verdicts: tuple[ProbeVerdict, ...] = ()
    declined: Mapping[str, Mapping[str, int]] = msgspec.field(default_factory=dict[str, Mapping[str, int]])
    version: int = VERSION


def probe_path(judge_hash: str, model: str, *, folder: Path = FOLDER) -> Path:
    """Return where the probes of a judge and its model are kept.

    Args:
        judge_hash: of the judge.
        model: the model that is asked.
        folder: where probes are kept.
    """
    told = hashlib.sha256(model.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / f"{judge_hash[:16]}-{told}.json"


def keep_probes(record: ProbeRecord, path: Path) -> None:
    """Keep a record, whole or not at all; of an earlier one on the same items the probes that were not asked now stay.

    Raises:
        MachineError: it cannot be written.
    """
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    record = _with_earlier(record, path)
    write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=1))


def _with_earlier(record: ProbeRecord, path: Path) -> ProbeRecord:
    """Return a record with the other probes of the one in its place, where that is of the same items and draw."""
    try:
        earlier = read_probes(path)
    except InputError:
        return record
    same = ("judge_hash", "model", "pairwise", "items_hash", "seed", "version")
    if any(getattr(earlier, name) != getattr(record, name) for name in same):
        return record
    asked = {one.probe for one in record.verdicts} | set(record.declined)
    return msgspec.structs.replace(
        record,
        verdicts=(*(one for one in earlier.verdicts if one.probe not in asked), *record.verdicts),
        declined={
            **{probe: why for probe, why in earlier.declined.items() if probe not in asked},
            **record.declined,
        },
    )


def read_probes(path: Path) -> ProbeRecord:
    """Return a record that was kept.

    Raises:
        InputError: there is none, or it is none.
    """
    if not path.is_file():
        raise InputError(
            "there is no such file", file=str(path), remedy="Make it: aliquot probe judge JUDGE.yaml"
        )
    with machine_errors(path):
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"is above {MAX_BYTES >> 20} MB, which no record of probes is", file=str(path))
        data = path.read_bytes()
    try:
        return msgspec.json.decode(data, type=ProbeRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"is no record of probes ({error})", file=str(path), remedy="Probe the judge again"
        ) from error


def probes_of(verdicts: Iterable[ProbeVerdict]) -> dict[str, list[ProbeVerdict]]:
    """Return verdicts by probe, in the order in which they first appear."""
    found: dict[str, list[ProbeVerdict]] = {}
    for one in verdicts:
        found.setdefault(one.probe, []).append(one)
    return found
