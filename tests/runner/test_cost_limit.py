"""A limit that is kept: what is in flight is held at its ceiling, and what was paid is never thrown away."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import MachineError, RunStoppedError
from aliquot.files.journal import Journal
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Guards, SystemSpec
from aliquot.runner.money import OWN_WORD, Prices, Purse
from aliquot.runner.workers import Workers
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Decoding
from aliquot.verbs.compare import compare
from aliquot.verbs.run import run
from aliquot.verbs.runs import runs
from aliquot.verbs.summarize import summarize
from tests.runner.evaluations import cut, evaluation, right, write_items
from tests.runner.test_run import Notes

SPEC = SystemSpec(
    model="fake",
    prompt="{{ question }}",
    prices=Prices(input=0.0, output=1.0, per=1),
    decoding=Decoding(max_tokens=10),
)


def costing(tokens: int):
    return lambda prompt: Reply(text=right(prompt), tokens_in=3, tokens_out=tokens)


@pytest.mark.parametrize("tokens", [3, 7, 10])
def test_answers_in_flight_cannot_pass_the_limit(tmp_path: Path, tokens: int):
    fake = FakeSystem(costing(tokens), delay_s=0.002)
    given_ = evaluation(write_items(tmp_path, 60), systems={"first": SPEC})
    with pytest.raises(RunStoppedError, match="the limit is 95"):
        run(given_, directory=tmp_path, models={"fake": fake}, max_cost=95, concurrency=16)
    records = RunDirectory(tmp_path / "trial").read_journal().records
    spent = sum(record.cost or 0 for record in records)
    assert len(records) == len(fake.asked)  # every answer that was sent for is kept
    assert 95 - 10 < spent <= 95  # a ceiling is 10: one more did not fit


def test_an_answer_nobody_counts_is_held_at_its_ceiling_also_after_a_resume(tmp_path: Path):
    fake = FakeSystem(lambda prompt: Reply(text=right(prompt)))
    given_ = evaluation(write_items(tmp_path, 30), systems={"first": SPEC})
    for _ in range(2):
        with pytest.raises(RunStoppedError, match=r"up to 40.00 more for answers without a count"):
            run(given_, directory=tmp_path, models={"fake": fake}, max_cost=45)
        assert len(fake.asked) == 4


def test_a_guard_that_stops_the_run_keeps_what_is_in_flight(tmp_path: Path):
    fake, notes = FakeSystem(cut, delay_s=0.05), Notes()
    given_ = evaluation(write_items(tmp_path, 90), guards=Guards(parse_rate=0.5, first=3))
    with pytest.raises(RunStoppedError, match="used up max_tokens"):
        run(given_, directory=tmp_path, models={"fake": fake}, observer=notes, concurrency=8)
    records = RunDirectory(tmp_path / "trial").read_journal().records
    assert len(records) == len(fake.asked) <= 8 + 3


def test_an_interrupt_waits_for_what_is_in_flight_and_no_longer_than_it_says():
    said, done = list[str](), list[int]()

    async def session(patience: float, seconds: float) -> None:
        workers = Workers(3, note=said.append, on_stop=lambda: None, patience_s=patience)

        async def ask(number: int) -> None:
            await asyncio.sleep(seconds)
            done.append(number)

        task = asyncio.create_task(workers.share(range(100), ask))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(session(5, 0.05))
    assert sorted(done) == [0, 1, 2]
    assert said == ["interrupted: waiting up to 5 s for 3 answers in flight; Ctrl-C drops them"]
    asyncio.run(session(0.01, 60))
    assert len(done) == 3


def test_a_fault_that_is_no_stop_ends_all_at_once():
    async def session() -> None:
        async def ask(number: int) -> None:
            if number:
                await asyncio.sleep(60)
            raise MachineError("the disk is full")

        await Workers(3, note=print, on_stop=lambda: None).share(range(5), ask)

    with pytest.raises(MachineError, match="disk"):
        asyncio.run(session())


@settings(max_examples=200, deadline=None)
@given(
    limit=st.floats(0.5, 50),
    answers=st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 1), st.booleans()), max_size=60),
    hands=st.integers(1, 8),
)
def test_the_purse_never_passes_its_limit_and_adds_up(
    limit: float, answers: list[tuple[float, float, bool]], hands: int
):
    purse, flying, paid = Purse(limit=limit, currency="USD"), list[tuple[float, float, bool]](), 0.0
    for ceiling, share, counted in answers:
        if len(flying) == hands or not purse.reserve(ceiling):
            for held, part, known in flying:
                purse.pay(held * part if known else None, "USD", at_most=held)
                purse.release(held)
                paid += held * part if known else 0.0
            flying.clear()
            assert not purse.waiting
        else:
            flying.append((ceiling, share, counted))
        assert purse.spent <= limit * (1 + 1e-6)
    assert purse.spent == pytest.approx(paid, abs=1e-9)


def test_scopes_and_currencies_stand_apart_and_one_limit_holds_for_all(tmp_path: Path):
    given_ = evaluation(write_items(tmp_path, 20), systems={"first": SPEC})
    fake = FakeSystem(costing(2))
    run(given_, directory=tmp_path, models={"fake": fake}, limit=None)
    path = tmp_path / "trial"
    with Journal.open(path / "journal.jsonl") as journal:
        for cost, currency in ((7.0, "USD"), (1.5, "EUR")):
            journal.append(
                Response(
                    system="first", task="made", item="i1", status="ok", text="verdict", scope="judge",
                    cost=cost, currency=currency, cost_source=OWN_WORD,
                )
            )  # fmt: skip
    line = runs(path).runs[0]
    assert {(one.scope, one.currency): one.cost for one in line.spending} == {
        ("system", "USD"): 40.0,
        ("judge", "USD"): 7.0,
        ("judge", "EUR"): 1.5,
    }
    assert line.costs == {"USD": 47.0, "EUR": 1.5}
    assert line.given == 20
    found = summarize(path)
    (one,) = found.lines
    assert (one.cost, one.currency, one.cost_source) == (2.0, "USD", "prices of the evaluation")
    assert one.other_costs == (f"judge 7.00 USD ({OWN_WORD}), 1.50 EUR ({OWN_WORD})",)
    assert one.rows == 20  # a judge's record is no answer of a system
    more = evaluation(write_items(tmp_path, 20), systems={"first": SPEC}, attempts=2)
    with pytest.raises(RunStoppedError, match=r"47\.00 USD are spent"):
        run(more, directory=tmp_path, models={"fake": fake}, max_cost=50)


def test_a_comparison_names_currency_source_and_scope(tmp_path: Path):
    systems = {"first": SPEC, "second": SystemSpec(model="own", prompt="second {{ question }}")}
    own = FakeSystem(lambda prompt: Reply(text=right(prompt), cost=3.0, currency="USD"))
    given_ = evaluation(write_items(tmp_path, 12), systems=systems)
    found = compare(run(given_, directory=tmp_path, models={"fake": FakeSystem(costing(2)), "own": own}).path)
    assert found.side_metrics is not None
    assert found.side_metrics.currency == "USD"
    assert found.side_metrics.cost_source == f"prices of the evaluation, {OWN_WORD}"
    assert not any(
        "cost" in name for name in (*found.same, *found.differs)
    )  # money is no component of a system


def test_what_to_expect_is_said_before_and_once_more_when_it_is_measured(tmp_path: Path):
    systems = dict.fromkeys(("first", "second"), SPEC)
    given_ = evaluation(write_items(tmp_path, 60), systems=systems)
    notes = Notes()
    run(given_, directory=tmp_path, models={"fake": FakeSystem(costing(2))}, observer=notes, interleave=True)
    assert notes.texts[0] == "this costs at most about 1,200.00 USD (every answer's budget used up)"
    assert notes.texts[1].startswith("about 240.00 USD")  # 120 answers of 2
    assert "of this run; at most about" in notes.texts[1]
    assert sum("USD" in text for text in notes.texts) == 2
    other, notes = evaluation(write_items(tmp_path, 60), systems=systems, name="again", seed=9), Notes()
    with pytest.raises(RunStoppedError):
        run(other, directory=tmp_path, models={"fake": FakeSystem(costing(2))}, observer=notes, max_cost=100)
    assert notes.texts[0].startswith("about 240.00 USD")
    assert "going by the run 'trial'" in notes.texts[0]
    assert notes.texts[0].endswith("The limit of 100.00 USD will stop it before the end")
