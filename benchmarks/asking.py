"""What asking costs: a whole run against a bare loop of aiohttp and against other harnesses, on the loopback.

Each side is a command of its own, run at two sizes in turn; the difference is what one item more costs, so that
starting up counts for nobody. A harness is measured when its command is on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.loopback import serving
from benchmarks.measure import Measured, Used, command_used

CONNECTIONS = 100
ROUNDS = 3
SIZES = (1000, 6000)
HARNESS_SIZES = (200, 800)

QUESTION = (
    "Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May. "
    "How many clips did Natalia sell altogether? "
) * 2

EVALUATION = """\
name: NAME
items: items.jsonl
scorer: words
systems:
  mock:
    prompt: "{{ question }}"
    decoding: {temperature: 0, max_tokens: 64}
    model: {base_url: "ADDRESS/v1", model: mock, concurrency: CONNECTIONS}
"""

INSPECT = """\
import json
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

@task
def mock():
    rows = [json.loads(line) for line in open("items.jsonl")]
    samples = [Sample(id=row["id"], input=row["question"], target=row["reference"]) for row in rows]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
"""

LM_EVAL = """\
task: mock
dataset_path: json
dataset_kwargs: {data_files: {test: items.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{reference}}"
generation_kwargs: {until: ["</s>"], max_gen_toks: 64, temperature: 0}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one item more costs a side."""

    cpu: float
    a_second: float
    memory: int


@dataclass(frozen=True, slots=True)
class Client:
    """Somebody who asks: ``command`` prepares a folder that holds ``items.jsonl`` and returns what to call there.

    One that ``tells`` prints the CPU seconds that count; of others the whole process counts.
    """

    name: str
    command: Callable[[Path, str], list[str]]
    settings: Mapping[str, str]
    sizes: tuple[int, int]
    tells: bool = False


def measure() -> list[Measured]:
    with serving() as address:
        clients = [
            Client("aliquot", _aliquot, {}, SIZES),
            Client("alone", _alone, {"PYTHONPATH": os.pathsep.join(sys.path)}, SIZES, tells=True),
            Client("bare", _bare, {}, SIZES),
            *_harnesses(address),
        ]
        costs = _costs(clients, address)
    ours, alone, bare = costs["aliquot"], costs["alone"], costs["bare"]
    for name, cost in costs.items():
        print(
            f"{name}: {1e6 * cost.cpu:.0f} µs of CPU an item, {cost.a_second:.0f} items a second, "
            f"peak {cost.memory / 1e6:.0f} MB",
            file=sys.stderr,
        )
    asking = (
        f"asking over HTTP at {CONNECTIONS} connections, an item more: requested, on disk, scored, guarded"
    )
    work = (
        "the whole run, an item more: planned and in the tables too "
        f"({ours.a_second:.0f} items/s, peak {ours.memory / 1e6:.0f} MB)"
    )
    loop = f"bare aiohttp loop, {bare.a_second:.0f} items/s"
    rows = [
        Measured(asking, alone.cpu, loop, bare.cpu, 1.6),
        Measured(work, ours.cpu, loop, bare.cpu, 1.6),
    ]
    for name, cost in costs.items():
        if name not in {"aliquot", "alone", "bare"}:
            said = f"{name} ({cost.a_second:.0f} items/s, peak {cost.memory / 1e6:.0f} MB)"
            rows.append(Measured("the same", ours.cpu, said, cost.cpu, 0.1, said, cost.cpu))
    return rows


def _costs(clients: list[Client], address: str) -> dict[str, Cost]:
    """Run every client at both sizes, in turn."""
    used: dict[tuple[str, int], list[Used]] = {}
    for _ in range(ROUNDS):
        for client in clients:
            for size in client.sizes:
                with tempfile.TemporaryDirectory() as name:
                    folder = Path(name)
                    _write_items(folder, size)
                    command = client.command(folder, address)
                    found = command_used(command, folder=folder, settings=client.settings)
                    if client.tells:
                        found = replace(found, cpu=float((folder / "output.txt").read_text()))
                used.setdefault((client.name, size), []).append(found)
    return {
        client.name: _cost(*(used[client.name, size] for size in client.sizes), client) for client in clients
    }


def _cost(few: list[Used], many: list[Used], client: Client) -> Cost:
    more = client.sizes[1] - client.sizes[0]
    cpu = statistics.median(one.cpu for one in many) - statistics.median(one.cpu for one in few)
    wall = statistics.median(one.wall for one in many) - statistics.median(one.wall for one in few)
    return Cost(cpu / more, more / wall, max(one.memory for one in many))


def _write_items(folder: Path, size: int) -> None:
    rows = [
        {"id": f"item-{number}", "question": f"item-{number}: {QUESTION}", "reference": f"{number % 90 + 10}"}
        for number in range(size)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _aliquot(folder: Path, address: str) -> list[str]:
    said = {"NAME": "mock", "ADDRESS": address, "CONNECTIONS": str(CONNECTIONS)}
    text = EVALUATION
    for word, value in said.items():
        text = text.replace(word, value)
    (folder / "mock.yaml").write_text(text)
    return [sys.executable, "-m", "aliquot", "run", "mock.yaml"]


def _alone(folder: Path, address: str) -> list[str]:
    _aliquot(folder, address)
    return [sys.executable, "-m", "benchmarks.asking_alone", "mock.yaml"]


def _bare(folder: Path, address: str) -> list[str]:
    script = Path(__file__).with_name("bare_loop.py")
    return [sys.executable, str(script), address, str(folder / "items.jsonl"), str(CONNECTIONS)]


def _harnesses(address: str) -> Iterator[Client]:
    """Yield the harnesses that are installed; say which are not."""
    makers = {"inspect": _inspect, "lm_eval": _lm_eval, "promptfoo": _promptfoo}
    settings = {
        "inspect": {
            "MOCK_API_KEY": "x",
            "MOCK_BASE_URL": f"{address}/v1",
            "INSPECT_DISABLE_UPDATE_CHECK": "1",
        },
        "lm_eval": {"OPENAI_API_KEY": "x", "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
        "promptfoo": {
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        },
    }
    for name, maker in makers.items():
        if shutil.which(name) is None:
            print(f"{name} is not on the PATH, so it is not measured", file=sys.stderr)
        else:
            # Starting lm-eval takes seconds that vary by seconds, so its few milliseconds an item need many items.
            sizes = SIZES if name == "lm_eval" else HARNESS_SIZES
            yield Client(_version(name), maker, settings[name], sizes)


def _version(name: str) -> str:
    """Return a harness with its version, as it says it itself."""
    if name == "lm_eval":  # has no option for it
        python = str(Path(shutil.which(name) or "").parent / "python")
        command = [python, "-c", "from importlib.metadata import version; print(version('lm_eval'))"]
    else:
        command = [name, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return f"{name} {said[-1] if said else 'of unknown version'}"


def _inspect(folder: Path, _: str) -> list[str]:
    (folder / "mock.py").write_text(INSPECT)
    limits = ["--max-connections", str(CONNECTIONS), "--max-samples", str(CONNECTIONS)]
    drawn = ["--temperature", "0", "--max-tokens", "64", "--display", "none", "--log-dir", "logs"]
    return ["inspect", "eval", "mock.py", "--model", "openai-api/mock/mock", *limits, *drawn]


def _lm_eval(folder: Path, address: str) -> list[str]:
    (folder / "mock.yaml").write_text(LM_EVAL)
    model = f"model=mock,base_url={address}/v1/chat/completions,num_concurrent={CONNECTIONS},max_retries=3"
    asked = ["--model", "local-chat-completions", "--model_args", model, "--apply_chat_template"]
    return [
        "lm_eval",
        *asked,
        "--include_path",
        ".",
        "--tasks",
        "mock",
        "--output_path",
        "out",
        "--log_samples",
    ]


def _promptfoo(folder: Path, address: str) -> list[str]:
    rows = map(json.loads, (folder / "items.jsonl").read_text().splitlines())
    tests = [
        {"vars": {"q": row["question"]}, "assert": [{"type": "contains", "value": "42"}]} for row in rows
    ]
    provider = {
        "id": "openai:chat:mock",
        "config": {"apiBaseUrl": f"{address}/v1", "apiKey": "x", "max_tokens": 64},
    }
    config = {"prompts": ["{{q}}"], "providers": [provider], "tests": tests}
    (folder / "config.json").write_text(json.dumps(config))
    shown = ["--no-cache", "--no-progress-bar", "--no-table", "-o", "out.json"]
    return ["promptfoo", "eval", "-c", "config.json", "-j", str(CONNECTIONS), *shown]


if __name__ == "__main__":
    for row in measure():
        print(row)
