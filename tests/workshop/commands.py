"""Programs on a path of their own: ``aliquot`` as this source or a wheel of it has it, a ``gh`` that records."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.workshop.sources import ROOT

GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in
  *--paginate*) if [ -n "$GH_FAILS" ]; then exit 1; fi; cat "$GH_KNOWN" 2>/dev/null || true ;;
  *) if [ -n "$GH_FAILS" ]; then exit 1; fi ;;
esac
for word in "$@"; do
  case "$word" in body=@*) cp "${word#body=@}" "$GH_LOG.body" ;; esac
done
"""


def programs(folder: Path) -> dict[str, str]:
    """Write the programs into a folder and return an environment that finds them first."""
    folder.mkdir(parents=True, exist_ok=True)
    aliquot = f'#!/bin/sh\nexec "{sys.executable}" -m aliquot "$@"\n'
    python = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
    for name, text in (("aliquot", aliquot), ("python", python), ("gh", GH)):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI"))}
    return kept | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "GH_LOG": str(folder / "gh.log"),
        "GH_KNOWN": str(folder / "gh.known"),
        "GH_FAILS": "",
    }


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this source, as ``.ci/run`` does; it needs the network for the build's own tools."""
    if shutil.which("uv"):
        command = ["uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)]
    else:
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(folder),
            str(ROOT),
        ]
    subprocess.run(
        command, check=True, env={name: told for name, told in os.environ.items() if name != "PYTHONPATH"}
    )
    (wheel,) = folder.glob("aliquot-*.whl")
    return wheel


def own_python(folder: Path) -> Path:
    """Make an environment that holds pip alone, and is lent the packages of this one without aliquot itself.

    What is installed into it is what a step installs; that its dependencies are there already asks no index.

    Returns:
        The folder of its programs.
    """
    venv.EnvBuilder(with_pip=True, symlinks=True).create(folder / "own")
    lent = folder / "lent"
    lent.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if (
            not entry.name.lower().startswith(("aliquot", "_aliquot", "__editable__", "pip", "__pycache__"))
            and entry.suffix != ".pth"
        ):
            (lent / entry.name).symlink_to(entry)
    (own,) = (folder / "own" / "lib").glob("python*/site-packages")
    (own / "lent.pth").write_text(f"{lent}\n", encoding="utf-8")
    return folder / "own" / "bin"
