"""Functions and commands that an evaluation file names: loaded when the run starts, wrong ones refused in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation_file import parse_evaluation, read_evaluation
from aliquot.systems.modules import local_modules, source_hash
from aliquot.verbs.run import Run, run
from tests.cli.called import call
from tests.runner.evaluations import RIGHT_MODULE, write_items

HEAD = "name: {name}\nitems: made.jsonl\nscorer: words\nsystems:\n"
RIGHT = "def answer(prompt):\n    return 'a' + prompt[1:-1]\n"
AGENT = """\
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "text": "a" + asked["prompt"][1:-1], "stage": os.path.basename(os.getcwd())}))
    sys.stdout.flush()
"""


def write(folder: Path, model: str, *, name: str = "trial", n: int = 4, more: str = "") -> Path:
    """Write an evaluation of one system whose model is a mapping in YAML."""
    write_items(folder, n)
    path = folder / "trial.yaml"
    system = f'  first:\n    model: {model}\n    prompt: "{{{{ question }}}}"\n{more}'
    path.write_text(HEAD.format(name=name) + system, encoding="utf-8")
    return path


def values(found: Run) -> list[float | None]:
    return found.evidence.outcomes["value"].to_list()


def components(found: Run) -> dict[str, str]:
    manifest = RunDirectory(found.path).manifest
    assert manifest is not None
    return manifest.systems["first"]["components"]


def test_a_function_beside_the_file_is_asked_and_every_version_recorded(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(RIGHT.replace("def", "async def"), encoding="utf-8")
    model = '{python: "app.py:answer", version: "7", components: {index: "2026-11"}, concurrency: 2, timeout_s: 9}'
    file = write(tmp_path, model, more="    components: {parser: p3}\n")
    found = run(file, directory=tmp_path / "runs")
    assert values(found) == [1.0] * 4
    wanted = {"model": "app.py:answer", "snapshot": "7", "index": "2026-11", "parser": "p3"}
    assert components(found) == wanted
    settings = {row["name"]: row["value"] for row in found.evidence.settings.to_dicts()}
    assert wanted.items() <= settings.items()


def test_without_a_version_the_source_is_it_with_every_module_that_it_imports_from_beside(
    tmp_path: Path,
) -> None:
    (tmp_path / "parts").mkdir()
    written = {
        "app.py": "import json\nfrom helper_own import shape\ndef answer(prompt):\n    return shape(prompt)\n",
        "helper_own.py": "from parts import rules_own\ndef shape(text):\n    return rules_own.LETTER + text[1:-1]\n",
        "parts/__init__.py": "",
        "parts/rules_own.py": "from .letters_own import LETTER\n",
        "parts/letters_own.py": "LETTER = 'a'\n",
        "unused_own.py": "",
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    app = tmp_path / "app.py"
    names = {str(path.relative_to(tmp_path)) for path in local_modules(app).values()}
    assert names == written.keys() - {"unused_own.py"}
    found = run(write(tmp_path, '{python: "app.py:answer"}'), directory=tmp_path / "runs")
    assert values(found) == [1.0] * 4
    assert components(found)["snapshot"] == source_hash(app)
    before = source_hash(app)
    (tmp_path / "unused_own.py").write_text("x = 1", encoding="utf-8")
    assert source_hash(app) == before
    (tmp_path / "parts" / "letters_own.py").write_text("LETTER = 'b'\n", encoding="utf-8")
    assert source_hash(app) != before


def test_a_changed_source_and_a_changed_component_are_another_evaluation(tmp_path: Path) -> None:
    app = tmp_path / "app.py"
    app.write_text(RIGHT, encoding="utf-8")
    file = write(tmp_path, '{python: "app.py:answer"}', more='    components: {index: "1"}\n')
    run(file, directory=tmp_path / "runs")
    app.write_text(RIGHT.replace("'a'", "'b'"), encoding="utf-8")  # within the second, and as long as before
    with pytest.raises(UsageError, match="changed: snapshot of 'first'"):
        run(file, directory=tmp_path / "runs")
    file.write_text(file.read_text(encoding="utf-8").replace("trial", "other"), encoding="utf-8")
    assert values(run(file, directory=tmp_path / "runs")) == [0.0] * 4
    file.write_text(file.read_text(encoding="utf-8").replace('"1"', '"2"'), encoding="utf-8")
    with pytest.raises(UsageError, match="changed: index of 'first'"):  # though nothing is owed
        run(file, directory=tmp_path / "runs")


def test_a_file_knows_where_it_stands_wherever_the_run_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app.py").write_text(
        "import pathlib\nKEPT = pathlib.Path(__file__)\n"
        "def answer(prompt):\n    return 'a' + prompt[1:-1] if KEPT.is_absolute() else ''\n",
        encoding="utf-8",
    )
    write(tmp_path, '{python: "app.py:answer"}')
    monkeypatch.chdir(tmp_path)
    assert values(run("trial.yaml", directory="runs")) == [1.0] * 4


def test_modules_classes_objects_and_names_with_dots(tmp_path: Path) -> None:
    package = tmp_path / "answering_own"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    text = "class Agent:\n    async def __call__(self, prompt):\n        return self.answer(prompt)\n"
    text += "    def answer(self, prompt):\n        return 'a' + prompt[1:-1]\nagent = Agent()\n"
    (package / "agents.py").write_text(text, encoding="utf-8")
    for number, name in enumerate(("agent", "agent.answer")):
        model = f'{{python: "answering_own.agents:{name}"}}'
        found = run(write(tmp_path, model, name=f"run-{number}"), directory=tmp_path / "runs")
        assert values(found) == [1.0] * 4


WRONG = {
    "no file": ("", "app.py:answer", r"there is no file .*app\.py\. A path is relative"),
    "no name": (RIGHT, "app.py:answr", r"app\.py has no 'answr'\. Did you mean 'answer'"),
    "no module": (RIGHT, "no_such_module:answer", "there is no module 'no_such_module'"),
    "an import that lacks": (
        "import os\nimport no_such_thing\n",
        "app.py:answer",
        r"fails when it is loaded: ModuleNotFoundError: No module named 'no_such_thing' \(.*app\.py line 2\)",
    ),
    "a syntax error": ("def answer(:\n", "app.py:answer", r"app\.py line 1 is not valid Python"),
    "what it raises": (
        "raise ValueError('no index\\nhere')\n",
        "app.py:answer",
        r"ValueError: no index here \(.*app\.py line 1\)",
    ),
    "an exit": ("raise SystemExit(3)\n", "app.py:answer", "ends the program when it is loaded. Put"),
    "another coding": ("x = 'ü'\n", "app.py:answer", "is not Python text|is not valid Python"),
    "no function": ("answer = 7\n", "app.py:answer", "answer is 7, which cannot be called"),
    "a class": ("class answer: pass\n", "app.py:answer", "answer is a class. Name an object of it"),
    "no parameter": ("def answer(): pass\n", "app.py:answer", r"its own are \(\) \(too many positional"),
    "one too many": ("def answer(prompt, k): pass\n", "app.py:answer", "missing a required argument: 'k'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_loaded_is_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    text, target, words = WRONG[name]
    if text:
        (tmp_path / "app.py").write_bytes(text.encode("latin-1"))
    file = write(tmp_path, f'{{python: "{target}"}}')
    with pytest.raises(InputError, match=words) as caught:
        run(file, directory=tmp_path / "runs")
    assert str(caught.value).startswith(f"{file}, row 6, field 'python': ")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "runs").exists()


KEYS = [
    (
        '{python: "answer"}',
        r"row 6, field 'python': python is 'answer'; name a file or module and the function",
    ),
    ('{python: "app.py:"}', "name a file or module and the function"),
    ('{python: "app.py:a b"}', "name a file or module and the function"),
    ('{python: "app.py:answer", timout_s: 3}', "there is no key 'timout_s'. Did you mean 'timeout_s'"),
    ('{python: "app.py:answer", timeout_s: 0}', r"field 'timeout_s': timeout_s is 0; it must be more than 0"),
    (
        '{python: "app.py:answer", timeout_s: .inf}',
        r"field 'timeout_s': inf is out of range. Give a finite number",
    ),
    ('{python: "app.py:answer", concurrency: 0}', "0 is not a whole number from 1"),
    ('{python: "app.py:answer", version: 7}', "field 'version': 7 is not text. Put it in quotes"),
    ('{python: "app.py:answer", components: {index: 7}}', "field 'index': 7 is not text. Put it in quotes"),
    ('{python: "app.py:answer", command: [a]}', "there is no key 'command'"),
    ('{command: "python agent.py"}', r"'python agent.py' is not a list. Write \[one, two\]"),
    ("{command: []}", "command is a list of the program and its arguments"),
    ('{command: [""]}', "command is a list of the program and its arguments"),
    (
        "{command: [no-such-program-here]}",
        "row 6, field 'command': there is no program 'no-such-program-here'",
    ),
    ("{run: x, missing: keep}", "'keep' is not known here. Known: error, refuse"),
]


@pytest.mark.parametrize(("model", "words"), KEYS)
def test_a_wrong_key_is_refused_with_its_line(model: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words) as caught:
        run(write(tmp_path, model), directory=tmp_path / "runs")
    assert "\n" not in str(caught.value)


def test_components_go_with_every_kind_of_system_and_hide_nothing(tmp_path: Path) -> None:
    over_http = '{base_url: "http://127.0.0.1:1/v1", model: m}'
    for model in ("embedded", over_http):
        file = write(tmp_path, model, more='    components: {index: "3", tools: t1}\n')
        assert read_evaluation(file).systems["first"].components == {"index": "3", "tools": "t1"}
    for taken in ("model", "snapshot", "base_url", "engine"):
        file = write(tmp_path, over_http, more=f"    components: {{{taken}: x}}\n")
        with pytest.raises(InputError, match=rf"row 8, field '{taken}': the model itself tells it"):
            read_evaluation(file)
    twice = write(
        tmp_path, '{python: "app.py:answer", components: {a: "1"}}', more="    components: {a: x}\n"
    )
    with pytest.raises(InputError, match="'a' stands among the components of the model too"):
        read_evaluation(twice)


def test_two_versions_of_an_application_do_not_share_a_module_unnoticed(tmp_path: Path) -> None:
    for version, letter in (("v1", "a"), ("v2", "b")):
        (tmp_path / version).mkdir()
        text = "def answer(prompt):\n    from part_of_two import LETTER\n    return LETTER + prompt[1:-1]\n"
        (tmp_path / version / "app.py").write_text(f"import part_of_two\n{text}", encoding="utf-8")
        (tmp_path / version / "part_of_two.py").write_text(f"LETTER = '{letter}'\n", encoding="utf-8")
    write_items(tmp_path, 4)
    file = tmp_path / "trial.yaml"
    systems = "".join(
        f'  {version}: {{model: {{python: "{version}/app.py:answer"}}, prompt: "{{{{ question }}}}"}}\n'
        for version in ("v1", "v2")
    )
    file.write_text(HEAD.format(name="trial") + systems, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"row 6.*imports 'part_of_two', and .*v1.* is loaded under that name"
    ):
        run(file, directory=tmp_path / "runs")


def test_a_command_is_run_in_the_folder_of_the_file_without_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "über uns"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    file = write(folder, f'{{command: ["{sys.executable}", "-u", agent.py, "; exit 9", "$(false)"]}}')
    found = run(file, directory=tmp_path / "runs")
    assert values(found) == [1.0] * 4
    assert set(found.evidence.responses["stage"]) == {folder.name}
    first = components(found)
    assert first["snapshot"].startswith("files sha256:")
    (folder / "agent.py").write_text(AGENT + "# changed\n", encoding="utf-8")
    with pytest.raises(UsageError, match="changed: snapshot of 'first'"):
        run(file, directory=tmp_path / "runs")


def test_a_program_beside_the_file_is_found(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(f"#!{sys.executable}\n{AGENT}", encoding="utf-8")
    agent.chmod(0o755)
    found = run(write(tmp_path, '{command: [./agent], version: "3"}'), directory=tmp_path / "runs")
    assert values(found) == [1.0] * 4
    assert components(found) == {"model": "./agent", "snapshot": "3"}


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_of_the_file_and_whether_anything_differs_is_recorded(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(name: str) -> str:
        found = run(write(tmp_path, '{python: "app.py:answer"}', name=name), directory=tmp_path / "runs")
        return json.loads((found.path / "run.json").read_text(encoding="utf-8"))["settings"]["commit"]

    (tmp_path / "app.py").write_text(RIGHT, encoding="utf-8")
    assert commit("outside") == ""
    git("init", "-q")
    write(tmp_path, '{python: "app.py:answer"}', name="clean")
    git("add", "app.py", "trial.yaml", "made.jsonl")
    git("commit", "-q", "-m", "one")
    head = git("rev-parse", "HEAD")
    assert commit("clean") == head
    assert commit("another") == f"{head} with changes"
    git("commit", "-q", "-a", "-m", "two")
    later = git("rev-parse", "HEAD")
    assert commit("another") == f"{head} with changes, {later}"  # both sessions had a part in it


def test_names_of_the_docs_that_are_wrong_stay_one_error_tree() -> None:
    text = HEAD.format(name="x") + '  a: {model: {python: "a.py:b"}}\n'
    with pytest.raises(AliquotError, match="the key 'prompt' of system 'a'"):
        parse_evaluation(text, file="x.yaml")


@pytest.mark.parametrize(
    ("prompts", "verb"),
    [
        ('  one: {model: {python: "app.py:answer"}, prompt: "{{ question }}"}\n', "summarize"),
        (
            (
                '  one: {model: {python: "app.py:answer"}, prompt: "{{ question }}"}\n'
                '  two: {model: {python: "app.py:answer"}, prompt: "Please: {{ question }}"}\n'
            ),
            "compare",
        ),
        (
            (
                '  one: {model: {python: "app.py:answer"}, prompt: "{{ question }}", variants: '
                '[{name: a}, {name: b, prompt: "Please: {{ question }}"}]}\n'
            ),
            "variants",
        ),
    ],
)
def test_the_command_says_which_verb_comes_next(tmp_path: Path, prompts: str, verb: str) -> None:
    write_items(tmp_path, 4)
    (tmp_path / "app.py").write_text(RIGHT_MODULE, encoding="utf-8")
    (tmp_path / "x.yaml").write_text(
        f"name: x\nitems: made.jsonl\nscorer: words\nsystems:\n{prompts}", encoding="utf-8"
    )
    done = call("run", tmp_path / "x.yaml", "--directory", tmp_path)
    assert (done.code, done.out) == (0, f"{tmp_path}/x/\n")
    assert done.err.splitlines()[-1] == f"Next: aliquot {verb} {tmp_path}/x"
    quiet = call("run", tmp_path / "x.yaml", "--directory", tmp_path, "--progress", "json")
    assert "Next" not in quiet.err
