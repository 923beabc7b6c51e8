"""Programs on a path of their own: ``aliquot`` as this source has it, and a ``gh`` that records what it is asked."""

from __future__ import annotations

import os
import stat
import sys
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
