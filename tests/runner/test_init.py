"""``init`` writes what runs, and the published schema takes what the reader takes and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from aliquot import init
from aliquot.errors import InputError, UsageError
from aliquot.files.documents import Node, parse
from aliquot.item_sets import sources
from aliquot.runner.evaluation_file import DECODING_KEYS, KEYS, SYSTEM_KEYS, read_evaluation
from aliquot.runner.evaluation_schema import DECODING, FILE, MODEL, PRICES, SYSTEM, evaluation_schema
from aliquot.runner.models import MODEL_KEYS
from aliquot.runner.plan import make_plan
from aliquot.runner.price_keys import PRICE_KEYS
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.runner import test_evaluation_file
from tests.runner.test_evaluation_file import GOOD
from tests.workshop.sources import ROOT
from tests.workshop.test_docs import block

WRONG = cast("Any", test_evaluation_file.test_a_wrong_file_gets_one_line_with_its_place).pytestmark[0].args[1]


def plain(node: Node) -> Any:
    """Return a document as the values a schema is held against."""
    if isinstance(node.value, dict):
        return {name: plain(part) for name, part in cast("dict[str, Node]", node.value).items()}
    if isinstance(node.value, list):
        return [plain(part) for part in cast("list[Node]", node.value)]
    return node.value


def problems(text: str) -> list[str]:
    checked = jsonschema.Draft202012Validator(evaluation_schema()).iter_errors(
        plain(parse(text, file="x.yaml"))
    )
    return [error.message for error in checked]


@pytest.mark.parametrize("items", [False, True])
def test_what_it_writes_runs_as_it_stands(tmp_path: Path, *, items: bool) -> None:
    written = init(tmp_path / "two-prompts.yaml", items=items)
    assert [path.name for path in written] == ["two-prompts.yaml", "two-prompts-items.jsonl"][: 1 + items]
    text = written[0].read_text(encoding="utf-8")
    assert problems(text) == []
    fake = FakeSystem(lambda _: "8")
    found = run(written[0], directory=tmp_path / "runs", models={"embedded": fake})
    assert found.path == tmp_path / "runs" / "two-prompts"
    assert found.evidence.responses.height == len(fake.asked) == (12 if items else 48)


def test_it_shows_every_key_and_what_is_commented_out_can_be_used(tmp_path: Path) -> None:
    (file, _) = init(tmp_path / "all.yaml", items=True)
    text = file.read_text(encoding="utf-8")
    assert [key for key in (*KEYS, *SYSTEM_KEYS, *DECODING_KEYS) if key not in text] == []
    used = "\n".join(
        line.removeprefix("# ") if line[2:].split(":")[0] in KEYS else line for line in text.splitlines()
    )
    file.write_text(used.replace("cluster: document", "cluster: kind"), encoding="utf-8")
    read = read_evaluation(file)
    assert (read.attempts, read.cluster, read.task) == (3, "kind", "capitals")
    assert make_plan(read).total == 2 * 3 * 3  # a sample of 4 holds one whole kind of three


def test_a_rubric_is_written_beside_it_and_can_be_asked(tmp_path: Path) -> None:
    file, rubric = init(tmp_path / "judged.yaml", judge="correctness")
    assert rubric.name == "correctness.yaml"
    text = file.read_text(encoding="utf-8")
    scorers = "scorers: [{judge: correctness.yaml, model: embedded}]"
    file.write_text(text.replace("scorer: {field: scorer}", scorers), encoding="utf-8")
    assert list(make_plan(read_evaluation(file)).evaluation.judges) == ["embedded"]
    with pytest.raises(UsageError, match="there is no rubric 'corect'"):
        init(tmp_path / "other.yaml", judge="corect")


def test_editors_find_the_schema(tmp_path: Path) -> None:
    (file,) = init(tmp_path / "deep" / "x.yaml")
    first = file.read_text(encoding="utf-8").splitlines()[0]
    mark, _, place = first.partition("$schema=")
    assert mark == "# yaml-language-server: "
    assert json.loads((file.parent / place).read_text(encoding="utf-8")) == evaluation_schema()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x-items.jsonl").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"x-items\.jsonl: is there already\. Choose another name"):
        init(tmp_path / "x.yaml", items=True)
    assert not (tmp_path / "x.yaml").exists()
    init(tmp_path / "x.yaml")
    before = (tmp_path / "x.yaml").read_bytes()
    with pytest.raises(InputError, match="is there already"):
        init(tmp_path / "x.yaml")
    assert (tmp_path / "x.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("stem", "name"), [("my run", "my-run"), ("été", "t"), ("---", "evaluation"), ("v1.2", "v1.2")]
)
def test_any_file_name_gives_a_run_a_name(tmp_path: Path, stem: str, name: str) -> None:
    (file,) = init(tmp_path / f"{stem}.yaml")
    assert read_evaluation(file).name == name


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"let its name end in \.yaml"):
        init(tmp_path / "evaluation.json")


def test_the_command_says_what_comes_next(tmp_path: Path) -> None:
    done = call("init", tmp_path / "x.yaml", "--items")
    assert (done.code, done.out.splitlines()) == (0, [f"{tmp_path}/x.yaml", f"{tmp_path}/x-items.jsonl"])
    assert f"Next: aliquot run {tmp_path}/x.yaml" in done.err
    assert call("init", tmp_path / "x.yaml").code == 2


def test_the_schema_knows_the_keys_of_the_reader_and_what_each_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(evaluation_schema())
    for known, forms in (
        (KEYS, FILE),
        (SYSTEM_KEYS, SYSTEM),
        (DECODING_KEYS, DECODING),
        (PRICE_KEYS, PRICES),
        (MODEL_KEYS, MODEL),
    ):
        assert set(known) == set(forms)
    published = (ROOT / "docs" / "schemas" / "evaluation.json").read_text(encoding="utf-8")
    assert json.loads(published) == evaluation_schema(), "run: make schemas"


def test_the_schema_takes_what_the_reader_takes() -> None:
    demo = (Path(sources.__file__).parent / "bundled" / "demo.yaml").read_text(encoding="utf-8")
    guarded = GOOD + "guards: {parse_rate: off}\nsample: {items: 9, by: kind}\n"
    over_http = GOOD.replace("model: fake", "model: {base_url: http://host/v1, model: m, extra: {top_k: 0}}")
    assert over_http != GOOD
    for text in (GOOD, demo, guarded, over_http, block("evaluation.md", "yaml")):
        assert problems(text) == []


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_the_schema_refuses_what_the_reader_refuses(old: str, new: str, message: str) -> None:
    assert message
    try:
        document = plain(parse(GOOD.replace(old, new), file="x.yaml"))
    except InputError:
        return  # no YAML, a key twice, an anchor: refused before any schema is asked
    assert list(jsonschema.Draft202012Validator(evaluation_schema()).iter_errors(document))


@pytest.mark.parametrize("stem", ["x", "a-long-name-of-an-evaluation"])
def test_the_commands_at_the_top_stand_one_below_the_other(tmp_path: Path, stem: str) -> None:
    (file,) = init(tmp_path / f"{stem}.yaml")
    run, compare = file.read_text(encoding="utf-8").splitlines()[2:4]
    assert run.startswith(f"#   aliquot run {stem}.yaml ")
    assert compare.startswith(f"#   aliquot compare runs/{stem} ")
    assert run.index("  asks what") == compare.index("  is the second")
