"""The example of docs/readers.md, found as any installed package is."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.errors import InputError
from aliquot.evidence.contents import systems
from aliquot.readers.registry import find_reader, read_evidence, read_one

PACKAGE = Path(__file__).parent / "third_party"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PACKAGE))


def test_an_installed_package_adds_a_reader(tmp_path: Path) -> None:
    for name, words in (("old", ("passed", "failed")), ("new", ("passed", "passed"))):
        (tmp_path / f"{name}.diary").write_text("".join(f"q{i}: {word}\n" for i, word in enumerate(words)))
    assert find_reader(tmp_path / "old.diary").name == "diary"
    evidence = read_evidence([tmp_path / "old.diary", tmp_path / "new.diary"])
    assert systems(evidence) == ("old", "new")
    assert evidence.outcomes["value"].to_list() == [1.0, 0.0, 1.0, 1.0]
    assert [source.format for source in evidence.sources] == ["diary", "diary"]


def test_its_errors_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.diary").write_text("q1: passed\nq2: perhaps\n")
    with pytest.raises(InputError, match=r"a.diary, row 2: is not 'id: passed' or 'id: failed'"):
        read_one(tmp_path / "a.diary")
