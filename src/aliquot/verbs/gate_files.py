"""What a gate leaves for the platform it runs on: a comment to post, and the summary of a step."""

from __future__ import annotations

from pathlib import Path

from aliquot.errors import MachineError, UsageError
from aliquot.files.writing import write_whole
from aliquot.findings.gate import Gate
from aliquot.findings.numbers import write_count
from aliquot.reports.gate_comment import MARKER, render_comment


def write_comment(found: Gate, path: str | Path) -> str:
    """Write the comment of a pull request and return a sentence on it.

    An unchanged run that passes says nothing: no file is left, and one that an earlier gate wrote is taken away.

    Raises:
        UsageError: the path holds something that no gate wrote.
        MachineError: the file cannot be written.
    """
    file = Path(path)
    if file.exists() and not _ours(file):
        raise UsageError(f"{file} is there and no comment of a gate; choose another name, or take it away")
    if found.quiet:
        file.unlink(missing_ok=True)
        return f"Nothing is new, so {file} was not written."
    text = render_comment(found)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, text.encode())
    names = write_count(len(found.flips), "name")
    return f"{file} written ({len(text.encode()) / 1000:.1f} kB; {names} folded)."


def add_summary(path: str | Path, text: str) -> None:
    """Append Markdown to the summary of a step, where a pull request of a fork cannot be commented.

    Raises:
        MachineError: the file cannot be written.
    """
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text.removeprefix(f"{MARKER}\n") + "\n")
    except OSError as error:
        raise MachineError(f"{path} cannot be written ({error.strerror})") from error


def _ours(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(MARKER)) == MARKER.encode()
    except OSError as error:
        raise MachineError(f"{file} cannot be read ({error.strerror})") from error
