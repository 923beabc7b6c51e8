"""The one tree of errors and warnings.

::

    AliquotError                 every error a caller may want to catch
    ├── UsageError               the call itself is wrong: a name, an option, a combination      (exit 2)
    ├── InputError               a file, row or value cannot be used as it stands                (exit 2)
    │   └── NoRowsError          a source without a single row; for a gate nothing to judge      (exit 2)
    ├── MachineError             the machine cannot: disk full, port taken, model missing        (exit 2)
    ├── PatternTimeError         a pattern takes too long over a text                            (exit 2)
    ├── NothingToJudgeError      no valid row is left to analyse                                 (exit 5)
    └── RunStoppedError          a guard or the user stopped a run that can be resumed           (exit 6)

    AliquotWarning               everything that is said and not raised

Every error carries what was wrong, where, and what would be right; a message is one line of plain text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final


class AliquotError(Exception):
    """Base of every error of this package; ``exit_code`` is what the command line returns for it."""

    exit_code: ClassVar[int] = 1


class UsageError(AliquotError):
    """The call is wrong: an unknown name, a missing option, two options that exclude each other."""

    exit_code = 2


class InputError(AliquotError):
    """A file, a row or a value cannot be used as it stands.

    Args:
        problem: what was wrong, in one sentence without a final full stop.
        file: the file it was found in.
        row: the row of data, counted from 1 (a header is not counted; ``problem`` may add the line).
        field: the column or key.
        remedy: what would be right.
    """

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        row: int | None = None,
        field: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.file, self.row, self.field, self.remedy = problem, file, row, field, remedy
        where = [
            part
            for part in (file, f"row {row}" if row else None, f"field {field!r}" if field else None)
            if part
        ]
        text = f"{', '.join(where)}: {problem}" if where else problem
        super().__init__(f"{text}. {remedy}" if remedy else text)


class NoRowsError(InputError):
    """A source holds no row at all: a mistyped filter, a run that never began. A gate makes exit 5 of it."""


class MachineError(AliquotError):
    """The machine cannot do what was asked: disk full, port taken, model or extra missing."""

    exit_code = 2


class PatternTimeError(AliquotError):
    """A pattern that a user or an item set wrote takes too long over a text; a rule makes a lost outcome of it."""

    exit_code = 2


class NothingToJudgeError(AliquotError):
    """No valid row is left to analyse."""

    exit_code = 5


class RunStoppedError(AliquotError):
    """A guard stopped a run; what was answered is kept and the run can be resumed."""

    exit_code = 6


class AliquotWarning(UserWarning):
    """Something the caller should know that does not stop the work."""


def excerpt(value: object, *, limit: int = 60) -> str:
    """Return what was found as a message shows it: quoted, on one line, 60 characters of it at most, or ``limit``.

    Examples:
        >>> excerpt("item,value " * 20)
        "'item,value item,value item,value item,value item,value it…'"
    """
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 2]}…{text[-1]}"


MOST_KNOWN: Final = 60
"""Known names that a message lists whole; of more it lists the first ten."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the sentence that names the nearest of the known names and lists them, ten of very many.

    Examples:
        >>> nearest("wilsn", ["wilson", "jeffreys"])
        "Did you mean 'wilson'? Known: jeffreys, wilson."
        >>> nearest("q", map(str, range(100)))
        'Known: 0, 1, 10, 11, 12, 13, 14, 15, 16, 17, and 90 more.'
    """
    names = sorted(known)
    import difflib  # noqa: PLC0415 - loaded for a message only; every command starts with this module

    close = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    shown = names if len(names) <= MOST_KNOWN else [*names[:10], f"and {len(names) - 10:,} more"]
    return f"{hint}Known: {', '.join(shown)}."
