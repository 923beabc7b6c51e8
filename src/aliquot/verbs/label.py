"""``label``: blind labels of a drawn part of the answers, on a page of your own machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import Labels, joined
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.verbs.label_draw import LabelDraw, RaterChecks, choices_of, draw_project, population_of

if TYPE_CHECKING:
    from aliquot.labelling.form import Form
    from aliquot.labelling.label_project import LabelProject
    from aliquot.labelling.project import Answer

FOLDER: Final = "labels"
"""The folder of projects, beside which runs have theirs."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What raters are to be asked, as the caller says it."""

    rubric: Sequence[str | Path]
    taxonomy: str | Path | None
    pairwise: bool
    codes: bool
    reference: bool

    @property
    def said(self) -> bool:
        """Whether anything is said of it."""
        return bool(self.rubric or self.taxonomy or self.pairwise or self.codes or self.reference)

    def form(self) -> Form:
        """Return the questions.

        Raises:
            UsageError: rubrics that do not fit each other, or are none for pairs.
            InputError: a rubric that cannot be read.
        """
        from aliquot.files.taxonomy import read_taxonomy
        from aliquot.labelling.form import form_of
        from aliquot.scorers.judge_files import read_judge

        named = [self.rubric] if isinstance(self.rubric, str | Path) else list(self.rubric)
        if self.pairwise and not named:
            named = ["preference"]
        kinds = tuple(read_taxonomy(Path(self.taxonomy)).says.items()) if self.taxonomy is not None else ()
        coded = kinds if self.codes or self.taxonomy is not None else None
        form = form_of([read_judge(one) for one in named], codes=coded, reference=self.reference)
        if self.pairwise and not form.pairwise:
            raise UsageError(f"{named[0]} is no rubric for pairs: it needs pairwise: true")
        return form


def label(
    *sources: str | Path | Evidence,
    raters: Sequence[str] = (),
    project: str | Path | None = None,
    rubric: Sequence[str | Path] = (),
    pairwise: bool = False,
    codes: bool = False,
    taxonomy: str | Path | None = None,
    reference: bool = False,
    draw: LabelDraw | None = None,
    check: RaterChecks | None = None,
    systems: Sequence[str] = (),
    task: str | None = None,
    metric: str | None = None,
    options: ReadOptions | None = None,
) -> LabelProject:
    """Draw answers and make the lists of those who label them; or open a project that is there already.

    Nobody who labels sees whose an answer is, what a judge said of it, or what it cost; the order is each rater's own.
    ``serve()`` of what is returned starts the page.

    Args:
        *sources: logs, runs or tables of answers, which nobody needs to have scored; or the folder of a project.
        raters: who labels.
        project: the project's folder; by default ``labels/<name of the source>``.
        rubric: judge files, or names of rubrics that come with the package: what is asked; by default pass or fail.
        pairwise: compare the two systems' answers to an item.
        codes: ask which kinds of failure an answer has, from a list that grows.
        taxonomy: a YAML file of kinds to begin with.
        reference: raters write what they would answer before they see an answer.
        draw: what is drawn, and how.
        check: how raters are trained and checked.
        systems: only these systems; the two of pairs.
        task: the task; by default the first.
        metric: whose verdicts are kept, unseen, for drawing and for what labels are worth; by default a judge's, else
            the log's own headline.
        options: what the columns of a table mean.

    Returns:
        The project.

    Raises:
        UsageError: choices that do not fit each other, or an opened project.
        InputError: a source that cannot be read, or without answers.
        MachineError: the machine refuses.

    Examples:
        >>> import tempfile
        >>> import polars as pl
        >>> from aliquot import from_frame
        >>> rows = {"item": list("abcdef"), "output": list("443454"), "value": [1, 1, 0, 1, 0, 1]}
        >>> answers = from_frame(pl.DataFrame(rows))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     some = {"project": folder, "draw": LabelDraw(n=4), "check": RaterChecks(overlap=2)}
        ...     found = label(answers, raters=["ana", "ben"], **some)
        ...     [(one.name, len(found.store.places(one.name))) for one in found.raters()]
        [('ana', 3), ('ben', 3)]
    """
    from aliquot.labelling.label_project import LabelProject

    draw, check = draw or LabelDraw(), check or RaterChecks()
    folder = _folder(sources, project)
    asked = _Asked(rubric, taxonomy, pairwise=pairwise, codes=codes, reference=reference)
    choices = choices_of(draw, check, systems=systems, task=task, metric=metric)
    if _is_project(folder):
        opened = LabelProject(folder)
        _hold_against(opened, sources, folder, choices=choices)
        if raters:
            opened.add_raters(raters)
        if asked.said:
            opened.change_form(asked.form())
        return opened
    evidences = [one for one in sources if isinstance(one, Evidence)]
    if not sources:
        raise UsageError("there is nothing to label. Name logs, runs or tables, or the folder of a project.")
    form = asked.form()
    evidence = _read(sources, options)
    population = population_of(evidence, form, draw, systems=systems, task=task, metric=metric)
    named = tuple(str(one) for one in sources if not isinstance(one, Evidence)) or ("evidence",) * len(
        evidences
    )
    return draw_project(
        folder,
        population,
        form,
        draw,
        check,
        sources=named,
        raters=raters or ("me",),
        reading=options,
        choices=choices,
    )


def _folder(sources: Sequence[str | Path | Evidence], project: str | Path | None) -> Path:
    """Return the folder of the project: as named, the source itself when it is one, else by the source's name."""
    if project is not None:
        return Path(project)
    paths = [Path(one) for one in sources if not isinstance(one, Evidence)]
    if len(paths) == 1 and _is_project(paths[0]):
        return paths[0]
    if not paths:
        if sources:
            raise UsageError("evidence has no name: name the project's folder (project=)")
        return Path(FOLDER)
    return Path(FOLDER) / (paths[0].stem or "answers")


def _is_project(folder: Path) -> bool:
    from aliquot.labelling.project import FILE

    return (folder / FILE).exists()


def _hold_against(
    opened: LabelProject,
    sources: Sequence[str | Path | Evidence],
    folder: Path,
    *,
    choices: Mapping[str, str],
) -> None:
    """Refuse another draw than the project's own: what was drawn stays as it is.

    Raises:
        UsageError: as said.
    """
    known = opened.project
    given = [str(one) for one in sources if not isinstance(one, Evidence) and Path(one) != folder]
    if given and tuple(given) != known.sources:
        raise UsageError(
            f"{folder} is a project on {', '.join(known.sources)}. Name another folder: --project DIR"
        )
    actual = {"--n": known.n, "--overlap": known.overlap, "--seed": known.seed}
    for name, text in choices.items():
        before = known.choices.get(name, str(actual.get(name, "")))
        if text not in {before, str(actual.get(name, before))}:
            how = f"with {name} {before}" if before else f"without {name}"
            raise UsageError(
                f"{folder} was drawn {how}. Leave {name} out, or name another folder: --project DIR"
            )


def _read(sources: Sequence[str | Path | Evidence], options: ReadOptions | None) -> Evidence:
    from aliquot.files.run_directory import is_run
    from aliquot.readers.answers import read_answers
    from aliquot.verbs.read import load

    paths = [Path(one) for one in sources if not isinstance(one, Evidence)]
    if len(paths) < len(sources) or any(is_run(path) for path in paths):
        return load(sources, options=options)
    return read_answers(paths, options)


def import_labels(
    project: LabelProject, files: Sequence[str | Path | Labels], *, options: ReadOptions | None = None
) -> int:
    """Take labels of other tools into a project: of Label Studio, Argilla, promptfoo, or a table; return the new ones.

    Answers that were not drawn come in too, from the project's own sources.

    Args:
        project: the project.
        files: the files.
        options: what the columns of a table mean.

    Raises:
        InputError: a file that cannot be read, or a label that is no answer to the form.
    """
    from aliquot.labelling.population import find_population
    from aliquot.readers.labels import read_labels

    evidence = _read(project.project.sources, project.project.reading)
    population = find_population(
        evidence, systems=(), task=None, metric=project.project.metric, by=None, pairs=False
    )
    places = {(one.system, one.task, one.item, one.attempt): at for at, one in enumerate(population.answers)}

    def answer_of(row: Mapping[str, Any]) -> Answer:
        key = (row["system"], row["task"], row["item"], row["attempt"])
        if key not in places:
            raise InputError(f"the answer to {row['item']!r} is not there to be read ({row['place']})")
        return population.shown(places[key], project.form)

    new = 0
    for one in files:
        told = one if isinstance(one, Labels) else read_labels(Path(one), options, every=True)
        new += project.take_labels(joined(told, evidence), answer_of)
    return new


def find_project(folder: str | Path) -> LabelProject:
    """Return the project that the sheets of a folder are of, among those in ``labels/``.

    Raises:
        InputError: there is none.
    """
    from aliquot.labelling.label_project import LabelProject
    from aliquot.labelling.project import FILE
    from aliquot.labelling.sheets import project_of_sheets

    wanted = project_of_sheets(Path(folder))
    for path in sorted(Path(FOLDER).glob(f"*/{FILE}")):
        opened = LabelProject(path.parent)
        if opened.project.id == wanted:
            return opened
        opened.close()
    raise InputError(f"no project in {FOLDER}/ is theirs", file=str(folder), remedy="Name it: --project DIR")
