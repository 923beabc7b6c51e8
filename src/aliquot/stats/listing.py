"""``methods``: what there is for a question, what it assumes and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aliquot.stats.inputs import as_choice
from aliquot.stats.method_table import ROWS
from aliquot.stats.printing import as_html, as_text

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = ("name", "answers", "assumes", "source")


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    Attributes:
        name: function of ``aliquot.stats``.
        topics: what it is listed under.
        answers: the question.
        assumes: what must hold.
        source: where the formula comes from, with the number of the equation or method where there is one.
    """

    name: str
    topics: tuple[str, ...]
    answers: str
    assumes: str
    source: str


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods for a topic, in the order to try them: the default first.

    Attributes:
        topic: the topic asked for; None for all.
        rows: the methods.
    """

    topic: str | None
    rows: tuple[Method, ...]

    def __iter__(self) -> Iterator[Method]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return as_text(self._title, _COLUMNS, self._cells())

    def _repr_html_(self) -> str:
        return as_html(self._title, _COLUMNS, self._cells())

    def to_frame(self) -> pl.DataFrame:
        """Return one row a method: name, answers, assumes, source."""
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        return pl.DataFrame(self._cells(), schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")

    @property
    def _title(self) -> str:
        return f"{len(self.rows)} methods" + (f" for {self.topic}" if self.topic else "")

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [(row.name, row.answers, row.assumes, row.source) for row in self.rows]


def methods(topic: str | None = None) -> Methods:
    """List what there is for a topic: names, what each answers, what it assumes, its source.

    Args:
        topic: ``rate``, ``mean``, ``paired``, ``graded``, ``attempts``, ``unpaired``, ``clusters``, ``strata``,
            ``missing``, ``quantiles``, ``ratios``, ``repeats``, ``pass_k``, ``bootstrap``, ``power``,
            ``classification``, ``agreement``, ``correlation``, ``judge``, ``sequential`` or ``monitor``; None for all.

    Raises:
        UsageError: an unknown topic; the error lists the known ones.

    Examples:
        >>> [method.name for method in methods("ratios")]
        ['fieller', 'fieller_from_moments', 'ratio_linear']
    """
    every = [Method(name, tuple(topics.split()), *rest) for topics, name, *rest in ROWS]
    if topic is None:
        return Methods(None, tuple(every))
    as_choice(topic, sorted({one for method in every for one in method.topics}), name="topic")
    return Methods(topic, tuple(method for method in every if topic in method.topics))
