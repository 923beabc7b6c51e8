"""Variants of a system: what the file may say, what is asked, what is scored, and what a run writes down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot import compare, read, rescore
from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.evidence.transcripts import Turn
from aliquot.files.run_directory import RunDirectory
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.option_order import OptionOrder
from aliquot.reports.rows import render_rows
from aliquot.runner.evaluation import Evaluation, Variant
from aliquot.runner.evaluation_file import parse_evaluation, read_evaluation
from aliquot.runner.plan import make_plan
from aliquot.runner.shots import Shots, ShotsSpec
from aliquot.systems.fake import FakeSystem
from aliquot.systems.requests import ChatRequest
from aliquot.verbs.run import run
from aliquot.verbs.runs import runs
from aliquot.verbs.show import show
from tests.workshop.sources import ROOT

HEAD = "name: trial\nitems: made.jsonl\nseed: 3\nscorer: exact\nsystems:\n  small:\n    model: fake\n"
ASK = '    prompt: "{{ question }} {{ options }}"\n'


def made(folder: Path, n: int = 12) -> None:
    """Write n items of three options; the reference is the letter of the second, and two items make a document."""
    rows = [
        {
            "id": f"i{k}",
            "question": f"q{k}",
            "options": [f"a{k}", f"b{k}", f"c{k}"],
            "reference": "B",
            "doc": f"d{k // 2}",
        }
        for k in range(n)
    ]
    (folder / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def evaluation(folder: Path, text: str, head: str = HEAD) -> Evaluation:
    made(folder)
    (folder / "trial.yaml").write_text(head + text, encoding="utf-8")
    return read_evaluation(folder / "trial.yaml")


def asked(folder: Path, text: str, head: str = HEAD) -> dict[str, dict[str, str]]:
    """Return what each system is asked, by item."""
    plan = make_plan(evaluation(folder, text, head))
    found: dict[str, dict[str, str]] = {}
    for name in plan.evaluation.systems:
        for question in plan.questions(name):
            request = plan.prompts[name].request(question.item)
            assert isinstance(request, ChatRequest)
            found.setdefault(name, {})[question.item.id] = request.messages[-1].content
    return found


LIST = """\
    variants:
      - {name: plain}
      - {name: polite, prompt: "Please: {{ question }}"}
      - {name: told, instructions: Be brief.}
"""

CROSSED = """\
    values: {lead: Answer.}
    variants:
      wording:
        plain: {prompt: "{{ lead }} {{ question }} {{ options }}"}
        colon: {prompt: "{{ lead }}: {{ question }} {{ options }}"}
      order:
        given: {}
        reversed: {option_order: reversed}
      lead:
        plain:
        please: {values: {lead: Please.}}
"""


def test_a_list_makes_a_system_of_each(tmp_path: Path):
    systems = evaluation(tmp_path, ASK + LIST).systems
    assert list(systems) == ["small/plain", "small/polite", "small/told"]
    assert systems["small/told"].instructions == "Be brief."
    assert systems["small/told"].prompt == systems["small/plain"].prompt != systems["small/polite"].prompt
    assert systems["small/polite"].variant == Variant("small", {"variant": "polite"})


def test_factors_are_crossed_and_the_base_need_not_have_a_prompt(tmp_path: Path):
    found = asked(tmp_path, CROSSED)
    assert len(found) == 8
    assert found["small/colon/reversed/please"]["i3"] == "Please.: q3 ['c3', 'b3', 'a3']"
    assert found["small/plain/given/plain"]["i3"] == "Answer. q3 ['a3', 'b3', 'c3']"


def test_instructions_are_taken_away_by_null(tmp_path: Path):
    text = (
        ASK + "    instructions: Be brief.\n    variants: [{name: told}, {name: free, instructions: null}]\n"
    )
    systems = evaluation(tmp_path, text).systems
    assert (systems["small/told"].instructions, systems["small/free"].instructions) == ("Be brief.", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    variants: [{name: a}, {name: b}]\n", r"row 8: the variant a of 'small' has no prompt"),
        (ASK + "    variants: [{name: a}]\n", "row 9, field 'variants': one variant alone"),
        (ASK + "    variants: []\n", "row 9, field 'variants': one variant alone"),
        (ASK + "    variants: {}\n", "row 9, field 'variants': no factor is named"),
        (ASK + "    variants: terse\n", "row 9, field 'variants': 'terse' stands where"),
        (ASK + "    variants:\n", "row 9, field 'variants': nothing stands where"),
        (ASK + "    variants: [{name: a}, {prompt: x}]\n", "row 9, field 'variants': the key 'name' is missing"),
        (ASK + "    variants: [{name: a}, {name: a}]\n", "row 9: the variant 'a' stands twice"),
        (ASK + "    variants: [{name: a}, {name: b/c}]\n", "row 9, field 'name': 'b/c' cannot name"),
        (ASK + "    variants: [{name: a}, {name: 'b,c'}]\n", "'b,c' cannot name"),
        (ASK + "    variants: [{name: a}, {name: ''}]\n", "'' cannot name"),
        (ASK + "    variants: [{name: a}, {name: b, model: x}]\n", "row 9: there is no key 'model'"),
        (ASK + "    variants: [{name: a}, {name: b, decoding: {}}]\n", "there is no key 'decoding'"),
        (ASK + "    variants: {prompt: {a: {}, b: {}}}\n", "'prompt' stands where a factor's name is needed"),
        (ASK + "    variants: {of: {a: {}, b: {}}}\n", "a factor cannot be named 'of'"),
        (ASK + "    variants: {w: {a: {}}}\n", "row 9, field 'w': one level alone"),
        (ASK + "    variants: {w: {a: {}, b: {promt: x}}}\n", r"there is no key 'promt'\. Did you mean 'prompt'"),
        (ASK + "    variants: {w: {a: {}, b: text}}\n", "'text' stands where"),
        (
            ASK + "    variants:\n      w: {a: {}, b: {prompt: x}}\n      f:\n        c: {}\n        d: {prompt: y}\n",
            "row 13, field 'prompt': the factors 'w' and 'f' both change 'prompt'",
        ),
        (
            ASK + "    variants: {w: {a: {}, b: {values: {x: 1}}}, f: {c: {}, d: {values: {x: 2}}}}\n",
            r"both change 'values\.x'",
        ),
        (ASK + "    option_order: random\n", "row 9, field 'option_order': 'random' is not known here"),
        (ASK + "    option_order: {rotated: 0}\n", "row 9, field 'rotated': 0 is not a whole number from 1"),
        (ASK + "    option_order: {rotated: 1, shuffled: 1}\n", "is one of rotated and shuffled"),
        (ASK + "    values: {x y: 1}\n", "row 9, field 'x y': 'x y' cannot name a value"),
        (ASK + "    values: {reference: 1}\n", "'reference' cannot name a value"),
        (ASK + "    values: {x: {y: 1}}\n", "neither text nor number"),
        (ASK + "    values: {x: }\n", "neither text nor number"),
        (ASK + "    shots: {from: items}\n", "row 9, field 'shots': the key 'n' is missing"),
        (ASK + "    shots: {n: 2}\n", "row 9, field 'shots': the key 'from' is missing"),
        (ASK + "    shots: {n: -1, from: items}\n", "-1 is not a whole number from 0"),
        (ASK + "    shots: {n: 1, from: {fields: x}}\n", "there is no key 'fields'"),
        (ASK + "    variants: [{name: a}, {name: b}]\n  small/a: {model: fake, prompt: '{{ q }}'}\n", "two systems"),
        (
            ASK + "    variants:\n" + "".join(
                f"      f{k}: {{a: {{}}, b: {{}}, c: {{values: {{v{k}: 1}}}}}}\n" for k in range(5)
            ),
            "row 10, field 'variants': these variants make 243 systems",
        ),
    ],
)  # fmt: skip
def test_a_wrong_file_gets_one_line_with_its_place(text: str, message: str):
    with pytest.raises(InputError, match=message) as caught:
        parse_evaluation(HEAD + text, file="trial.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ASK + "    variants: [{name: a}, {name: b}]\n", "'small/a' and 'small/b' ask every item the same"),
        (ASK + "    variants: [{name: a}, {name: b, values: {x: 1}}]\n", "ask every item the same"),
        (ASK + "    values: {question: 1}\n", "'question' of 'small' has the name of a field"),
        ('    prompt: "{{ sep }}"\n    values: {sep: x}\n', "uses no field of the items"),
        (ASK + "    values: {sep: x}\n    instructions: 'Use {{ sep }}'\n", "are sent as they stand"),
        (ASK + "    shots: {from: items, n: 1}\n", "the prompt of 'small' does not show its shots"),
        (
            '    prompt: "{{ question }}{{ shots }}"\n    shots: {from: items, n: 40}\n',
            "finds 11 examples in items",
        ),
        (
            '    prompt: "{{ question }}{{ shots }}"\n    shots: {from: {field: exs}, n: 1}\n',
            "have no field 'exs'",
        ),
        (
            '    prompt: "{{ question }}{{ shots }}"\n    shots: {from: {field: options}, n: 1}\n',
            "must list examples",
        ),
        (
            '    prompt: "{{ question }}{{ shots }}"\n    shots: {from: none.jsonl, n: 1}\n',
            "there is no item set file",
        ),
        ('    prompt: "{{ question }}{{ shots }}"\n', "'shots' is undefined"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_spent(tmp_path: Path, text: str, message: str):
    with pytest.raises(AliquotError, match=message):
        make_plan(evaluation(tmp_path, text))


def test_an_order_needs_options_and_a_number_as_reference_is_refused(tmp_path: Path):
    text = '    prompt: "{{ question }}"\n    option_order: reversed\n'
    (tmp_path / "trial.yaml").write_text(HEAD + text, encoding="utf-8")
    (tmp_path / "made.jsonl").write_text('{"id": "a", "question": "q", "reference": "x"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no item lists options"):
        make_plan(read_evaluation(tmp_path / "trial.yaml"))
    row = {"id": "a", "question": "q", "options": ["x", "y"], "reference": 1}
    (tmp_path / "made.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match="from 0 or from 1"):
        make_plan(read_evaluation(tmp_path / "trial.yaml"))


SHOWN = '    prompt: "{% for s in shots %}{{ s.question }}={{ s.reference }};{% endfor %}{{ question }}?"\n'


def test_shots_are_seeded_nested_and_never_the_item_itself_or_of_its_cluster(tmp_path: Path):
    two, three, other = (
        asked(tmp_path, SHOWN + f"    shots: {{from: items, n: {n}, seed: {seed}}}\n")["small"]
        for n, seed in ((2, 1), (3, 1), (3, 2))
    )
    for item, prompt in two.items():
        shots = [shot.split("=")[0] for shot in prompt.split(";")[:-1]]
        assert len(shots) == 2
        assert "q" + item[1:] not in shots
        assert three[item].startswith(prompt.rpartition(";")[0])  # two shots are the first of three
    assert three != other
    clustered = asked(
        tmp_path, SHOWN + "    shots: {from: items, n: 3}\n", HEAD.replace("seed: 3", "seed: 3\ncluster: doc")
    )["small"]
    for item, prompt in clustered.items():
        document = int(item[1:]) // 2
        assert all(int(shot[1:].split("=")[0]) // 2 != document for shot in prompt.split(";")[:-1])


def test_a_shot_from_a_file_that_asks_the_same_is_passed_over(tmp_path: Path):
    rows = [
        {"id": "x", "question": "q3", "options": ["a3", "b3", "c3"], "doc": "d1", "reference": "B"},
        {"id": "y", "question": "other", "reference": "A"},
        {"id": "z", "question": "third", "reference": "C"},
    ]
    (tmp_path / "shots.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = asked(tmp_path, SHOWN + "    shots: {from: shots.jsonl, n: 2}\n")["small"]
    assert "q3=" not in found["i3"]
    assert any("q3=" in prompt for item, prompt in found.items() if item != "i3")


def test_shots_stand_in_the_order_of_options_of_their_system(tmp_path: Path):
    text = (
        '    prompt: "{% for s in shots %}{{ s.options[0] }}{{ s.reference }};{% endfor %}{{ question }}"\n'
        "    shots: {from: items, n: 1}\n    variants: [{name: given}, {name: turned, option_order: {rotated: 1}}]\n"
    )
    found = asked(tmp_path, text)
    assert found["small/given"]["i0"].startswith("a")
    assert "B;" in found["small/given"]["i0"]
    assert found["small/turned"]["i0"].startswith("b")
    assert "A;" in found["small/turned"]["i0"]


def test_items_may_carry_their_own_examples(tmp_path: Path):
    rows = [
        {"id": f"i{k}", "question": f"q{k}", "reference": f"a{k}",
         "shown": [{"question": f"e{k}{j}", "reference": "x"} for j in range(3)]}
        for k in range(3)
    ]  # fmt: skip
    text = SHOWN + "    shots: {from: {field: shown}, n: 2}\n"
    (tmp_path / "trial.yaml").write_text(HEAD + text, encoding="utf-8")
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    plan = make_plan(read_evaluation(tmp_path / "trial.yaml"))
    for question in plan.questions("small"):
        request = plan.prompts["small"].request(question.item)
        assert isinstance(request, ChatRequest)
        assert request.messages[-1].content.count(f"e{question.item.id[1:]}") == 2


def second_letter(prompt: str) -> str:
    """Answer B, whatever stands there."""
    return "B"


def test_what_was_shown_is_what_is_scored_now_after_a_rebuild_and_when_rescored(tmp_path: Path):
    text = ASK + "    variants: [{name: given}, {name: turned, option_order: {rotated: 1}}]\n"
    evaluation(tmp_path, text)
    done = run(
        tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": FakeSystem(second_letter)}
    )

    def rates(metric: str) -> dict[str, float]:
        rows = read(done.path).outcomes
        return {
            name: rows.filter((rows["system"] == name) & (rows["metric"] == metric))["value"].mean()  # type: ignore[misc]
            for name in ("small/given", "small/turned")
        }

    assert rates("success") == {"small/given": 1.0, "small/turned": 0.0}  # rotated by one, the right one is A
    rescore(done.path, scorer="words")
    assert rates("success,words/1") == {"small/given": 1.0, "small/turned": 0.0}
    assert f"aliquot variants {done.path}" in runs(tmp_path / "runs").commands
    (done.path / "evidence").rename(done.path / "gone")  # made again from the journal
    assert rates("success,words/1") == {"small/given": 1.0, "small/turned": 0.0}


def test_rows_show_options_as_each_system_saw_them(tmp_path: Path):
    text = ASK + "    variants: [{name: given}, {name: turned, option_order: {rotated: 1}}]\n"
    evaluation(tmp_path, text)
    done = run(
        tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": FakeSystem(second_letter)}
    )
    found = show(done.path, items=("i7",))
    (row,) = found.rows
    assert row.inputs == 'd3\n\n["a7","b7","c7"]\n\nq7'
    assert row.baseline is not None
    assert row.baseline.turns is None
    shown = 'd3\n\n["b7","c7","a7"]\n\nq7\n(in this order right: A)'
    assert row.candidate.turns == (Turn("user", shown), Turn("assistant", "B"))
    assert "(in this order right: A)" in render_rows(found)
    kept = [json.loads(line) for line in (done.path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(set(item["shown"]) == {"rotated 1"} for item in kept)


def test_turns_are_shown_with_their_options_as_they_were_seen(tmp_path: Path):
    turns = [{"question": f"q{k}", "options": ["x", "y", "z"], "reference": "y"} for k in (1, 2)]
    (tmp_path / "made.jsonl").write_text(json.dumps({"id": "c", "turns": turns}) + "\n", encoding="utf-8")
    (tmp_path / "trial.yaml").write_text(HEAD + ASK + "    option_order: reversed\n", encoding="utf-8")
    done = run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": FakeSystem({"q": "y"})})
    assert done.evidence.texts is not None
    told = done.evidence.texts.transcript("small", "made", "c#2", 1)
    assert told is not None
    assert [turn.text for turn in told] == ['["z","y","x"]\n\nq1', "y", '["z","y","x"]\n\nq2', "y"]


def manifest(path: Path) -> dict[str, Any]:
    return json.loads((path / "run.json").read_text(encoding="utf-8"))


def test_the_manifest_and_the_settings_say_which_variant_each_is(tmp_path: Path):
    text = SHOWN + "    values: {x: 1}\n    shots: {from: items, n: 0}\n" + (
        "    variants:\n      shots: {none: {}, two: {shots: {n: 2}}}\n"
        "      order: {given: {}, mixed: {option_order: shuffled}}\n"
    )  # fmt: skip
    text = text.replace("{{ question }}?", "{{ options }} {{ question }}?").replace(
        "      shots:", "      examples:"
    )
    evaluation(tmp_path, text)
    done = run(
        tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": FakeSystem(second_letter)}
    )
    about = manifest(done.path)["systems"]["small/two/mixed"]
    assert about["variant"] == {"of": "small", "levels": {"examples": "two", "order": "mixed"}}
    assert about["option_order"] == {"how": "shuffled", "by": 3}  # the evaluation's seed
    assert (about["shots"]["n"], about["shots"]["source"], about["shots"]["seed"]) == (2, "items", 3)
    assert len(about["shots"]["hash"]) == 64
    settings = dict(
        read(done.path).settings.filter(system="small/two/mixed").select("name", "value").iter_rows()
    )
    assert settings["variant.of"] == "small"
    assert (settings["variant.examples"], settings["variant.order"]) == ("two", "mixed")
    assert (settings["option_order"], settings["shots"]) == ("shuffled, seed 3", "2 from items, seed 3")
    found = compare(done.path, systems=("small/none/given", "small/none/mixed"))
    assert any(change.startswith("variant.order (given -> mixed)") for change in found.differs)
    assert not any(note.code == "several_changes" for note in found.warnings)


def test_a_run_does_not_go_on_with_other_options_or_shots(tmp_path: Path):
    shots = tmp_path / "shots.jsonl"
    shots.write_text('{"id": "x", "question": "s", "reference": "t"}\n', encoding="utf-8")
    text = SHOWN + "    shots: {from: shots.jsonl, n: 1}\n"
    models = {"fake": FakeSystem(second_letter)}
    evaluation(tmp_path, text)
    run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models=models)
    evaluation(tmp_path, text + "    option_order: reversed\n")
    with pytest.raises(UsageError, match="changed: option_order of 'small'"):
        run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models=models)
    evaluation(tmp_path, text)
    run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models=models)  # undone, it goes on
    shots.write_text('{"id": "x", "question": "s", "reference": "other"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="changed: shots of 'small'"):
        run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models=models)


def test_a_run_without_them_is_written_as_before(tmp_path: Path):
    evaluation(tmp_path, ASK)
    done = run(
        tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": FakeSystem(second_letter)}
    )
    assert manifest(done.path)["systems"]["small"].keys() == {
        "mode", "instructions", "prompt", "prompt_sha256", "decoding", "prices", "components",
    }  # fmt: skip
    assert RunDirectory(done.path).manifest is not None


def test_specs_say_themselves_and_refuse_what_cannot_be():
    assert (str(ShotsSpec()), str(OptionOrder("rotated", 2))) == ("0", "rotated by 2")
    with pytest.raises(UsageError, match="either from a file"):
        ShotsSpec(n=2)


def test_the_variants_of_the_page_can_be_asked_as_they_stand(tmp_path: Path):
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- variants of a system -->\n")[2].partition("\n\n")[0]
    text = "name: page\nitems: made.jsonl\nscorer: exact\n" + "\n".join(
        line[4:] for line in shown.split("\n")
    )
    found = asked(tmp_path, "", head=text + "\n")
    assert len(found) == 12
    assert next(iter(found)) == "small/plain/given/none"
    assert (
        found["small/brief/mixed/three"]["i0"].count("Answer: B")
        + found["small/brief/mixed/three"]["i0"].count("Answer: A")
        + found["small/brief/mixed/three"]["i0"].count("Answer: C")
        == 3
    )
    assert found["small/short/given/none"]["i0"] == "Q: q0\nA. a0\nB. b0\nC. c0\nA: "


def test_a_turn_is_never_shown_turns_of_its_own_conversation():
    turns = [
        Item(f"{talk}-{k}", {"question": f"{talk}{k}", "reference": "x"}, conversation=talk)
        for talk in ("a", "b")
        for k in range(3)
    ]
    shots = Shots(ShotsSpec(source="items", n=3), ItemSet("talks", tuple(turns)))
    assert all(shot["question"][0] != turn.conversation for turn in turns for shot in shots.of(turn))  # type: ignore[index]
