"""Writing a file whole or not at all, and saying in one line why the machine could not."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from aliquot.errors import MachineError


class machine_errors:  # noqa: N801 - a block, as those of contextlib, whose generators cost ten times as much
    """Turn what the operating system refuses on ``path`` into a MachineError that names the remedy.

    Raises:
        MachineError: the disk is full, the folder may not be written, or any other refusal.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Do nothing: what is refused is seen at the end of the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise MachineError(_sentence(error, self._path)) from error


def write_whole(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, also after a crash.

    Args:
        path: the file.
        data: all of it.
        mode: who may read and write it, from the first moment that it goes by its name.

    Raises:
        MachineError: the machine refuses; the old file is as it was.
    """
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(mode)
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make renames in a directory last through a power cut, where the system can."""
    with suppress(OSError):  # some file systems refuse to sync a directory; the rename itself has happened
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sentence(error: OSError, path: Path) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return f"{path}: the disk is full. What was written before is intact; free some space and run again."
    if error.errno == errno.EFBIG:
        return (
            f"{path}: the file is as large as files may be here (ulimit -f). What was written before is intact; "
            "raise the limit and run again."
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{path}: may not be written. Choose another folder or change its permissions."
    return f"{path}: {error.strerror or error}."
