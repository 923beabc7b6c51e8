"""The embedded model asked in this process, and as a stranger would over its port: the same choices, item by item."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.runner.evaluation import NO_GUARDS, Evaluation, SampleSpec, ScorerSpec, SystemSpec
from aliquot.systems.embedded import EmbeddedModel, model_file
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import Decoding
from aliquot.verbs.run import run

pytestmark = pytest.mark.model

CHAT = "Answer with one word or number only.\n{{ question }}"
COMPLETION = "Question: {{ question }}\nAnswer:"


def test_the_same_items_get_the_same_answers_over_http_and_in_process(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    try:
        file = model_file()
    except MachineError as error:
        pytest.skip(str(error))
    model = EmbeddedModel(file, threads=1)
    try:
        there = Endpoint(base_url=f"{model.address}/v1", model="embedded", tries=1)
        decoding = Decoding(max_tokens=12)
        systems = {
            "chat": SystemSpec(model="embedded", prompt=CHAT, decoding=decoding),
            "chat over http": SystemSpec(model=there, prompt=CHAT, decoding=decoding),
            "text": SystemSpec(model="embedded", mode="completion", prompt=COMPLETION, decoding=decoding),
            "text over http": SystemSpec(
                model=there, mode="completion", prompt=COMPLETION, decoding=decoding
            ),
        }
        given = Evaluation(
            name="both",
            items="basics",
            systems=systems,
            scorer=ScorerSpec(field="scorer"),
            sample=SampleSpec(12, by="segment"),
            seed=5,
            guards=NO_GUARDS,  # right or wrong, cut or not: alike is what is asked for
        )
        found = run(given, directory=tmp_path, models={"embedded": model}, concurrency=1)
    finally:
        asyncio.run(model.close())
    rows = found.evidence.outcomes.sort("item").partition_by("system", as_dict=True)
    texts = found.evidence.texts
    assert texts is not None
    task = found.evidence.items["task"][0]
    for inside in ("chat", "text"):
        over = f"{inside} over http"
        assert rows[inside,]["value"].to_list() == rows[over,]["value"].to_list()
        assert rows[inside,]["status"].to_list() == rows[over,]["status"].to_list()
        answers = [
            [texts.response(system, task, item, 1) for item in rows[inside,]["item"]]
            for system in (inside, over)
        ]
        assert answers[0] == answers[1]
        assert any(answers[0])
