"""Which judge scores answers, and which models are asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, cast

import msgspec

from aliquot.errors import UsageError
from aliquot.runner.money import Prices
from aliquot.scorers.judge_files import read_judge, rubric_names
from aliquot.scorers.judge_prompts import JudgePrompt
from aliquot.scorers.judge_rules import judge_rule
from aliquot.scorers.judges import Judge
from aliquot.scorers.rule import Rule
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.opening import Source
from aliquot.systems.own import Command, PythonFunction

APART: Final = frozenset({"api_version", "base_url", "model", "stream"})
"""Components of an endpoint beyond its model that make it no other judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeModel:
    """A model that is asked as a judge.

    Attributes:
        model: its name, where it is asked over HTTP, a function, or a command.
        prices: what its tokens cost; None when that is not said, and ``"none"`` when nothing is to be taken for it.
    """

    model: Source
    prices: Prices | Literal["none"] | None = None

    @property
    def name(self) -> str:
        """What it is called in questions and tables; settings of an endpoint that shape its replies as their hash."""
        match self.model:
            case Endpoint() as endpoint:
                further = {part: said for part, said in endpoint.components.items() if part not in APART}
                told = msgspec.json.encode(further, order="sorted")
                return (
                    f"{endpoint.model}#{hashlib.sha256(told).hexdigest()[:8]}" if further else endpoint.model
                )
            case PythonFunction() as function:
                return function.python
            case Command() as command:
                return " ".join(command.command)
            case str() as name:
                return name

    @property
    def stated(self) -> Prices | None:
        """What its tokens cost; None when that is not known or not to be known."""
        return None if self.prices == "none" else self.prices


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec:
    """A judge with the models that are asked; several are a panel, whose verdicts become one.

    Attributes:
        judge: the judge, a file that describes one, or the name of one that comes with this package.
        models: who is asked.
        folder: what a path is relative to.
    """

    judge: Judge | str = field(hash=False)
    models: tuple[JudgeModel | Source, ...]
    folder: str = ""

    def __post_init__(self) -> None:
        told = tuple(one if isinstance(one, JudgeModel) else JudgeModel(model=one) for one in self.models)
        object.__setattr__(self, "models", told)
        names = [one.name for one in told]
        if not names:
            raise UsageError("a judge needs a model: model: embedded, or where it is asked over HTTP")
        for name in names:
            if names.count(name) > 1:
                raise UsageError(
                    f"a panel asks {name!r} twice; repeats of the judge's file ask one model again"
                )

    @property
    def panel(self) -> tuple[JudgeModel, ...]:
        """Who is asked."""
        return cast("tuple[JudgeModel, ...]", self.models)

    def read(self, change: Callable[[JudgeModel], JudgeModel] = lambda model: model) -> JudgeSpec:
        """Return the same with the judge's file read.

        Args:
            change: what becomes of each model.

        Raises:
            UsageError: there is no such judge.
            InputError: its file cannot be used.
        """
        judge = self.judge if isinstance(self.judge, Judge) else _read(self.judge, folder=self.folder)
        return replace(self, judge=judge, models=tuple(map(change, self.panel)))

    @property
    def kept(self) -> KeptJudge:
        """What is kept with a run; the judge's file has been read."""
        return KeptJudge(judge=cast("Judge", self.judge), models=tuple(one.name for one in self.panel))


def _read(judge: str, *, folder: str) -> Judge:
    """Return the judge of a file, or that of a name which no file has; a template that is none is the file's fault."""
    path = Path(folder) / judge
    found = read_judge(judge if judge in rubric_names() and not path.exists() else path)
    JudgePrompt(found, file=str(path))
    return found


class KeptJudge(msgspec.Struct, frozen=True, kw_only=True):
    """A judge as a run keeps it: enough to read its replies again, and no more of the models than their names.

    Attributes:
        judge: the judge.
        models: the names of the models that were asked.
    """

    judge: Judge
    models: tuple[str, ...]

    @property
    def asked(self) -> str:
        """Who was asked, in one text."""
        return " + ".join(self.models)

    @property
    def label(self) -> str:
        """The judge with the beginning of its hash, and who was asked: ``tone/3f9a12bc by embedded``."""
        return f"{self.judge.name}/{self.judge.hash[:8]} by {self.asked}"

    @property
    def rule(self) -> Rule:
        """The rule by which answers are scored."""
        return _rule_of(msgspec.json.encode(self.judge), self.models)


@lru_cache(maxsize=64)
def _rule_of(judge: bytes, models: tuple[str, ...]) -> Rule:
    """Return the rule of a judge, whose templates are compiled once."""
    return judge_rule(msgspec.json.decode(judge, type=Judge), models)


def kept_as(rule: Rule) -> str:
    """Return under which name a run keeps a rule: of a judge with its hash and who is asked."""
    return rule.judge or rule.name


def judge_models(specs: Iterable[JudgeSpec | None]) -> dict[str, JudgeModel]:
    """Return the models that judges ask, by name.

    Raises:
        UsageError: two of them go by one name.
    """
    found: dict[str, JudgeModel] = {}
    for one in (model for spec in specs if spec is not None for model in spec.panel):
        if found.setdefault(one.name, one) != one:
            raise UsageError(
                f"two judges ask {one.name!r}, at other places or other prices: name one of them"
            )
    return found
