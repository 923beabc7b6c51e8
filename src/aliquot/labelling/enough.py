"""Are there labels enough? The half width that those at hand give, and how many the wanted one takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aliquot.labelling.project import Cell
from aliquot.stats.label_plan import corrected_width, plan_labels
from aliquot.stats.results import Undefined


@dataclass(frozen=True, slots=True)
class Enough:
    """What the labels of one system give.

    Attributes:
        system: whose answers.
        labelled: how many of them are labelled.
        half_width: half width of the 95% interval of its rate, to expect at these labels.
        wanted: the half width that is wanted; None when none was named.
        needed: labels that take it there; None when that is not known, or no labels do.
        judged: whether verdicts on all answers help.
    """

    system: str
    labelled: int
    half_width: float
    wanted: float | None
    needed: int | None
    judged: bool

    @property
    def done(self) -> bool | None:
        """Whether it is enough; None when nothing says what is wanted."""
        return None if self.wanted is None else self.half_width <= self.wanted


def find_enough(
    labels: Iterable[tuple[str, float | None, float]], cells: Sequence[Cell], *, wanted: float | None
) -> Iterator[Enough]:
    """Yield for each system how far its labels go.

    Where the answers have verdicts, labels correct the rate of all; else they speak for themselves.

    Args:
        labels: system, verdict, and 1 or 0, of each labelled answer.
        cells: how many answers there are of each system and verdict.
        wanted: half width that is wanted.

    Examples:
        >>> labels = [("main", None, float(i % 4 > 0)) for i in range(80)]
        >>> [one] = find_enough(labels, [Cell("main", None, 400)], wanted=0.05)
        >>> round(one.half_width, 3), one.needed
        (0.094, 287)
    """
    said: dict[str, dict[float | None, list[float]]] = defaultdict(lambda: defaultdict(list))
    for system, verdict, label in labels:
        said[system][verdict].append(label)
    by_system: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_system[cell.system].append(cell)
    for system, known in said.items():
        yield _enough(system, known, by_system[system], wanted)


def _enough(
    system: str, said: Mapping[float | None, Sequence[float]], cells: Sequence[Cell], wanted: float | None
) -> Enough:
    judged = len({cell.verdict for cell in cells}) > 1 and set(said) <= {cell.verdict for cell in cells}
    used = list(cells) if judged else [Cell(system, None, max(1, sum(cell.rows for cell in cells)))]
    given = [
        list(said.get(cell.verdict, ())) if judged else [x for one in said.values() for x in one]
        for cell in used
    ]
    rows = sum(cell.rows for cell in used)
    shares = np.array([cell.rows / rows for cell in used])
    every = [x for one in given for x in one]
    guess = (sum(every) + 0.5) / (len(every) + 1)
    rates = np.array([(sum(one) + guess) / (len(one) + 1) for one in given])
    width = corrected_width([len(one) for one in given], shares, rates, judged=rows)
    needed = None
    if wanted is not None and 0 < wanted < 0.5:
        plan = plan_labels(2 * wanted, shares, rates, judged=rows, neyman=False)
        needed = None if isinstance(plan, Undefined) else plan.labels
    return Enough(system, len(every), width / 2, wanted, needed, judged)
