from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.files import archives, zip_directory
from aliquot.files.archives import open_archive
from tests.readers.inspect_logs import DEFLATE, STORED, ZSTD, zip_bytes

TEXT = b"some text, some text, some text" * 50


def _archive(folder: Path, members: list[tuple[str, bytes]], **packing: object) -> archives.Archive:
    path = folder / "a.zip"
    path.write_bytes(zip_bytes(members, **packing))  # type: ignore[arg-type]
    return open_archive(path)


@pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
@pytest.mark.parametrize("zip64", [False, True])
def test_a_member_comes_back_as_written(tmp_path: Path, method: int, zip64: bool) -> None:
    archive = _archive(tmp_path, [("a", TEXT), ("b", b"")], method=method, zip64=zip64)
    assert (archive.read("a"), archive.read("b"), archive.torn) == (TEXT, b"", False)


def test_the_hand_made_archives_are_zip_archives() -> None:
    data = zip_bytes([("a", TEXT), ("ä/b", b"1")], method=DEFLATE, zip64=True)
    with zipfile.ZipFile(io.BytesIO(data)) as standard:
        assert {name: standard.read(name) for name in standard.namelist()} == {"a": TEXT, "ä/b": b"1"}


@given(data=st.binary(max_size=2000), frames=st.integers(1, 9))
def test_frames_of_zstandard_are_one_text(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, frames: int
) -> None:
    assert _archive(tmp_path_factory.mktemp("z"), [("a", data)], frames=frames).read("a") == data


def test_the_last_member_of_a_name_counts(tmp_path: Path) -> None:
    assert _archive(tmp_path, [("a", b"old"), ("b", b"x"), ("a", b"new")]).read("a") == b"new"


def test_more_members_than_sixteen_bits_count(tmp_path: Path) -> None:
    members = [(f"samples/{number}.json", b"%d" % number) for number in range(65_600)]
    archive = _archive(tmp_path, members, method=STORED, zip64=True)
    assert len(archive.members) == 65_600
    assert archive.read("samples/65599.json") == b"65599"


def test_bytes_in_front_of_an_archive_move_its_members(tmp_path: Path) -> None:
    archive = _archive(tmp_path, [("a", TEXT)], prefix=b"PK\x03\x04 garbage")
    assert archive.read("a") == TEXT


@pytest.mark.parametrize("zip64", [False, True])
@pytest.mark.parametrize("method", [DEFLATE, ZSTD])
def test_without_a_directory_whole_members_are_found(tmp_path: Path, method: int, zip64: bool) -> None:
    data = zip_bytes([("a", TEXT), ("b", b"1"), ("c", TEXT)], method=method, zip64=zip64, directory=False)
    (tmp_path / "a.zip").write_bytes(data[:-3])
    archive = open_archive(tmp_path / "a.zip")
    assert (archive.torn, list(archive.members)) == (True, ["a", "b"])
    assert (archive.read("a"), archive.read("b")) == (TEXT, b"1")


@pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
@pytest.mark.parametrize("claimed", [0, 10, len(TEXT) + 1])
def test_a_size_that_is_not_true_is_refused(tmp_path: Path, method: int, claimed: int) -> None:
    archive = _archive(tmp_path, [("a", TEXT)], method=method, claimed=claimed)
    with pytest.raises(InputError, match="member 'a': is damaged"):
        archive.read("a")


def test_what_grows_too_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "FREE_BYTES", 1_000)
    (tmp_path / "a.zip").write_bytes(zip_bytes([("a", bytes(1_000_000))]))
    with pytest.raises(InputError, match="would unpack to 1,000,000"):
        open_archive(tmp_path / "a.zip")
    filler = [("b", bytes(range(256)) * 40)]  # the archive as a whole is within the ratio, one member is not
    (tmp_path / "a.zip").write_bytes(zip_bytes([("a", bytes(1_000_000)), *filler], method=STORED))
    stored = open_archive(tmp_path / "a.zip")
    bomb = stored.members["a"]._replace(packed=10)
    with pytest.raises(InputError, match="would unpack from 10 to 1,000,000 bytes"):
        archives.Archive(stored.path, {"a": bomb}).read("a")
    with pytest.raises(InputError, match="would unpack from"):
        stored.read("a", limit=999_999)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_directory, "MAX_MEMBERS", 3)
    with pytest.raises(InputError, match="more than 3 members"):
        _archive(tmp_path, [(str(number), b"") for number in range(4)])


def test_encrypted_and_unknown_members_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="member 'a' is encrypted"):
        _archive(tmp_path, [("a", TEXT)], flags=1)
    with pytest.raises(InputError, match="packed by method 12, which is not known"):
        _archive(tmp_path, [("a", TEXT)], method=12).read("a")
    with pytest.raises(InputError, match="no member 'z'"):
        _archive(tmp_path, [("a", TEXT)]).read("z")


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    for data in (b"", b"hello", b"PK"):
        (tmp_path / "a.zip").write_bytes(data)
        with pytest.raises(InputError, match="is no zip archive"):
            open_archive(tmp_path / "a.zip")
    (tmp_path / "a.zip").write_bytes(zip_bytes([]))
    assert open_archive(tmp_path / "a.zip").members == {}


@given(data=st.data())
def test_any_damage_gives_the_bytes_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    method = data.draw(st.sampled_from([STORED, DEFLATE, ZSTD]))
    raw = bytearray(
        zip_bytes([("a", TEXT), ("b", b"1"), ("a", TEXT[:99])], method=method, zip64=data.draw(st.booleans()))
    )
    for at, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=4)
    ):
        raw[at] = byte
    path = tmp_path_factory.mktemp("z") / "a.zip"
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw)
    try:
        archive = open_archive(path)
        read = [archive.read(name) for name in archive.members]
    except InputError:
        return
    assert all(one in {TEXT, b"1", TEXT[:99]} for one in read)
