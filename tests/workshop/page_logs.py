"""The logs that the pages ``docs/compare.md`` and ``docs/verbs.md`` work on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

TOPICS = ("refund", "tone", "json")
BOTH, BROKE, FIXED, NEITHER = 172, 9, 18, 41
POLICY = """\
metrics:
  headline: # the log's own; or any metric by its name
    no_worse_than: 5pt
    at_least: 70%
    segments:
      topic: {no_worse_than: 15pt} # each level by itself; shown, and not blocking unless effect: blocks
costs:
  cost: {no_worse_than: 10%} # or: latency p95: {no_worse_than: 20%, effect: investigates}
critical: [refund-000]
quarantine: {tone-001: flaky since May}
merges: {a_year: 200, false_fails_a_year: 1}
"""


def write_logs(folder: Path) -> None:
    """Write the logs: a suite of 240 questions run four times, one with five attempts, three tasks, four prompts."""
    main = [1] * BOTH + [1] * BROKE + [0] * FIXED + [0] * NEITHER
    pr = [1] * BOTH + [0] * BROKE + [1] * FIXED + [0] * NEITHER
    again = [1 - value if place % 17 == 3 and place < 238 else value for place, value in enumerate(main)]
    for name, values, slower in (("main", main, 0.0), ("main-again", again, 0.0), ("pr", pr, 0.2)):
        _write_suite(folder / f"{name}.csv", values, slower=slower)
    _write_suite(folder / "declines.csv", pr, slower=0.0, declined=range(150, 180), lost=range(60, 66))
    _write(folder / "attempts.csv", "item,attempt,passed,conversation", _attempts())
    _write(folder / "tasks.csv", "system,task,item,value", _tasks())
    _write(folder / "hiring.csv", "item,value,segment.gender,question", _hiring())
    _write(folder / "prompts.csv", "system,item,value", _prompts())
    _write(folder / "last-week.csv", "item,codes", _coded("l", stale=9, seed=1))
    _write(folder / "this-week.csv", "item,codes", _coded("t", stale=31, seed=2))
    _write(folder / "two-raters.csv", "item,ana,ben", _rated())
    judged, labels = _judged()
    _write(folder / "judged.csv", "item,system,metric,value", judged)
    tonight = [f"n{i:03d},tonight,judged,{int(i % 20 < 11)}" for i in range(500)]
    _write(folder / "tonight.csv", "item,system,metric,value", tonight)
    _write(folder / "people.csv", "item,system,rater,label", labels)
    first, *others = _production()
    _write(folder / "production.jsonl", first, others)
    (folder / "gate.yaml").write_text(POLICY, encoding="utf-8")
    _write(folder / "votes.csv", "item,system_a,system_b,judge,shown_first,verdict", _votes())


def _write_suite(
    path: Path,
    values: Sequence[int],
    *,
    slower: float,
    declined: Iterable[int] = (),
    lost: Iterable[int] = (),
) -> None:
    """Write one run: item, value, status, topic, conversation (three questions each), latency and cost."""
    order = [place * 7 % len(values) for place in range(len(values))]
    rows: list[str] = []
    for place, which in enumerate(order):
        topic, conversation = TOPICS[place % 3], f"c{place // 3:02d}"
        status = "refused" if which in declined else "error" if which in lost else "ok"
        value = "" if status != "ok" else str(values[which])
        seconds, cost = 1 + place % 9 / 4 + slower, 0.004 + 0.0001 * (place % 5)
        rows.append(f"{topic}-{place:03d},{value},{status},{topic},{conversation},{seconds:.2f},{cost:.4f}")
    _write(path, "item,value,status,segment.topic,segment.conversation,latency_s,cost", sorted(rows))


def _production() -> list[str]:
    """2,000 rows of a log in two languages: nine in ten pass, one user in ten says something."""
    drawn = random.Random(4)
    rows: list[str] = []
    for _ in range(2_000):
        passed, lang = int(drawn.random() < 0.9), "de" if drawn.random() < 0.3 else "en"
        said = "" if drawn.random() < 0.9 else "up" if drawn.random() < 0.4 + 0.4 * passed else "down"
        question = "x" * drawn.randint(20, 90)
        rows.append(json.dumps({"question": question, "lang": lang, "passed": passed, "thumbs": said}))
    return rows


def _attempts() -> list[str]:
    return [
        f"q{item:02d},{attempt},{int((item * 7 + attempt * 3) % 10 < 4 + item % 5)},c{item // 4:02d}"
        for item in range(40)
        for attempt in range(1, 6)
    ]


def _prompts() -> list[str]:
    """Return four prompts of one system: each item is right up to a limit of its own, which the prompt moves."""
    moved = {"plain": 0, "polite": 6, "terse": -14, "letters": 3}
    return [
        f"{prompt},q{item:03d},{int((item * 37 + place * (item * 11 % 23)) % 100 < 64 + move)}"
        for place, (prompt, move) in enumerate(moved.items())
        for item in range(150)
    ]


def _hiring() -> list[str]:
    """Return 120 questions asked in two versions, one of which fails a little more often."""
    rows: list[str] = []
    for place in range(120):
        right = {"f": place % 10 < 7 and place % 14 != 3, "m": place % 10 < 7}
        rows += [f"q{place:03d}{name},{int(passed)},{name},q{place:03d}" for name, passed in right.items()]
    return rows


def _coded(week: str, *, stale: int, seed: int) -> list[str]:
    """Return 150 answers of a week as somebody coded them: a few kinds of failure, one of which is of the week."""
    rows: list[str] = []
    for place in range(150):
        codes = ["stale document"] if place < stale else []
        codes += ["wrong tone"] if (place * 37 + seed * 11) % 100 < 8 else []
        codes += ["invented source"] if (place * 53 + seed * 7) % 100 < 5 else []
        rows.append(f"{week}{place},{'; '.join(codes)}")
    return rows


def _rated() -> list[str]:
    """Return what two raters said of 80 answers, of which about three in four are good."""
    drawn = random.Random(4)
    rows: list[str] = []
    for place in range(80):
        good = drawn.random() < 0.74
        said = ("pass" if good is (drawn.random() < right) else "fail" for right in (0.95, 0.92))
        rows.append(f"q{place:02d},{','.join(said)}")
    return rows


def _judged() -> tuple[list[str], list[str]]:
    """Return a lenient judge's verdicts on 400 answers of two systems, and what people said of a quarter of them."""
    drawn = random.Random(5)
    judged: list[str] = []
    labels: list[str] = []
    for place in range(400):
        hard = drawn.random()
        for system, rate in (("main", 0.68), ("pr", 0.79)):
            good = hard < rate
            passes = drawn.random() < (0.95 if good else 0.3)
            judged.append(f"q{place:03d},{system},judged,{int(passes)}")
            raters = ("ana", "ben") if place < 60 else ("ana",) if place < 120 else ()
            for rater in raters:
                right = good is (drawn.random() < 0.96)
                labels.append(f"q{place:03d},{system},{rater},{'pass' if right else 'fail'}")
    return judged, labels


def _tasks() -> list[str]:
    """Return three tasks of three systems: large is far ahead on arith, elsewhere little sets them apart."""
    ahead = {("large", "arith"): 26, ("large", "tables"): 4}
    rows: list[str] = []
    for task in ("arith", "reading", "tables"):
        for shift, system in enumerate(("base", "small", "large")):
            limit = 52 + ahead.get((system, task), shift)
            rows += [
                f"{system},{task},{task}-{item:02d},{int(spread < limit)}"
                for item in range(60)
                for spread in [(item * 37 + (item * item + shift * item) % 11 * 3) % 97]
            ]
    return rows


def _write(path: Path, heading: str, rows: Iterable[str]) -> None:
    path.write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")


def _votes() -> list[str]:
    """Return two judges' verdicts on 120 pairs in both orders: one leans to what it is shown first, one hardly does."""
    drawn = random.Random(6)
    rows: list[str] = []
    for place in range(120):
        better = "pr" if drawn.random() < 0.6 else "main"
        for judge, leaning in (("small", 0.35), ("large", 0.06)):
            swayed = drawn.random() < leaning
            winners = {first: first if swayed else better for first in ("main", "pr")}
            rows += [
                f"q{place:03d},main,pr,{judge},{first},{'b' if winner == 'pr' else 'a'}"
                for first, winner in winners.items()
            ]
    return rows
