"""Options that mean the same thing in every command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from aliquot.readers.flags import COLUMNS, PLAIN

if TYPE_CHECKING:
    from aliquot.readers.options import ReadOptions

Command = TypeVar("Command", bound=Callable[..., Any])


def pairing_options(command: Command) -> Command:
    """Add the options that say which two systems are paired, and on what."""
    return _decorated(command, _PAIRING)


def comparison_options(command: Command) -> Command:
    """Add the options that every command comparing A with B takes."""
    return _decorated(command, (*_PAIRING, *_COMPARISON))


def reading_options(command: Command) -> Command:
    """Add the options that say what the columns of a table mean."""
    return _decorated(command, _READING)


def label_options(command: Command) -> Command:
    """Add the options that say what people said of answers, what of it passes, and how those were drawn."""
    return _decorated(command, (*_LABELS, *_PASSING))


def passing_options(command: Command) -> Command:
    """Add the options that say which labels pass."""
    return _decorated(command, _PASSING)


class Shown(NamedTuple):
    """How a finding is printed: the form, whether everything, and a file it is also written to."""

    form: str
    verbose: bool
    output: str | None


def output_forms(command: Command) -> Command:
    """Add ``--json``, ``--markdown``, ``-v`` and ``-o``; the command is called with ``shown``."""

    @wraps(command)
    def with_form(
        *args: Any, as_json: bool, markdown: bool, verbose: bool, output: str | None, **options: Any
    ) -> Any:
        if as_json and markdown:
            from aliquot.errors import UsageError

            raise UsageError("--json and --markdown exclude each other")
        if output is not None:
            from aliquot.verbs.read import refuse_source
            from aliquot.verbs.report import form_of

            form_of(output)  # what cannot be written is said before anything is computed
            refuse_source(output, _given(options.values()))
        form = "json" if as_json else "markdown" if markdown else "text"
        return command(*args, shown=Shown(form, verbose, output), **options)

    return _decorated(with_form, _FORMS)  # pyright: ignore[reportReturnType] - a click callback is called by name


def _given(values: Iterable[object]) -> Iterator[object]:
    """Yield what was given, the members of options that take several one by one."""
    for value in values:
        if isinstance(value, tuple):
            yield from _given(value)  # pyright: ignore[reportUnknownArgumentType] - as click gives it
        else:
            yield value


def take_reading(options: dict[str, Any]) -> ReadOptions:
    """Take the reading options out of a command's options; what a mapping file says stands below them."""
    from dataclasses import replace

    from aliquot.readers.options import ReadOptions

    taken = {name: options.pop(f"column_{name}") for name in COLUMNS}
    taken |= {name: options.pop(name) for name in PLAIN}
    mapping = options.pop("mapping")
    saved = ReadOptions()
    if mapping is not None:
        from aliquot.readers.mapping import find_mapping

        saved = find_mapping(mapping)
    return replace(
        saved, **{name: value for name, value in taken.items() if value is not None and value != ()}
    )


def _decorated(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


_FORMS = (
    click.option("--json", "as_json", is_flag=True, help="Print the whole finding as JSON."),
    click.option("--markdown", is_flag=True, help="Print Markdown for a pull request."),
    click.option("-v", "--verbose", is_flag=True, help="Everything: all methods, every warning."),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Also write it to a file: .html, .md, .json, .txt, .csv, .tex or .xml (JUnit).",
    ),
)

_LABELS = (
    click.option(
        "--labels", multiple=True, metavar="FILE", help="People's labels of some answers (repeatable)."
    ),
    click.option(
        "--drawn",
        type=click.Choice(["at random", "by verdict", "by stratum", "by stratum and verdict", "unknown"]),
        default="at random",
        show_default=True,
        help="How the answers to label were drawn; unknown: they were picked.",
    ),
)

_PASSING = (
    click.option(
        "--pass-from",
        type=float,
        metavar="SCORE",
        help="Of labels or a judge that grade: an answer passes from this score on.",
    ),
    click.option(
        "--passes",
        multiple=True,
        metavar="WORD",
        help="Of labels that are words: this one passes, every other fails (repeatable).",
    ),
)

_PAIRING = (
    click.option(
        "--systems",
        nargs=2,
        metavar="BASELINE CANDIDATE",
        help="The two systems, when the files hold several.",
    ),
    click.option("--task", help="The task, when there are several."),
    click.option(
        "--metric",
        help="The metric, or an expression such as 'all(g1, g2)'; default: the log's own headline.",
    ),
    click.option(
        "--match-on",
        type=click.Choice(["content", "id"]),
        default="content",
        show_default=True,
        help="Refuse items of one id whose content differs, or match by id alone.",
    ),
)

_COMPARISON = (
    click.option("--cluster", help="Field that names an item's cluster (document, template, conversation)."),
    click.option(
        "--margin", "--no-worse-than", "margin", help="Largest loss that does not matter: 2pt, or 0.02."
    ),
    click.option(
        "--unpaired", is_flag=True, help="Compare each system's own items although some are shared."
    ),
    click.option(
        "--allow",
        multiple=True,
        type=click.Choice(["judge"]),
        help="Compare although this differs: two different judges are refused by default.",
    ),
    click.option("--against", help="A printed figure as the baseline: 0.82/500, 82%/500 or 410/500."),
    click.option("--counts", multiple=True, help="Passes of items, 17/20; two of them need no file."),
    click.option("--shares", metavar="SHARES", help="Reweight to these shares: lang=de:30,en:60,fr:10."),
    click.option("--plan", metavar="FILE", help="A plan file to hold the comparison against."),
    click.option(
        "--level", type=float, help="Confidence level.  [default: 0.95, or a run's success criteria]"
    ),
    click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding."),
)

_READING = (
    *(
        click.option(f"--{name}-column", f"column_{name}", help=f"Column of a table that holds the {name}.")
        for name in COLUMNS
    ),
    click.option(
        "--mapping",
        metavar="FILE|NAME",
        help="These options from a file (aliquot read --save-mapping FILE), or a platform's: langfuse, langsmith, "
        "braintrust, mlflow, weave, phoenix, foundryr.",
    ),
    click.option("--reader", help="Reader to use, when the file does not tell what it is."),
    click.option(
        "--wide", multiple=True, help="Column that holds the values of the system it names (repeatable)."
    ),
    click.option("--missing", multiple=True, help="Text that means 'no value' (repeatable)."),
    click.option("--encoding", help="Encoding of the text; default: UTF-8, UTF-16 by its mark."),
    click.option("--delimiter", help="Between the cells of delimited text."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark of the numbers."),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "drop", "attempts"]),
        help="Rows that are there twice: refuse, drop exact copies, or take as attempts.",
    ),
    click.option(
        "--kind",
        type=click.Choice(["binary", "ordinal", "bounded", "real"]),
        help="Kind of number the metric is; default: what the values show.",
    ),
    click.option("--low", type=float, help="Smallest possible value of the metric."),
    click.option("--high", type=float, help="Largest possible value of the metric."),
    click.option("--better", type=click.Choice(["higher", "lower", "none"]), help="Which direction is good."),
)


def threads_from_environment(environment: Mapping[str, str]) -> int | None:
    """Return one computing thread under CI, where cores are shared; None (all available) elsewhere."""
    return 1 if environment.get("CI", "").lower() in {"1", "true", "yes"} else None
