"""A labelling project from making it to reading what came of it: the one thing a caller holds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any, Final

import msgspec
import numpy as np

from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import Labels
from aliquot.labelling.access import EVERYWHERE, LOOPBACK
from aliquot.labelling.desk import Desk, training_places
from aliquot.labelling.exports import Exports, labels_now
from aliquot.labelling.form import Form
from aliquot.labelling.live import State, state_of
from aliquot.labelling.pages import label_page
from aliquot.labelling.project import ADJUDICATOR, FILE, MAIN, Answer, Project, Rater, check_names, new_token
from aliquot.labelling.project_file import Place, write_project
from aliquot.labelling.server import LabelServer
from aliquot.labelling.sheets import collect_sheets, write_sheets
from aliquot.labelling.store import Store

OWNER: Final = "owner"
"""Under which name the end of the owner's link is kept."""

WORDS_A_MINUTE: Final = 200
SECONDS_A_QUESTION: Final = 12


class LabelProject:
    """A project in a folder."""

    def __init__(
        self, folder: str | Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """Open a project.

        Args:
            folder: its folder.
            clock: the time now, with its zone.

        Raises:
            InputError: there is none.
            MachineError: the machine refuses.
        """
        self.folder = Path(folder)
        self.store = Store(self.folder / FILE)
        self.clock = clock

    @property
    def project(self) -> Project:
        """What it is about."""
        return self.store.project

    @property
    def form(self) -> Form:
        """What is asked."""
        return self.store.form

    def raters(self) -> list[Rater]:
        """Return those who label on the page."""
        return [one for one in self.store.raters() if one.role == "rater"]

    def minutes(self, rater: str) -> float:
        """Return about how long a rater's list takes: reading at 200 words a minute, 12 seconds a question."""
        answers = self.store.answers()
        places = self.store.places(rater)
        words = sum(answers[one.answer].words for one in places)
        return words / WORDS_A_MINUTE + len(places) * len(self.form.questions) * SECONDS_A_QUESTION / 60

    def state(self) -> State:
        """Return how it stands."""
        return state_of(self.store)

    def labels(self) -> Labels:
        """Return the labels that stand, as ``agree`` and ``calibrate`` take them.

        Raises:
            InputError: there is none yet.
        """
        found = labels_now(self.store)
        if found is None:
            raise InputError("nothing has been labelled yet", file=str(self.folder))
        return found

    def export(self, folder: str | Path | None = None) -> Mapping[str, int]:
        """Write the tables into a folder, by default the project's own, and return how many rows each has.

        Raises:
            MachineError: the machine refuses.
        """
        return Exports(self.store).write(Path(folder) if folder is not None else self.folder)

    def write_sheets(self, folder: str | Path, *, form: str = "xlsx") -> list[Path]:
        """Write a workbook (or CSV) for each rater, for those who are elsewhere.

        Raises:
            UsageError: a project whose answers are not to be seen beforehand.
            MachineError: the extra ``xlsx`` is missing, or the machine refuses.
        """
        return write_sheets(self.store, Path(folder), form=form)

    def collect(self, folder: str | Path) -> Mapping[str, int]:
        """Read sheets back, and return for each file how many answers were new.

        Raises:
            InputError: a sheet of another project, or a cell that is no answer.
        """
        return collect_sheets(self.store, Path(folder), now=self.clock())

    def add_raters(self, names: Sequence[str]) -> list[Rater]:
        """Take in those who are not here yet: they label what everybody labels, or everything where nothing is shared.

        Raises:
            UsageError: a name that cannot be one.
        """
        here = {one.name.casefold() for one in self.store.raters()}
        added: list[Rater] = []
        for name in (name for name in check_names(names) if name.casefold() not in here):
            model = self.store.places(self.raters()[0].name)
            first = list(dict.fromkeys(one.answer for one in model if one.role == "training"))
            rater = Rater(name=name, token=new_token(name), passed=not first)
            self.store.add_rater(rater, [*training_places(first, round_=0), *self._late_list()])
            added.append(rater)
        return added

    def _late_list(self) -> list[Place]:
        """Return the list of one who comes later, in an order of its own: what is shared, else everything drawn."""
        raters = self.raters()
        held = [one for rater in raters for one in self.store.places(rater.name) if one.repeat == 1]
        drawn = {one.answer: one for one in held if one.role in {"shared", "own"}}
        shared = {number: one for number, one in drawn.items() if one.role == "shared"}
        known = {one.answer: one for one in held if one.role == "known"}
        wanted = [*(shared or drawn).values(), *known.values()]
        order = np.random.default_rng([self.project.seed, 5, len(raters)]).permutation(len(wanted)).tolist()
        turned = self.form.pairwise and len(raters) % 2 == 1
        return [
            wanted[at]._replace(
                place=MAIN + place,
                swapped=wanted[at].swapped ^ turned,
                role="shared" if wanted[at].role == "own" else wanted[at].role,
            )
            for place, at in enumerate(order)
        ]

    def change_form(self, form: Form) -> bool:
        """Ask under another rubric from now on, and tell whether it is another: every label keeps its own version.

        Raises:
            UsageError: other questions, which would be another project.
        """
        old = self.form
        if form.hash == old.hash:
            return False
        if [(one.name, one.kind) for one in form.questions] != [
            (one.name, one.kind) for one in old.questions
        ]:
            raise UsageError(
                "the rubric asks other questions than this project: make another (--project DIR)"
            )
        newer = msgspec.structs.replace(form, version=old.version + 1)
        self.store.add_form(newer, at=self.clock().isoformat(timespec="seconds"))
        return True

    def take_labels(self, labels: Labels, place_of: Callable[[Mapping[str, Any]], Answer]) -> int:
        """Take in labels that people gave elsewhere, under their names, and return how many were new.

        Args:
            labels: with the key of the answers.
            place_of: an answer that is not in the project, with what raters see of it.

        Raises:
            InputError: a label that is no answer to the form.
            UsageError: there is no question such labels answer.
        """
        from aliquot.labelling.imports import take_labels  # noqa: PLC0415 - it is rarely wanted

        return take_labels(self.store, labels, place_of, now=self.clock())

    @contextmanager
    def serve(
        self, *, listen: str = "loopback", port: int = 0, complain: Callable[[str], None] = lambda _: None
    ) -> Generator[LabelServer]:
        """Serve the page in a thread until the block ends.

        Args:
            listen: ``loopback``, or ``lan`` for everybody in the network who has a link.
            port: the port; 0 for one that is free.
            complain: told of a fault of ours, as one line.

        Raises:
            UsageError: another word.
            MachineError: the port is taken.
        """
        addresses = {"loopback": LOOPBACK, "lan": EVERYWHERE}
        if listen not in addresses:
            raise UsageError(f"{listen!r} is neither loopback nor lan")
        desk = Desk(self.store, clock=self.clock)
        owner = self.store.secret(OWNER)
        server = LabelServer(desk, owner=owner, address=addresses[listen], port=port, complain=complain)
        for rater in self.raters()[:1]:
            label_page(
                self.project, self.form, rater, desk.work(rater)
            )  # so that the first to come does not wait
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def close(self) -> None:
        """Close its file."""
        self.store.close()


def make_project(
    folder: Path,
    project: Project,
    form: Form,
    answers: Sequence[Answer],
    lists: Mapping[str, Sequence[Place]],
    *,
    training: Sequence[int] = (),
) -> LabelProject:
    """Make a project in a folder: who labels what, in which order, and the links.

    Args:
        folder: where.
        project: what it is about.
        form: what is asked.
        answers: the answers, with what raters see of them.
        lists: each rater's list.
        training: answers of the training round, by their places among the answers.

    Raises:
        UsageError: there is a project already.
        MachineError: the machine refuses.
    """
    path = folder / FILE
    if path.exists():
        raise UsageError(f"there is a project in {folder} already: name another (--project DIR)")
    raters = [
        *(Rater(name=name, token=new_token(name), passed=not training) for name in lists),
        Rater(name=ADJUDICATOR, token=new_token("settle"), role="adjudicator"),
    ]
    places = {name: [*training_places(training, round_=0), *mine] for name, mine in lists.items()}
    secrets = {OWNER: new_token("owner")}
    write_project(path, project, form, answers, raters=raters, places=places, secrets=secrets)
    return LabelProject(folder)


def places_of(entries: Iterator[tuple[int, str, bool]]) -> list[Place]:
    """Return a list's places, what comes again marked as a repeat.

    Args:
        entries: number of the answer, role, and whether the sides are turned.
    """
    found: list[Place] = []
    for at, (answer, role, swapped) in enumerate(entries):
        found.append(Place(MAIN + at, answer, role, swapped, 2 if role == "repeat" else 1))
    return found
