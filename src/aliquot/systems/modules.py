"""Loading Python that a user names by its file or module; what is wrong with it is one line."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import sys
import tokenize
import traceback
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from aliquot.errors import AliquotError, nearest

SUFFIX: Final = ".py"

MOST_WORDS: Final = 300
"""Letters that are shown of what a user's code raises."""


class LoadError(Exception):
    """Python that cannot be loaded.

    Args:
        problem: what was wrong, in one sentence without a final full stop.
        remedy: what would be right.
    """

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


def load_file(file: Path) -> ModuleType:
    """Execute a Python file and return it as a module of its own; modules beside it can be imported by it.

    Args:
        file: the file.

    Raises:
        LoadError: there is no such file, it is no Python, or what it does fails.
    """
    if not file.is_file():
        raise LoadError(f"there is no file {file}", remedy="A path is relative to the evaluation file")
    _refuse_twins(file)
    module = ModuleType(f"{file.stem}_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}")
    module.__file__ = str(file.absolute())  # as an import has it: it holds when the folder changes
    with _importing_from(file.parent), told(str(file), root=file.parent):
        code = _compiled(file)
        sys.modules[module.__name__] = module  # where dataclasses and pickle look it up
        exec(code, vars(module))  # noqa: S102 - the user's own; not the loader, which may take the code of an older file
    return module


def load_module(name: str, *, folder: Path) -> ModuleType:
    """Import a module by its dotted name, from a folder or from what is installed.

    Args:
        name: ``package.module``.
        folder: where it is looked for first.

    Raises:
        LoadError: there is no such module, or what it does fails.
    """
    with _importing_from(folder), told(f"the module {name}", root=folder, module=name):
        return importlib.import_module(name)


def attribute(module: ModuleType, name: str, *, of: str) -> Any:
    """Return what a module calls by a name, dots leading into objects.

    Args:
        module: the module.
        name: the name, as ``answer`` or ``agent.answer``.
        of: the module as the user named it.

    Raises:
        LoadError: there is no such name.
    """
    found: Any = module
    for part in name.split("."):
        known = [one for one, value in vars(found).items() if not one.startswith("_") and callable(value)] \
            if hasattr(found, "__dict__") else []  # fmt: skip
        try:
            found = getattr(found, part)
        except AttributeError:
            raise LoadError(f"{of} has no {part!r}", remedy=nearest(part, known)) from None
    return found


def source_hash(file: Path) -> str:
    """Return the hash of a Python file and of every module beside it that it imports, however deep.

    What is installed and what is imported by a computed name is not part of it.

    Args:
        file: the file.
    """
    digest = hashlib.sha256()
    for name, part in sorted(local_modules(file).items()):
        digest.update(f"{name}\0".encode())
        digest.update(hashlib.sha256(part.read_bytes()).digest())
    return f"source sha256:{digest.hexdigest()[:20]}"


def local_modules(file: Path, *, root: Path | None = None) -> Mapping[str, Path]:
    """Return a file and the modules below a folder that it imports, by name, read off the sources.

    Args:
        file: where to begin; its own name is "".
        root: the folder that imports are looked up in; None for the file's own.
    """
    root = root or file.parent
    found, waiting = dict[str, Path](), [("", file)]
    while waiting:
        name, path = waiting.pop()
        if name in found:
            continue
        found[name] = path
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue  # what is no Python imports nothing; loading it says so
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        for wanted in _imports(tree, package=package):
            waiting += [(one, place) for one, place in _places(wanted, root) if one not in found]
    return found


def _imports(tree: ast.AST, *, package: str) -> Iterator[str]:
    """Yield the dotted names that a module imports, and those that ``from`` may import out of a package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join(part for part in (*above, node.module or "") if part)
            if base:
                yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _places(name: str, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder that are run when a dotted name is imported: its packages and itself."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:depth])
        for file in (place.with_name(place.name + SUFFIX), place / "__init__.py"):
            if file.is_file():
                yield ".".join(parts[:depth]), file


def _refuse_twins(file: Path) -> None:
    """Refuse a file that imports a module beside it while another one of that name is loaded.

    Python holds one module of a name, so the file would silently work with the other one: two versions of an
    application in two folders would answer alike.
    """
    for name, place in local_modules(file).items():
        loaded = getattr(sys.modules.get(name), "__file__", None) if name else None
        if loaded is not None and not _same(Path(loaded), place):
            raise LoadError(
                f"{file} imports {name!r}, and {loaded} is loaded under that name already, of which Python holds one",
                remedy='Ask one of the two as a command: model: {command: ["python", "-u", "agent.py"]}',
            )


def _same(one: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return one.samefile(other)
    return False


@contextlib.contextmanager
def _importing_from(folder: Path) -> Generator[None]:
    """Let imports look into a folder first, and later, when functions import as they are called, last."""
    place = str(folder.resolve())
    there = place in sys.path
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)
        if not there:
            sys.path.append(place)


@contextlib.contextmanager
def told(named: str, *, root: Path, module: str = "") -> Generator[None]:
    """Turn whatever a user's code raises into one line that names their own line; an interrupt goes through.

    Args:
        named: what is loaded, as the user names it.
        root: the folder of the user's own files.
        module: the module that is imported, whose absence is another fault than that of one it needs.
    """
    try:
        yield
    except LoadError:
        raise
    except SystemExit as error:
        raise LoadError(
            f"{named} ends the program when it is loaded",
            remedy='Put what it does as a program behind: if __name__ == "__main__":',
        ) from error
    except SyntaxError as error:
        place = f"{error.filename or named} line {error.lineno}"
        raise LoadError(f"{place} is not valid Python ({error.msg})", remedy="Correct that line") from error
    except Exception as error:
        if (
            isinstance(error, ModuleNotFoundError)
            and error.name
            and f"{module}.".startswith(f"{error.name}.")
        ):
            raise LoadError(
                f"there is no module {error.name!r}",
                remedy="It is looked for beside the evaluation file first",
            ) from error
        raise LoadError(
            f"{named} fails when it is loaded: {_words(error)}{_place(error, root)}",
            remedy="Correct that line, or install what it needs",
        ) from error


def _words(error: Exception) -> str:
    """Return what an error says on one line; one of our own needs no name."""
    said = str(error) if isinstance(error, AliquotError) else f"{type(error).__name__}: {error}"
    text = " ".join(said.split())
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}…"


def _place(error: Exception, root: Path) -> str:
    """Return where in the user's own files an error came up."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(root.resolve())]
    return f" ({own[-1].filename} line {own[-1].lineno})" if own else ""


def _compiled(file: Path) -> CodeType:
    """Return a file as code."""
    try:
        with tokenize.open(file) as source:
            return compile(source.read(), str(file), "exec", dont_inherit=True)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError, MemoryError) as error:
        raise LoadError(f"{file} is not Python text ({error})", remedy="Save it in UTF-8") from error
