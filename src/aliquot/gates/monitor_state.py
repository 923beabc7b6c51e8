"""What a monitor has to remember between two reads of a log: bounded, whole after a crash, one process at a time."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import numpy as np

from aliquot.errors import UsageError
from aliquot.files.appended import Mark
from aliquot.files.locks import held_alone
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.files.writing import machine_errors, write_whole
from aliquot.stats.e_detectors import DetectorState, new_state

SCHEMA: Final = "aliquot.monitor_state/1"
FOLDER: Final = Path(".aliquot") / "monitors"
"""Where monitors are kept, in the folder in which the command runs."""

What: TypeAlias = Literal["quality", "feedback", "inputs", "answered"]
"""What is watched: the value, what users say of it, what they ask, or how many of them say anything."""


class Kept(msgspec.Struct, frozen=True):
    """One row, as far as it is watched.

    Attributes:
        value: its value on the scale of 0 to 1, 1 the better end; None when it has none.
        unit: the cluster it lies in; None when it is one by itself.
        kinds: field → its kind.
        numbers: field → its number, or the length of its text.
        liked: what the user said; None when nothing.
    """

    value: float | None
    unit: str | None
    kinds: dict[str, str]
    numbers: dict[str, float]
    liked: bool | None


class Detector(msgspec.Struct):
    """A detector between two reads; see ``stats.e_detector``."""

    units: int
    sums: list[list[float]]
    best: list[list[float]]
    began: list[list[int]]
    peak: float = 0.0
    alarm: int | None = None
    since: int | None = None

    @classmethod
    def of(cls, state: DetectorState) -> Detector:
        """Return it in the form that is kept."""
        return cls(
            state.units,
            state.sums.tolist(),
            state.best.tolist(),
            state.began.tolist(),
            state.peak,
            state.alarm,
            state.since,
        )

    def state(self) -> DetectorState:
        """Return it in the form that goes on."""
        return DetectorState(
            self.units,
            np.array(self.sums),
            np.array(self.best),
            np.array(self.began),
            self.peak,
            self.alarm,
            self.since,
        )


def fresh_detector() -> Detector:
    """Return a detector that has seen nothing."""
    return Detector.of(new_state())


class Watch(msgspec.Struct):
    """One thing that is watched.

    Attributes:
        what: the kind of thing.
        field: the field it is about; empty for all rows.
        level: the kind of that field; empty for a number.
        mean: the mean that is held: a floor, or ½ of ranks.
        two_sided: whether a rise counts as well as a fall.
        before: its mean in the baseline.
        before_n: rows that this rests on.
        seen: of ranks: how often each code came, up to the last read.
        alarm_row: the row of the log at which it first alarmed.
        detector: the detector.
    """

    what: What
    field: str = ""
    level: str = ""
    mean: float = 0.5
    two_sided: bool = False
    before: float | None = None
    before_n: int = 0
    seen: list[int] = []
    alarm_row: int | None = None
    detector: Detector = msgspec.field(default_factory=fresh_detector)

    @property
    def name(self) -> str:
        """What it is called: ``quality``, ``quality, lang=de``, ``inputs, length``."""
        of = f"{self.field}={self.level}" if self.level else self.field
        return f"{self.what}, {of}" if of else self.what


class Sums(msgspec.Struct):
    """A running mean with the nested limits of its sequence.

    Attributes:
        n: units.
        total: sum of their values.
        binary: whether all of them were 0 or 1.
        low: highest lower limit at any read.
        high: lowest upper limit at any read.
    """

    n: int = 0
    total: float = 0.0
    binary: bool = True
    low: float = 0.0
    high: float = 1.0


class State(msgspec.Struct):
    """A monitor.

    Attributes:
        settings: what it was told to watch; another telling begins a new one.
        mark: how far the log is read.
        rows: rows read.
        reads: how often.
        typed: field → ``number``, ``kinds`` or ``length``, as the baseline has it.
        baseline: the rows of the baseline.
        ready: whether the baseline is whole.
        watches: what is watched.
        sums: running means by name: ``""`` for all, ``field=kind`` for a segment.
        counts: field → kind → rows, baseline included.
        before: the same of the baseline alone.
        window: the last rows.
        schema: name and version of this layout.
    """

    settings: dict[str, Any]
    mark: Mark = msgspec.field(default_factory=Mark)
    rows: int = 0
    reads: int = 0
    typed: dict[str, str] = {}
    baseline: list[Kept] = []
    ready: bool = False
    watches: list[Watch] = []
    sums: dict[str, Sums] = {}
    counts: dict[str, dict[str, int]] = {}
    before: dict[str, dict[str, int]] = {}
    window: list[Kept] = []
    schema: str = SCHEMA


_DECODER: Final = msgspec.json.Decoder(State)


def load_state(path: Path, settings: Mapping[str, Any]) -> State:
    """Return a monitor's state, or a new one.

    Raises:
        UsageError: it was told to watch something else.
        InputError: the file is damaged, or of another version.
        MachineError: the machine refuses to read it.
    """
    plain = msgspec.json.decode(msgspec.json.encode(dict(settings)))
    if not path.exists():
        return State(settings=plain)
    state = decode_document(read_bounded(path), _DECODER, file=str(path))
    if state.schema != SCHEMA:
        raise UsageError(f"{path} is a monitor of another version ({state.schema}); --restart begins anew")
    changed = [name for name in plain if plain[name] != state.settings.get(name)]
    if changed:
        raise UsageError(
            f"this monitor watches otherwise; changed: {', '.join(changed)}. Ask as before, name another --state, or "
            "begin anew with --restart"
        )
    return state


def keep_state(path: Path, state: State) -> None:
    """Write a monitor's state whole.

    Raises:
        MachineError: the machine refuses; what stood there before is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, msgspec.json.encode(state))


@contextmanager
def held(path: Path) -> Generator[None]:
    """Hold a monitor for this process; another one waits, and goes on from where this one ends.

    Raises:
        MachineError: another process holds it for too long.
    """
    lock = path.with_suffix(".lock")  # the state itself is replaced when it is written
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    with held_alone(lock, what=path):
        yield
