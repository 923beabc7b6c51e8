"""``aliquot label`` on the command line: what it says, what it writes, and the line again that goes on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.called import call

LINES = [
    {
        "item": f"q{i:03}",
        "input": f"{i}+{i}?",
        "output": str(2 * i + int(i % 4 == 0)),
        "judged": int(i % 4 > 0),
    }
    for i in range(400)
]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("answers.jsonl")
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), encoding="utf-8")
    return path


def start(log: Path, *more: str, stop: pytest.MonkeyPatch):
    """Run the command until it has said how things stand, then press Ctrl-C."""

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with stop.context() as patch:
        patch.setattr("aliquot.cli.label.time.sleep", interrupt)
        return call("label", log, "--value-column", "judged", "--port", "0", *more)


def test_it_says_what_is_drawn_what_is_hidden_and_where_to_go(log, monkeypatch):
    done = start(log, "--raters", "ana,ben", "--n", "80", "--overlap", "20", "--seed", "11", stop=monkeypatch)
    assert done.code == 0, done.err
    said = done.out.splitlines()
    assert said[0].startswith("80 of 400 answers drawn at random (seed 11, kept with the labels). Rubric v1 ")
    assert (
        said[1] == "Hidden: system, judge verdict, cost. Order differs by rater. Nothing leaves this machine."
    )
    assert said[2].startswith("  ana  http://127.0.0.1:")
    assert said[2].endswith("   50 answers, about 10 minutes")
    assert "/r/ben-" in said[3]
    assert "--xlsx raters/" in done.out
    assert "ana 0/50  ben 0/50" in done.out
    assert "labels.csv (0 rows)" in said[-1]
    assert "judged" not in done.out


def test_the_same_line_goes_on_and_another_draw_is_refused(log, monkeypatch):
    first = start(log, "--raters", "ana", "--n", "20", stop=monkeypatch).out
    again = start(log, "--raters", "ana", "--n", "20", stop=monkeypatch).out
    links = [text.split("/r/")[1].split()[0] for text in (first, again)]
    assert links[0] == links[1]
    refused = start(log, "--n", "30", stop=monkeypatch)
    assert refused.code == 2
    assert "was drawn with --n 20" in refused.err
    opened = call("label", "labels/answers", "--export", "out")
    assert opened.code == 0, opened.err
    assert Path("out/labels.csv").exists()


def test_sheets_go_out_and_come_back_without_naming_the_project(log, monkeypatch):
    done = call(
        "label", log, "--value-column", "judged", "--raters", "ana,ben", "--n", "8", "--csv", "raters"
    )
    assert done.code == 0, done.err
    assert "Read back with  aliquot label --collect raters" in done.out
    for path in Path("raters").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows, names = list(reader), list(reader.fieldnames or ())
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(row | {"label": "pass"} for row in rows)
    back = call("label", "--collect", "raters")
    assert back.code == 0, back.err
    assert "ana.csv: 8 new" in back.out
    assert "aliquot agree labels/answers/labels.csv" in back.out
    assert (
        "aliquot calibrate answers.jsonl --labels labels/answers/labels.csv --value-column judged" in back.out
    )


def test_everything_can_be_had_as_json(log, monkeypatch):
    done = start(log, "--json", "--raters", "ana", stop=monkeypatch)
    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [one["event"] for one in events]
    assert kinds[:4] == ["drawn", "drawn", "rater", "owner"]
    assert events[2]["rater"] == "ana"
    assert events[2]["link"].startswith("http://127.0.0.1:")
    assert kinds[-1] == "written"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there is nothing to label"),
        (("missing.jsonl",), "missing.jsonl"),
        (("answers.jsonl", "--rubric", "nothing"), "no judge file nothing"),
        (("answers.jsonl", "--n", "500"), "ask for 1 to 400"),
        (("answers.jsonl", "--half-width", "0.1pt"), "half width of 0.1 points cannot be had"),
        (("--collect", "."), "no sheet to read back"),
        (("--collect", "nowhere"), "nowhere"),
        (("answers.jsonl", "--pass-mark", "80"), "as many answers with known labels"),
    ],
)
def test_what_cannot_be_is_one_line_with_its_remedy(log, words, said):
    more = ("--value-column", "judged") if words and words[0] == "answers.jsonl" else ()
    more += ("--train", "2") if "--pass-mark" in words else ()
    done = call("label", *words, *more)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not Path("labels").exists()
