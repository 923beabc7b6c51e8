from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.files.compressed import read_head, read_plain


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.binary(max_size=2000), min_size=1, max_size=3))
def test_members_of_one_file_are_read_one_after_the_other(tmp_path: Path, parts: list[bytes]) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)))
    assert read_plain(path) == b"".join(parts)
    assert read_head(path, size=1 << 20).startswith(parts[0])


def test_a_file_that_is_not_packed_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"[1]")
    assert read_plain(path) == read_head(path, size=10) == b"[1]"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (gzip.compress(b"x" * 10_000)[:-9], "is cut off"),
        (gzip.compress(b"xyz")[:-8] + b"\xff" * 8, "is damaged"),
        (gzip.compress(b"x") + b"tail", "is damaged"),
        (gzip.compress(bytes(3_000_000)), "holds more than 1,000,000 bytes when unpacked"),
        (b"x" * 1_000_001, "holds 1,000,001 bytes"),
    ],
    ids=["cut", "wrong sum", "something behind", "explodes", "large"],
)
def test_damaged_and_exploding_files_are_one_error(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem):
        read_plain(path, limit=1_000_000)


def test_what_cannot_be_read_has_no_head(tmp_path: Path) -> None:
    assert read_head(tmp_path / "none", size=10) == b""
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b nonsense")
    assert read_head(tmp_path / "a.gz", size=100) == b""
