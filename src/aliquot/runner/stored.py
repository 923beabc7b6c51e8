"""Answers that are on record already, in a run or a log, as a system that is never asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.identity import inputs_text
from aliquot.evidence.stages import Stage
from aliquot.evidence.tables import Evidence
from aliquot.evidence.told_options import ToldOption
from aliquot.evidence.transcripts import Turn
from aliquot.files.records import OptionLikelihood, Response, settle
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.files.whole_records import WholeRecords
from aliquot.item_sets.items import Item
from aliquot.readers.registry import read_evidence
from aliquot.runner.scoring import Whole, read_by
from aliquot.scorers.choices import MEASURES, chosen
from aliquot.scorers.rule import NEEDS, Rule
from aliquot.stats.results import Undefined
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest

Missing: TypeAlias = Literal["refuse", "error"]
MISSING: Final = ("refuse", "error")

NOT_STORED: Final = "not in the stored run"
"""Reason of an answer that was wanted and is not on record."""

_NAMED: Final = 5
"""Items named in a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """Where answers are on record that take part without being asked for again.

    Attributes:
        run: the directory of a run, or a log that keeps its answers, relative to ``folder``.
        system: whose answers; None where there is one system only.
        missing: ``refuse`` to run when an answer is not on record, or keep it as a row with status ``error``.
        folder: what the path is relative to; the evaluation file's.
        file: the evaluation file, for messages.
        line: the line it stands on, for messages.
    """

    run: str
    system: str | None = None
    missing: Missing = "refuse"
    folder: str = ""
    file: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.folder) / self.run

    def refused(self, problem: str, *, remedy: str, key: str = "run") -> InputError:
        """Return the error that names file, line and key."""
        return InputError(problem, file=self.file, row=self.line, field=key, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """What a run or a log holds.

    Attributes:
        name: its name.
        responses: the answers that count.
        asked: what each item asked, by task and item, where that is on record field by field.
        systems: what made each system, as a manifest says it.
        started: when it was asked; "" where that is not known.
        told: reads an answer whole, with how it came about, which a journal's records leave out.
    """

    name: str
    responses: Sequence[Response]
    asked: Mapping[tuple[str, str], str]
    systems: Mapping[str, Mapping[str, Any]]
    started: str
    told: Whole


class StoredAnswers:
    """The answers of one system on record; a ``System`` that is not asked but recalled.

    Args:
        about: what made the answers: mode, instructions, prompt and its hash, decoding, components.
        responses: the answers by item and attempt.
        told: reads an answer whole.
        notes: what a reader of the new run should know.
    """

    def __init__(
        self,
        about: Mapping[str, Any],
        responses: Mapping[tuple[str, int], Response],
        *,
        told: Whole,
        notes: tuple[str, ...],
    ) -> None:
        self.about, self.notes = about, notes
        self.components: Mapping[str, str] = about["components"]
        self.concurrency = 1
        self._responses, self._told = responses, told

    def recall(self, item: str, attempt: int, *, system: str, task: str) -> Response:
        """Return the answer on record as one of a new run; it is cached: its time and cost count no second time."""
        stored = self._responses.get((item, attempt))
        if stored is None:
            found = Response(
                system=system, task=task, item=item, attempt=attempt, status="error", reason=NOT_STORED
            )
        else:
            found = self._told(stored)
        return msgspec.structs.replace(found, system=system, task=task, try_=1, cached=True)

    async def chat(self, request: ChatRequest) -> Reply:
        """Return why there is no answer."""
        return _never(request)

    async def complete(self, request: CompletionRequest) -> Reply:
        """Return why there is no answer."""
        return _never(request)

    async def log_likelihood(self, request: LikelihoodRequest) -> Undefined:
        """Return why there is none."""
        return Undefined(f"a stored run tells no log-probability of {request.continuation!r}")

    async def close(self) -> None:
        """Do nothing: nothing is held open."""


def open_stored(
    spec: StoredRun, *, items: Sequence[Item], rules: Iterable[Rule], task: str, attempts: int
) -> StoredAnswers:
    """Read answers that are on record, and check them against what is wanted before anything is spent.

    Args:
        spec: where they are.
        items: the items of the new run.
        rules: what scores them.
        task: its task; a record of one task is taken whatever that is called.
        attempts: answers wanted for each item.

    Raises:
        InputError: there is no such run, system or task, an item asks something else, or an answer is not there.
    """
    record = _read(spec)
    name = _system(spec, record)
    own = [one for one in record.responses if one.system == name and one.status != "missing"]
    task = _task(spec, own, wanted=task)
    _require_same_questions(spec, record, items, task=task)
    stored = {(one.item, one.attempt): one for one in own if one.task == task}
    _require_answers(spec, stored, items, attempts=attempts)
    _require_read(spec, stored.values(), rules, whole=record.told)
    described = dict(record.systems[name])
    components = {**described.get("components", {}), **described.pop("observed", {})}
    notes = (
        () if record.asked else (f"the answers of {record.name} are matched by the ids of the items alone",)
    )
    said = {"components": components, "prices": None, "stored": f"{record.name}, {name}"}
    about = {**described, **said, "asked": record.started}
    return StoredAnswers(about, stored, told=record.told, notes=notes)


def responses_of(evidence: Evidence) -> tuple[Response, ...]:
    """Return the answers of a log as a run would have recorded them; one whose text is not kept is ``missing``.

    The answer to a choice by likelihoods is its most probable option. Whether an answer can be read is for the new rule
    to say, so what could not be (``unparsed``) is ``ok`` here.
    """
    texts, found, named = evidence.texts, list[Response](), set(Response.__struct_fields__)
    for row in evidence.responses.iter_rows(named=True):
        key = (row["system"], row["task"], row["item"], row["attempt"])
        said = {name: value for name, value in row.items() if name in named and value is not None}
        told = texts.options(*key) if texts else None
        options = () if told is None else tuple(map(_likelihood, told.options))
        text = texts.response(*key) if texts and not options else None
        if options:
            text = options[chosen(options, MEASURES["choice_by_likelihood"])[0]].option
        if said["status"] in {"ok", "unparsed"}:
            said["status"] = "missing" if text is None else "ok"
        found.append(Response(**said, text=text, options=options))
    return tuple(found)


def voted_answers(evidence: Evidence) -> tuple[Response, ...]:
    """Return the answers that were voted on and have no row of their own: a log of votes keeps the texts of both sides.

    Args:
        evidence: with votes and texts.
    """
    texts, found = evidence.texts, dict[tuple[str, str, str, int], Response]()
    known = set(evidence.responses.select("system", "task", "item", "attempt").iter_rows())
    for task, item, *sides in evidence.votes.select("task", "item", "system_a", "system_b").iter_rows():
        for key in ((system, task, item, 1) for system in sides):
            text = texts.response(*key) if texts and key not in known and key not in found else None
            if text is not None:
                found[key] = Response(system=key[0], task=task, item=item, status="ok", text=text)
    return tuple(found.values())


class WholeAnswers:
    """The answers of a log with how each came about, as far as the log tells.

    Args:
        evidence: what was read of it.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._texts, self._items = evidence.texts, evidence.items
        self._stages: dict[tuple[str, str, str, int], list[Stage]] = {}
        for row in evidence.stages.sort("place").iter_rows(named=True):
            key = (row["system"], row["task"], row["item"], row["attempt"])
            told = {name: row[name] for name in ("status", "reason", "latency_s")}
            values = msgspec.json.decode(row["values"]) if row["values"] else {}
            self._stages.setdefault(key, []).append(Stage(name=row["stage"], values=values, **told))

    def __call__(self, response: Response) -> Response:
        """Return an answer whole."""
        turns = self._turns(response.key)
        if any(turn.calls for turn in turns[: _last_asked(turns)]):
            turns = turns[self._before(response.key, turns) :]
        return response.told(turns, tuple(self._stages.get(response.key, ())))

    def _turns(self, key: tuple[str, str, str, int]) -> tuple[Turn, ...]:
        return (self._texts.transcript(*key) if self._texts else None) or ()

    def _before(self, key: tuple[str, str, str, int], turns: tuple[Turn, ...]) -> int:
        """Return how many turns led to an earlier answer of the same conversation, whose calls are not this one's.

        A log tells of each turn of a conversation the whole conversation up to it: an answer to another item that
        shares its cluster is an earlier one where its turns are the first of these.
        """
        system, task, item, attempt = key
        beside = self._conversations.get((task, item), ())
        others = (self._turns((system, task, other, attempt)) for other in beside if other != item)
        return max(
            (len(one) for one in others if len(one) < len(turns) and turns[: len(one)] == one), default=0
        )

    @cached_property
    def _conversations(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The items that share the cluster of an item, by task and item."""
        items = self._items
        if "cluster" not in items.columns:
            return {}
        shared = items.filter(pl.col("cluster").is_not_null()).group_by("task", "cluster").agg("item")
        return {
            (task, item): tuple(together) for task, _, together in shared.iter_rows() for item in together
        }


def _last_asked(turns: Sequence[Turn]) -> int:
    """Return the place of the last turn in which something was asked."""
    return max((place for place, turn in enumerate(turns) if turn.role == "user"), default=0)


def _likelihood(told: ToldOption) -> OptionLikelihood:
    """Return an option of a log with its lengths; how many tokens it had is not told."""
    return OptionLikelihood(
        option=told.option,
        log_probability=told.log_probability,
        tokens=0,
        characters=len(told.option),
        bytes=len(told.option.encode("utf-8", "surrogatepass")),
        greedy=told.greedy,
        unconditional=told.unconditional,
    )


def _never(request: ChatRequest | CompletionRequest) -> Reply:
    return Reply(text="", status="error", reason=f"a stored run is not asked ({type(request).__name__})")


def _read(spec: StoredRun) -> _Record:
    path = spec.path
    if not path.exists():
        raise spec.refused(
            f"there is no run or log {path}", remedy="A path is relative to the evaluation file"
        )
    if is_run(path):
        run = RunDirectory(path)
        manifest = run.manifest
        if manifest is None:
            raise spec.refused(f"{path} holds no answers yet", remedy="Start it: aliquot run FILE")
        contents = run.read_journal()
        return _Record(
            name=manifest.name,
            responses=settle(contents.records),
            asked={(item.task, item.item): item.inputs for item in run.read_items()},
            systems=manifest.systems,
            started=manifest.started,
            told=WholeRecords(run.journal_path, contents),
        )
    try:
        evidence = read_evidence([path])
    except UsageError as error:  # it asks for options of reading, which are for logs without answers
        raise spec.refused(
            f"{path} is no run, and no log that keeps its answers",
            remedy="See what it holds: aliquot read PATH",
        ) from error
    return _Record(
        name=path.name,
        responses=responses_of(evidence),
        asked={},
        systems=_described(evidence),
        started="",
        told=WholeAnswers(evidence),
    )


def _described(evidence: Evidence) -> dict[str, dict[str, Any]]:
    """Return what a log says of each system; its settings stand as components, the prompt's hash among them."""
    unknown: dict[str, Any] = {
        "mode": "",
        "instructions": None,
        "prompt": "",
        "prompt_sha256": "",
        "decoding": {},
    }
    found: dict[str, dict[str, Any]] = {
        name: {**unknown, "components": {}} for name in evidence.responses["system"].unique().to_list()
    }
    for system, name, value in evidence.settings.select("system", "name", "value").iter_rows():
        if system in found:
            found[system]["components"][name] = value
    return found


def _system(spec: StoredRun, record: _Record) -> str:
    names = list(record.systems)
    if spec.system is None and len(names) == 1:
        return names[0]
    if spec.system is None:
        raise spec.refused(
            f"{record.name} holds {len(names)} systems", remedy=f"Say which: system: {' or '.join(names[:9])}"
        )
    if spec.system not in names:
        raise spec.refused(
            f"{record.name} holds no system {spec.system!r}", key="system", remedy=nearest(spec.system, names)
        )
    return spec.system


def _task(spec: StoredRun, own: Iterable[Response], *, wanted: str) -> str:
    tasks = list(dict.fromkeys(one.task for one in own))
    if not tasks:
        raise spec.refused(
            f"{spec.path} holds no answers of that system", remedy="Name a run or log that keeps its answers"
        )
    if wanted in tasks:
        return wanted
    if len(tasks) > 1:
        raise spec.refused(
            f"it holds {len(tasks)} tasks and none is called {wanted!r}",
            remedy=f"Name the evaluation's task as one of them: task: {tasks[0]}",
        )
    return tasks[0]


def _require_same_questions(spec: StoredRun, record: _Record, items: Iterable[Item], *, task: str) -> None:
    other = [
        item.id for item in items if record.asked.get((task, item.id)) not in {None, inputs_text(item.inputs)}
    ]
    if other:
        raise spec.refused(
            f"{len(other)} items ask something else than {record.name} asked under that id: {_some(other)}",
            remedy="A changed question has to be asked; references and accepted answers may change",
        )


def _require_answers(
    spec: StoredRun, stored: Mapping[tuple[str, int], Response], items: Sequence[Item], *, attempts: int
) -> None:
    wanted = [(item.id, attempt) for attempt in range(1, attempts + 1) for item in items]
    lacking = [key for key in wanted if key not in stored]
    if not lacking or (spec.missing == "error" and len(lacking) < len(wanted)):
        return
    named = [item if attempt == 1 else f"{item} (attempt {attempt})" for item, attempt in lacking]
    raise spec.refused(
        f"{len(lacking)} of {len(wanted)} answers are not in {spec.path}: {_some(named)}",
        remedy="Give the items that were asked then"
        if len(lacking) == len(wanted)
        else "Leave these items out, or keep them as rows without a value: missing: error",
    )


def _require_read(
    spec: StoredRun, stored: Iterable[Response], rules: Iterable[Rule], *, whole: Whole
) -> None:
    """Refuse rules that read what no stored answer holds: likelihoods of answers that were written."""
    answers = [one for one in stored if one.status == "ok"]
    for rule in dict.fromkeys(rules):
        if answers and rule.reads != "text" and all(read_by(rule, one, whole) is None for one in answers):
            raise spec.refused(
                f"no answer in {spec.path} holds what the rule {rule.name!r} reads: {NEEDS[rule.reads]}",
                remedy="Name a rule that reads what is stored",
            )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
