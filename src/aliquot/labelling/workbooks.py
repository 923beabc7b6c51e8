"""Workbooks of Excel (extra ``xlsx``): texts that are never formulas, choices as lists, read back within bounds."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from aliquot.errors import InputError, MachineError
from aliquot.files.writing import machine_errors, write_whole

MOST_BYTES: Final = 64 << 20
"""Bytes of a workbook."""

MOST_UNPACKED: Final = 512 << 20
MOST_ROWS: Final = 100_000
MOST_COLUMNS: Final = 500
_MOST_LIST: Final = 250
"""Characters that the choices of a cell may take in all, by Excel."""


class Column(NamedTuple):
    """A column of a sheet.

    Attributes:
        name: its heading.
        width: in characters.
        choices: what may stand in it; empty for anything.
        hint: what is said of it.
    """

    name: str
    width: int
    choices: tuple[str, ...] = ()
    hint: str = ""


def _openpyxl() -> ModuleType:
    try:
        import openpyxl  # noqa: PLC0415 - a named extra  # pyright: ignore[reportMissingModuleSource] - as installed
    except ImportError as error:
        raise MachineError(
            "workbooks need the extra xlsx: pip install 'aliquot[xlsx]', or write CSV with --csv raters/"
        ) from error
    return openpyxl


def write_workbook(
    path: Path, columns: Sequence[Column], table: Mapping[str, Sequence[str]], *, title: str
) -> None:
    """Write a sheet; every cell is text, whatever it begins with.

    Raises:
        MachineError: the extra is missing, or the machine refuses.
    """
    openpyxl = _openpyxl()
    from openpyxl.comments import Comment  # noqa: PLC0415 - as above
    from openpyxl.styles import Alignment, Font, Protection  # noqa: PLC0415 - as above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415 - as above

    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "answers"
    book.properties.title = title
    rows = len(next(iter(table.values()), ()))
    for at, column in enumerate(columns, 1):
        letter = get_column_letter(at)
        sheet.column_dimensions[letter].width = column.width
        head = _put(sheet.cell(row=1, column=at), column.name)
        head.font = Font(bold=True)
        if column.hint:
            head.comment = Comment(_plain(column.hint)[:1000], "Aliquot")
        for row, text in enumerate(table[column.name], 2):
            cell = _put(sheet.cell(row=row, column=at), text)
            cell.alignment = Alignment(wrap_text=True, vertical="top", readingOrder=0)
            cell.protection = Protection(locked=False)
        if (
            column.choices
            and rows
            and len(",".join(column.choices)) <= _MOST_LIST
            and not any("," in one for one in column.choices)
        ):
            listed = ",".join(column.choices).replace('"', '""')
            rule = DataValidation(type="list", formula1=f'"{listed}"', allow_blank=True)
            sheet.add_data_validation(rule)
            rule.add(f"{letter}2:{letter}{rows + 1}")
    sheet.freeze_panes = "B2"
    data = io.BytesIO()
    book.save(data)
    write_whole(path, data.getvalue(), mode=0o600)


def _put(cell: Any, text: str) -> Any:
    """Set a cell to a text that stays one: neither number, date nor formula."""
    cell.value = _plain(text) or None
    if cell.value is not None:
        cell.data_type = "s"
        cell.number_format = "@"
        cell.quotePrefix = text[:1] in {"=", "+", "-", "@"}
    return cell


def _plain(text: str) -> str:
    r"""Return a text without characters that XML cannot hold, which are written out.

    Examples:
        >>> _plain("a\x07b\n")
        'a\\x07b\n'
    """
    return "".join(
        char
        if char in "\t\n" or (char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff")
        else char.encode("unicode_escape").decode("ascii")
        for char in text.replace("\r\n", "\n")
    )


def read_workbook(path: Path) -> dict[str, list[str]]:
    """Return the first sheet's columns as texts; of a formula what the spreadsheet had worked out.

    Raises:
        InputError: it is no workbook, too large, or two columns have one name.
        MachineError: the extra is missing, or the machine refuses.
    """
    openpyxl = _openpyxl()
    with machine_errors(path):
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"is larger than {MOST_BYTES >> 20} MB", file=str(path))
        data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_size(archive, file=str(path))
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = [[_cell(one) for one in row] for row in _bounded(sheet, file=str(path))]
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"is no workbook that can be read ({type(error).__name__})", file=str(path)
        ) from error
    head = rows[0] if rows else []
    named = [name for name in head if name]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two columns are called {twice!r}", file=str(path))
    return {
        name: [row[at] if at < len(row) else "" for row in rows[1:]] for at, name in enumerate(head) if name
    }


def _check_size(archive: zipfile.ZipFile, *, file: str) -> None:
    if sum(one.file_size for one in archive.infolist()) > MOST_UNPACKED:
        raise InputError(f"unpacks to more than {MOST_UNPACKED >> 20} MB", file=file)


def _bounded(sheet: Any, *, file: str) -> list[Sequence[Any]]:
    found: list[Sequence[Any]] = []
    for row in sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS):
        found.append(row)
        if len(found) > MOST_ROWS:
            raise InputError(f"has more than {MOST_ROWS:,} rows", file=file)
    return found


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
