"""Reading options kept in a file: YAML with the names of ``ReadOptions`` as its keys, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import yaml

from aliquot.errors import InputError, nearest
from aliquot.files.text import decode, read_bounded
from aliquot.files.writing import write_whole
from aliquot.files.yaml_documents import parse_yaml
from aliquot.readers.options import ReadOptions
from aliquot.readers.platform_mapping import shipped_mappings

MAX_BYTES: Final = 1 << 20
"""Largest mapping file."""

_KEYS: Final[Mapping[str, str]] = {field.name.rstrip("_"): field.name for field in fields(ReadOptions)}


def read_mapping(path: Path) -> ReadOptions:
    """Return the reading options a file holds.

    Raises:
        InputError: it is not YAML, has an unknown key, or a value of another kind than its option takes.
        MachineError: the machine refuses to read it.
    """
    file = str(path)
    found: object = parse_yaml(decode(read_bounded(path, limit=MAX_BYTES), file=file), file=file)
    if not isinstance(found, dict):
        raise InputError("is no mapping", file=file, remedy="Write lines such as item: question_id")
    options = cast("dict[str, Any]", found)
    for key in options:
        if key not in _KEYS:
            raise InputError(f"there is no reading option {key!r}", file=file, remedy=nearest(key, _KEYS))
    try:
        return msgspec.convert({_KEYS[key]: value for key, value in options.items()}, ReadOptions)
    except msgspec.ValidationError as error:
        raise InputError(f"holds something else than expected: {error}", file=file) from error


def find_mapping(name: str) -> ReadOptions:
    """Return the reading options of a file, or of a mapping that comes with the package (``langfuse``).

    A file of that name stands above a mapping that comes with the package.

    Raises:
        InputError: there is neither, or the file is no mapping.
        MachineError: the machine refuses to read it.
    """
    shipped = shipped_mappings()
    if not Path(name).exists():
        if name.lower() in shipped:
            return ReadOptions(reader=name.lower())
        remedy = f"Shipped mappings: {', '.join(shipped)}"
        raise InputError("there is no such mapping file", file=name, remedy=remedy)
    return read_mapping(Path(name))


def write_mapping(path: Path, options: ReadOptions) -> None:
    """Write the options that were given, so that ``read_mapping`` returns them.

    Raises:
        MachineError: the machine refuses.
    """
    given = {
        key: list(value) if isinstance(value, tuple) else value
        for key, name in _KEYS.items()
        if (value := getattr(options, name)) != getattr(ReadOptions(), name)
    }
    text = yaml.safe_dump(given, allow_unicode=True, sort_keys=False) if given else "{}\n"
    write_whole(path, text.encode())
