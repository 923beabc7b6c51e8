"""What the pages claim about the project stands in the project."""

from __future__ import annotations

import re
import runpy
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import get_args

from aliquot.cli.main import MAIN_VERBS, OTHER_VERBS
from aliquot.evidence.transcripts import MAX_TURNS
from aliquot.item_sets.items import NOT_INPUTS
from aliquot.runner.evaluation import Guards
from aliquot.runner.evaluation_file import DECODING_KEYS, GUARD_KEYS, KEYS, SYSTEM_KEYS, parse_evaluation
from aliquot.runner.models import MODEL_KEYS
from aliquot.runner.plan import make_plan
from aliquot.scorers import ranked_lists, tool_use
from aliquot.scorers.choices import MEASURES
from aliquot.scorers.rules import RULES
from aliquot.systems.baselines import BaselineKind
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.fake import FakeSystem
from aliquot.systems.mappings import KEYS as REPLY_KEYS
from aliquot.systems.requests import Decoding
from aliquot.systems.traces import CALL_KEYS, MAX_KEPT, MAX_LISTED, MAX_VALUE, STAGE_KEYS
from aliquot.verbs.run import run
from tests.workshop.sources import ROOT

DOCS = ROOT / "docs"
PAGES = ("evaluation.md", "likelihoods.md", "systems.md", "item_sets.md", "running.md")
"""Where an evaluation is told of."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def first_cells(page: str) -> list[str]:
    return re.findall(r"^\| `?([\w.-]+)`? \|", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)


def test_each_dependency_has_its_reason():
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in PROJECT["dependencies"]]
    extras = list(PROJECT["optional-dependencies"])
    assert [
        name for name in first_cells("dependencies.md") if name not in {"package", "extra"}
    ] == names + extras


def test_each_decision_is_listed_and_its_guard_exists():
    listed = set(
        re.findall(
            r"^\d{4}-[\w-]+$", (DOCS / "decisions" / "index.md").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    notes = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "decisions").glob("[0-9]*.md")}
    assert listed == set(notes)
    guards = {name: re.findall(r"`(tests/[^`]+)`", text) for name, text in notes.items()}
    assert [name for name, paths in guards.items() if not paths] == []
    assert [path for paths in guards.values() for path in paths if not (ROOT / path).exists()] == []


def test_each_command_is_listed_once_with_its_page():
    rows = re.findall(
        r"^\|[\w ]*\| (`[^|]+`) \| \[", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(
        {**MAIN_VERBS, **OTHER_VERBS}
    )


def test_each_method_page_is_listed():
    listed = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    assert [
        path.stem
        for path in (DOCS / "methods").glob("*.md")
        if path.stem != "index" and path.stem not in listed
    ] == []


def test_each_command_of_the_makefile_says_what_it_does():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert named is not None
    assert re.findall(r"^([a-z-]+):.*## \w", makefile, re.MULTILINE) == named[1].split()


def block(page: str, language: str, *, place: int = 0) -> str:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[place]


def test_the_evaluation_of_the_docs_can_be_run_as_it_stands(tmp_path: Path):
    (tmp_path / "capitals.jsonl").write_text(block("evaluation.md", "json"), encoding="utf-8")
    evaluation = parse_evaluation(block("evaluation.md", "yaml"), file=str(tmp_path / "two-prompts.yaml"))
    plan = make_plan(evaluation)
    assert (evaluation.name, list(evaluation.systems), plan.total) == ("two-prompts", ["short", "shown"], 4)


def test_the_choices_of_the_docs_run_as_they_stand(tmp_path: Path):
    (tmp_path / "cities.jsonl").write_text(block("likelihoods.md", "json"), encoding="utf-8")
    text = block("likelihoods.md", "yaml").replace("model: embedded", "model: fake")
    (tmp_path / "choices.yaml").write_text(text, encoding="utf-8")
    fake = FakeSystem({}, likelihoods=lambda _, continuation: -float(len(continuation)))
    done = run(tmp_path / "choices.yaml", directory=tmp_path / "runs", models={"fake": fake})
    assert sorted(set(done.evidence.outcomes["metric"])) == [
        "success",
        "success,choice_by_likelihood/1",
        "success,choice_by_pmi/1",
    ]
    assert done.evidence.responses["status"].to_list() == ["ok"] * 4
    assert any("C. New York City\nAnswer: B" in asked for asked in fake.asked)


def test_every_key_and_every_rule_of_an_evaluation_is_on_its_pages():
    told = [cell for page in PAGES for cell in first_cells(page)]
    cells = [cell for cell in told if cell not in {"key", "field", "rule", "file"}]
    keys = len(KEYS)
    systems = keys + len(SYSTEM_KEYS)
    decoding = systems + len(DECODING_KEYS)
    assert set(cells[:keys]) == set(KEYS)
    assert set(cells[keys:systems]) == set(SYSTEM_KEYS)
    assert set(cells[systems:decoding]) == set(DECODING_KEYS)
    elsewhere = [cell for cell in cells[decoding:] if cell not in MODEL_KEYS]
    assert set(cells[decoding:]) >= set(MODEL_KEYS)
    listed = first_cells("scorers.md")
    assert set(RULES) <= set(listed)
    assert {name for name in elsewhere if name.startswith("choice_by_")} == set(MEASURES)


def test_the_page_of_rules_is_what_the_rules_say():
    made = runpy.run_path(str(DOCS / "make_scorers.py"))["page"]()
    assert (DOCS / "scorers.md").read_text(encoding="utf-8") == made, "run: make scorers"


def test_the_page_on_choosing_a_metric_names_rules_that_there_are():
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    tables = page.partition("## By task")[2].partition("## Before you trust one")[0]
    named = set(re.findall(r"`([a-z_0-9]+)[(`]", tables))
    functions = {name for module in (ranked_lists, tool_use) for name in vars(module)}
    others = {"accept", "unparsed", "parse_rate", "compare", "noise"}
    assert named - set(RULES) - functions - set(get_args(BaselineKind)) == others
    chosen = {
        "words",
        "number",
        "token_f1",
        "choice",
        "macro_f1",
        "json_valid",
        "chrf",
        "rouge",
        "refusal",
        "no_leak",
    }
    assert chosen <= named


def test_what_a_system_may_return_is_on_its_page():
    told = (DOCS / "systems.md").read_text(encoding="utf-8").partition("## A function or a command")[2]
    assert set(re.findall(r"`(\w+)`", told)) >= {*REPLY_KEYS}
    assert f"`{{{', '.join(STAGE_KEYS)}}}`" in told
    assert f"`{{{', '.join(CALL_KEYS[:4])}}}`" in told
    assert f"the first {MAX_TURNS} turns and {MAX_KEPT:,} characters" in told
    assert f"its result {MAX_VALUE:,} characters" in told
    assert f"More than {MAX_LISTED:,} stages" in told


def test_the_defaults_on_the_pages_are_the_defaults():
    page = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES)
    shown = dict(re.findall(r"^\| `(\w+)` \|.*\| `?([^|`]+)`? \|$", page, re.MULTILINE))
    assert float(shown["temperature"]) == Decoding().temperature
    assert int(shown["max_tokens"]) == Decoding().max_tokens
    assert {name: float(shown[name]) for name in GUARD_KEYS} == asdict(Guards())
    assert f"of {Guards().first} items" in page
    assert (
        set(re.findall(r"`(\w+)`", page.partition("weight an item: ")[2].partition(". A field")[0]))
        == NOT_INPUTS
    )
    required = [name for name, default in shown.items() if default == "required"]
    minimal = {
        "name": "x",
        "items": "basics",
        "scorer": "words",
        "systems": "{a: {model: embedded, prompt: x}}",
    }
    assert required == [*minimal, "model", "prompt", "base_url", "python", "command", "baseline", "run"]
    standard = Endpoint(base_url="http://host/v1", model="m")
    for name in ("concurrency", "tries", "timeout_s", "connect_timeout_s"):
        assert float(shown[name]) == getattr(standard, name)
    parse_evaluation("\n".join(f"{name}: {value}" for name, value in minimal.items()), file="x.yaml")
