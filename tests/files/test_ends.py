"""The ends of a file, however long it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.files.ends import file_ends


@pytest.mark.parametrize(
    ("held", "ends"),
    [(b"", (b"", b"")), (b"abc", (b"abc", b"bc")), (b"abcdefgh", (b"abcd", b"gh"))],
)
def test_the_first_and_the_last_bytes_which_overlap_in_a_short_file(tmp_path: Path, held, ends):
    path = tmp_path / "log.json"
    path.write_bytes(held)
    assert file_ends(path, head=4, tail=2) == ends


def test_what_cannot_be_read_has_no_ends(tmp_path: Path):
    assert file_ends(tmp_path) == file_ends(tmp_path / "absent") == (b"", b"")
