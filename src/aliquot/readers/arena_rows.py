"""One row of an arena as a vote: who, on what, between which two, and what they said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from aliquot.errors import InputError, excerpt
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.readers.verdict_words import SIDES, UNPARSED, time_of, verdict_of
from aliquot.readers.votes_evidence import VoteRows

ONE_HOT: Final[Mapping[str, str]] = {"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie"}
"""The columns of the 55k release: one of them is 1; both kinds of tie are one there."""

TRUE: Final = (1, 1.0, True, "1", "1.0", "true", "True")
FALSE: Final = (0, 0.0, False, "0", "0.0", "false", "False", None, "")
PEOPLE: Final = ("arena_user", "expert", "author", "human")
"""How the names of raters who are people begin."""

SEGMENTS: Final = ("language", "is_code", "category")
RATERS: Final = ("judge", "worker", "user", "rater", "annotator")
TIMES: Final = ("tstamp", "timestamp")
LONGEST_QUESTION: Final = 6
"""Digits of a question of MT-bench; a battle's id is a hash of 32."""

TASK, MT_BENCH = "arena", "mt-bench"


@dataclass(slots=True)
class ArenaRows:
    """Votes as they are read; names that were shown to the rater make no vote.

    Attributes:
        file: for messages.
    """

    file: str
    _rows: dict[str, VoteRows] = field(default_factory=dict[str, VoteRows])
    _seen: set[str] = field(default_factory=set[str])
    _named: int = 0
    _unnamed: int = 0
    _keys: set[str] = field(default_factory=set[str])

    @property
    def release(self) -> str:
        """Which release the columns are of, as far as they tell."""
        if "winner_model_a" in self._seen:
            return "55k"
        if "evaluation_session_id" in self._seen:
            return "100k or 140k"
        if "anony" in self._seen:
            return "battles"
        return "winner"

    def add(self, row: Mapping[str, Any], *, place: str) -> None:
        """Add a vote.

        Raises:
            InputError: it names no two systems, or its winner is a word in no table.
        """
        self._seen.update(row)
        if row.get("anony") in (False, "False", "false"):
            self._named += 1
            return
        systems = self._systems(row, place)
        verdict, label, status = self._verdict(row, place)
        rater, by = self._rater(row, place)
        item, task, cluster = self._item(row, systems, rater)
        session = text_of(row.get("evaluation_session_id"))
        rows = self._rows.setdefault(task, VoteRows(task))
        vote = {
            "item": item,
            "system_a": systems[0],
            "system_b": systems[1],
            "rater": rater,
            "verdict": verdict,
            "label": label,
            "status": status,
            "by": by,
            "shown_first": None if task == MT_BENCH else "a",
            "session": session,
            "at": time_of(next((row[name] for name in TIMES if row.get(name) is not None), None)),
        }
        asked, answers = _texts(row, systems)
        segments = {
            f"segment.{name}": text_of(row[name])
            for name in SEGMENTS
            if isinstance(row.get(name), str | bool | int)
        }
        content = content_hash(asked, None) if asked is not None else None
        rows.add(vote, cluster=cluster or session, content=content, **segments)
        rows.add_texts(item, asked, answers)

    def evidence(self, *, source: Source, notes: tuple[Note, ...]) -> Evidence:
        """Return the votes as evidence.

        Raises:
            InputError: there is none.
        """
        if len(self._rows) != 1:
            problem = "mixes votes on MT-bench questions with others" if self._rows else "holds no blind vote"
            raise InputError(problem, file=self.file)
        said = [Note("item_key", " or ".join(sorted(self._keys))), *notes]
        if self._named:
            text = f"{self._named} votes were given with the systems' names in sight; they are left out"
            said.append(Note("names_in_sight", text))
        if self._unnamed:
            text = f"{self._unnamed} votes do not name their rater; they are taken as people's, one vote each"
            said.append(Note("raters_not_named", text))
        if self.release == "55k":
            said.append(Note("ties_merged", "this release holds both kinds of tie as one"))
        return next(iter(self._rows.values())).evidence(source=source, notes=said)

    def _systems(self, row: Mapping[str, Any], place: str) -> tuple[str, str]:
        pair = ("model_a", "model_b") if "model_a" in row else ("left", "right")
        for name in pair:
            if not isinstance(row.get(name), str | int) or row[name] == "" or isinstance(row[name], bool):
                raise InputError(
                    f"{excerpt(row.get(name))} is no system's name ({place})", file=self.file, field=name
                )
        a, b = (text_of(row[name]) or "" for name in pair)
        return a, b

    def _verdict(self, row: Mapping[str, Any], place: str) -> tuple[str | None, str | None, str]:
        if "winner" in row:
            word = row["winner"]
            verdict, status = verdict_of(word, SIDES, place=place, file=self.file, field="winner")
            return verdict, word or None, status
        chosen = [name for name in ONE_HOT if row.get(name) in TRUE]
        strange = [name for name in ONE_HOT if row.get(name) not in (*TRUE, *FALSE)]
        if strange or len(chosen) > 1:
            name = (strange or chosen)[0]
            problem = f"{excerpt(row[name])} is no 0 or 1" if strange else "has two winners"
            raise InputError(f"{problem} ({place})", file=self.file, field=name)
        if not chosen:
            return None, None, UNPARSED
        return ONE_HOT[chosen[0]], chosen[0], "ok"

    def _rater(self, row: Mapping[str, Any], place: str) -> tuple[str, str]:
        given = next((row[name] for name in RATERS if row.get(name) not in (None, "")), None)
        if given is None:
            self._unnamed += 1
            return "not named", "person"
        if isinstance(given, list) and given and isinstance(given[0], str) and given[0]:
            return given[0], "judge"  # the model and its prompt
        if not isinstance(given, str | int) or isinstance(given, bool):
            raise InputError(f"{excerpt(given)} is no rater's name ({place})", file=self.file)
        name = text_of(given) or ""
        said = row.get("by")  # as aliquot label writes it
        person = (
            said == "person"
            if said in {"person", "judge"}
            else name.isdecimal() or name.lower().startswith(PEOPLE)
        )
        return name, "person" if person else "judge"

    def _item(
        self, row: Mapping[str, Any], systems: tuple[str, str], rater: str
    ) -> tuple[str, str, str | None]:
        """Return the item, its task, and its cluster: a question of MT-bench, else the battle's own id."""
        question, turn = text_of(row.get("question_id")), text_of(row.get("turn"))
        if question and turn and question.isdecimal() and len(question) <= LONGEST_QUESTION:
            self._keys.add("question and turn")
            return f"{question} turn {turn}", MT_BENCH, question
        for name in ("question_id", "prompt" if "left" in row else "id", "id", "item"):
            if key := text_of(row.get(name)):
                self._keys.add(name)
                return key, text_of(row.get("task")) or TASK, None
        self._keys.add("hash of the vote, which has no id")
        told = [*systems, rater, *(text_of(row.get(name)) or "" for name in (*TIMES, "turn", "language"))]
        return content_hash("\n".join(told), None), TASK, None


def _texts(row: Mapping[str, Any], systems: tuple[str, str]) -> tuple[str | None, dict[str, str | None]]:
    """Return what was asked and what each of the two answered, where the row holds the conversations."""
    sides = [_turns(row.get(name)) for name in ("conversation_a", "conversation_b")]
    if any(sides):
        asked = next((turns for side in sides if (turns := side.get("user"))), [])
        answers = ["\n\n".join(side.get("assistant", [])) or None for side in sides]
        return "\n\n".join(asked) or None, dict(zip(systems, answers, strict=True))
    if "response_a" in row:
        answers = [text_of(row.get(name)) for name in ("response_a", "response_b")]
        return text_of(row.get("prompt")), dict(zip(systems, answers, strict=True))
    return None, {}


def _turns(conversation: Any) -> dict[str, list[str]]:
    """Return the texts of a conversation by role."""
    if isinstance(conversation, str):
        try:
            conversation = msgspec.json.decode(conversation)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return {}
    found: dict[str, list[str]] = {}
    for turn in conversation if isinstance(conversation, list) else ():
        if isinstance(turn, Mapping) and isinstance(turn.get("role"), str):
            found.setdefault(turn["role"], []).append(text_of(turn.get("content")) or "")
    return found
