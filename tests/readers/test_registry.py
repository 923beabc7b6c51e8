from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence
from aliquot.files.run_directory import RunDirectory
from aliquot.readers import registry
from aliquot.readers.options import ReadOptions
from aliquot.readers.reader import Reader
from aliquot.readers.registry import find_reader, read_evidence, read_one


class DiaryReader:
    """A third party's reader."""

    name = "diary"
    reads = "diaries"

    def sniff(self, path: Path) -> bool | str:
        return path.suffix == ".diary" and "v1"

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        return assemble(
            pl.DataFrame({"system": [options.name or path.read_text()], "item": ["1"], "value": [1.0]})
        )


def _csv(path: Path, rows: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rows)
    return path


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="diary", value=f"{__name__}:DiaryReader", group=registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point] if group == registry.GROUP else [])


@pytest.mark.usefixtures("diary")
def test_a_third_party_adds_a_reader_by_an_entry_point(tmp_path: Path) -> None:
    reader: Reader = DiaryReader()
    assert reader.sniff(tmp_path / "a.diary") == "v1"
    (tmp_path / "a.diary").write_text("me")
    assert systems(read_one(tmp_path / "a.diary")) == ("me",)
    assert systems(read_one(_csv(tmp_path / "a.csv", "x"), ReadOptions(reader="diary", name="you"))) == (
        "you",
    )


@pytest.mark.usefixtures("diary")
def test_what_no_reader_knows_gets_the_known_formats_and_the_flags(tmp_path: Path) -> None:
    path = _csv(tmp_path / "a.xyz", "hello")
    with pytest.raises(
        InputError,
        match=r"run \(the directory.*diary \(diaries\); table \(CSV.*--item-column, --value-column, --system-column",
    ):
        find_reader(path)
    with pytest.raises(UsageError, match=r"no reader 'dairy'. Did you mean 'diary'"):
        find_reader(path, name="dairy")
    with pytest.raises(InputError, match="no such file or folder"):
        find_reader(tmp_path / "none.csv")


def test_a_run_is_read_by_its_folder_or_manifest_and_may_be_renamed(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    evidence = assemble(pl.DataFrame({"system": ["chat"], "item": ["1"], "value": [1.0]}))
    run.write_evidence(evidence)
    (run.path / "run.json").write_text("{}")
    for path in (run.path, run.path / "run.json"):
        assert find_reader(path).name == "run"
        back = read_one(path)
        assert back.outcomes.equals(evidence.outcomes)
        assert (back.sources[0].path, back.sources[0].format) == (str(path), "aliquot run")
    assert systems(read_one(run.path, ReadOptions(name="old"))) == ("old",)
    with pytest.raises(InputError, match=r"is no run. A run's folder holds run.json"):
        read_one(tmp_path, ReadOptions(reader="run"))


def test_systems_of_one_name_in_two_files_are_told_apart(tmp_path: Path) -> None:
    old = _csv(tmp_path / "old" / "results.csv", "item,score\n1,0\n")
    new = _csv(tmp_path / "new" / "results.csv", "item,score\n1,1\n")
    assert systems(read_evidence([old, new])) == ("old/results.csv", "new/results.csv")
    assert systems(read_evidence([old, new], names=["a", "b"])) == ("a", "b")
    with pytest.raises(InputError, match="'a' with different rows"):
        read_evidence([old, new], names=["a", "a"])


def test_files_of_several_systems_pair_by_name(tmp_path: Path) -> None:
    old = _csv(tmp_path / "old.csv", "system,item,score\nm,1,0\nn,1,1\n")
    new = _csv(tmp_path / "new.csv", "system,item,score\nm,1,1\nk,1,1\n")
    assert systems(read_evidence([old, new])) == ("old.csv:m", "n", "new.csv:m", "k")


def test_the_same_file_twice_is_one(tmp_path: Path) -> None:
    path = _csv(tmp_path / "a.csv", "item,score\n1,0\n")
    evidence = read_evidence([path, path])
    assert systems(evidence) == ("a",)
    assert "identical_system" in [note.code for note in evidence.notes]


def test_paths_and_names_must_fit(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to read"):
        read_evidence([])
    with pytest.raises(UsageError, match="1 names for 2 paths"):
        read_evidence([tmp_path, tmp_path], names=["a"])
