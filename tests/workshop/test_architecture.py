"""Who may touch the world, and what each way in loads: rules that import-linter cannot state."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.workshop.sources import modules, names_used

PRINTS_OR_EXITS = {
    "print",
    "input",
    "exit",
    "quit",
    "sys.exit",
    "os._exit",
    "SystemExit",
    "sys.stdout",
    "sys.stderr",
}
ENVIRONMENT = {"os.environ", "os.getenv", "os.environb", "os.putenv"}
READS_ENVIRONMENT = {
    "systems/keys.py",  # the variables that an evaluation file names
    "systems/embedded.py",  # ALIQUOT_MODEL and the user's cache folder
}
HEARS_EXITS = {"systems/modules.py"}  # of a user's Python that ends the program when it is loaded
OWN_PROCESS = {"systems/harness.py"}  # the script that is started in the sandbox, and ends there
EDGES = ("cli/", "pytest_plugin", "__main__.py")

SCIENCE = {"scipy.stats", "pandas", "polars", "pyarrow", "matplotlib", "narwhals", "msgspec"}
SERVICES = {"aiohttp", "jinja2", "yaml", "rich", "xllamacpp", "click"}


def uses(names: set[str], *, allowed: Iterable[str]) -> list[str]:
    return [
        f"{path}:{line} {name}"
        for path, tree in modules().items()
        if not path.startswith((*EDGES, *allowed))
        for name, line in names_used(tree)
        if name in names
    ]


def test_only_the_edges_print_and_exit():
    assert uses(PRINTS_OR_EXITS - {"SystemExit"}, allowed=OWN_PROCESS) == []
    assert uses({"SystemExit"}, allowed=HEARS_EXITS) == []


def test_only_named_modules_read_the_environment():
    assert uses(ENVIRONMENT, allowed=READS_ENVIRONMENT) == []


def test_the_rule_sees_a_print_at_the_edge():
    seen = {
        name for path, tree in modules().items() if path.startswith("cli/") for name, _ in names_used(tree)
    }
    assert seen & (PRINTS_OR_EXITS | {"click.echo"})


def loaded_by(code: str, *, folder: Path) -> set[str]:
    """Names of all modules that a fresh interpreter holds after running ``code``.

    Read from ``sys.modules``: ``-X importtime`` does not see what ``importlib.import_module`` brings.
    """
    report = (
        "import atexit, sys\natexit.register(lambda: open('loaded', 'w').write('\\n'.join(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", report + code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return set((folder / "loaded").read_text(encoding="utf-8").split())


def command(*arguments: str) -> str:
    return f"import sys\nfrom aliquot.cli.main import main\nsys.argv[1:] = {list(arguments)!r}\nmain()"


def with_parts(names: set[str], loaded: set[str]) -> set[str]:
    return {name for name in loaded if any(name == bad or name.startswith(f"{bad}.") for bad in names)}


def test_every_module_of_stats_loads_numpy_and_scipy_special_only(tmp_path: Path):
    code = (
        "import importlib, pkgutil, aliquot.stats as stats\n"
        "for found in pkgutil.iter_modules(stats.__path__):\n"
        "    importlib.import_module(f'aliquot.stats.{found.name}')"
    )
    loaded = loaded_by(code, folder=tmp_path)
    assert "scipy.special" in loaded
    assert with_parts(SCIENCE | SERVICES, loaded) == set()


def test_help_loads_click_alone(tmp_path: Path):
    loaded = loaded_by(command("--help"), folder=tmp_path)
    assert "click" in loaded
    assert (
        with_parts(SCIENCE | (SERVICES - {"click"}) | {"numpy", "scipy", "asyncio", "email"}, loaded) == set()
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_compare_loads_no_heavy_part(tmp_path: Path, form: str):
    for name, step in (("a", 3), ("b", 4)):
        values = [(f"q{i}", int(i % step > 0)) for i in range(40)]
        text = (
            "item,value\n" + "".join(f"{item},{value}\n" for item, value in values)
            if form == "csv"
            else "".join(f'{{"item": "{item}", "value": {value}}}\n' for item, value in values)
        )
        (tmp_path / f"{name}.{form}").write_text(text, encoding="utf-8")
    loaded = loaded_by(command("compare", f"a.{form}", f"b.{form}"), folder=tmp_path)
    assert "scipy.special" in loaded
    deny = {
        "scipy.stats",
        "pandas",
        "pyarrow",
        "matplotlib",
        "aiohttp",
        "asyncio",
        "jinja2",
        "rich",
        "xllamacpp",
    }
    assert with_parts(deny, loaded) == set()
