"""The parts of an Inspect log that are read, as typed records; unknown fields are passed over.

None of them can be part of a cycle, so the garbage collector need not follow them (``gc=False``).

Field names are Inspect's own (``EvalSpec``, ``EvalSample``, ``EvalSampleSummary`` …, versions 0.3.41 to 0.3.285).
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Epoch: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Id: TypeAlias = int | str


class Part(msgspec.Struct, gc=False):
    """A part of a message: a text, or something else that ``source`` names."""

    type: str = "text"
    text: str | None = None
    image: str | None = None
    audio: str | None = None
    video: str | None = None
    document: str | None = None


class Message(msgspec.Struct, gc=False):
    """A message of a conversation; its id differs from run to run and is not read."""

    role: str = ""
    content: str | list[Part] = ""


class Usage(msgspec.Struct, gc=False):
    """Tokens one model took."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    input_tokens_cache_read: Count | None = None
    reasoning_tokens: Count | None = None
    total_cost: float | None = None


class Empty(msgspec.Struct, gc=False):
    """Something that is only counted."""


class Provenance(msgspec.Struct, gc=False):
    """Who edited a score."""

    author: str | None = None


class Edit(msgspec.Struct, gc=False):
    """One state of a score: the first is the scorer's own, each later one a change, by somebody."""

    value: Any = "UNCHANGED"
    provenance: Provenance | None = None


class Score(msgspec.Struct, gc=False):
    """What a scorer gave a sample."""

    value: Any = None
    history: list[Edit] | None = None


class Failure(msgspec.Struct, gc=False):
    """Why a sample or a run ended early."""

    message: str = ""


class Limit(msgspec.Struct, gc=False):
    """The limit a sample ran into."""

    type: str = ""


class Choice(msgspec.Struct, gc=False):
    """One answer of a model."""

    stop_reason: str | None = None
    message: Message | None = None


class Output(msgspec.Struct, gc=False):
    """What a model gave in the end."""

    choices: list[Choice] | None = None
    completion: str | None = None


class Sample(msgspec.Struct, gc=False):
    """A sample: its summary, or the whole of it, of which the long parts are passed over."""

    id: Id
    epoch: Epoch = 1
    input: str | list[Message] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None
    metadata: dict[str, Any] | None = None
    scores: dict[str, Score] | None = None
    model_usage: dict[str, Usage] | None = None
    started_at: str | None = None
    total_time: float | None = None
    working_time: float | None = None
    uuid: str | None = None
    error: str | Failure | None = None
    limit: str | Limit | None = None
    retries: Count | None = None
    error_retries: list[Empty] | None = None
    invalidation: Empty | None = None
    turn_count: Count | None = None
    output: Output | None = None

    @property
    def name(self) -> str:
        """Its id as text."""
        return str(self.id)


class SampleTexts(msgspec.Struct, gc=False):
    """The texts of a sample, read when they are asked for."""

    id: Id
    epoch: Epoch = 1
    input: str | list[Message] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None
    output: Output | None = None
    messages: list[Message] | None = None
    attachments: dict[str, str] | None = None


class SampleRecord(msgspec.Struct):
    """What is read of a sample for people to look at; nothing of it has to be as Inspect writes it."""

    id: Id
    epoch: Epoch = 1
    scores: Any = None
    metadata: Any = None
    messages: Any = None
    attachments: dict[str, str] | None = None


class Dataset(msgspec.Struct, gc=False):
    """What the samples were taken from."""

    name: str | None = None
    sample_ids: list[Id] | None = None


class ScorerSpec(msgspec.Struct, gc=False):
    """A scorer and how it was set up."""

    name: str = ""
    options: dict[str, Any] | None = None
    metrics: Any = None


class Spec(msgspec.Struct, gc=False):
    """What was run."""

    task: str
    model: str = ""
    task_id: str = ""
    created: str = ""
    task_version: Any = None
    task_args: dict[str, Any] | None = None
    solver: str | None = None
    dataset: Dataset | None = None
    model_generate_config: dict[str, Any] | None = None
    model_args: dict[str, Any] | None = None
    model_roles: dict[str, Any] | None = None
    config: dict[str, Any] | None = None
    packages: dict[str, Any] | None = None
    scorers: list[ScorerSpec] | None = None


class Plan(msgspec.Struct, gc=False):
    """The solvers, and how the model was asked before ``model_generate_config`` was recorded."""

    steps: list[dict[str, Any]] | None = None
    config: dict[str, Any] | None = None


class MetricValue(msgspec.Struct, gc=False):
    """One number the tool printed."""

    name: str = ""
    value: Any = None
    group: str | None = None
    params: dict[str, Any] | None = None


class ScoreResult(msgspec.Struct, gc=False):
    """What the tool printed of one scorer, reducer and key."""

    name: str = ""
    scorer: str = ""
    reducer: str | None = None
    scored_samples: int | None = None
    unscored_samples: int | None = None
    params: dict[str, Any] | None = None
    metrics: dict[str, MetricValue] | None = None


class Headline(msgspec.Struct, gc=False):
    """Which of the printed numbers is the main one."""

    scorer: str = ""
    score: str = ""


class ReducedScore(msgspec.Struct, gc=False):
    """A sample's score over its epochs."""

    value: Any = None
    sample_id: Id | None = None


class Reduction(msgspec.Struct, gc=False):
    """The scores of all samples over their epochs."""

    scorer: str = ""
    reducer: str | None = None
    samples: list[ReducedScore] = []


class Results(msgspec.Struct, gc=False):
    """What the tool printed."""

    scores: list[ScoreResult] | None = None
    headline: Headline | None = None
    sample_reductions: list[Reduction] | None = None


class Header(msgspec.Struct, gc=False):
    """Everything about a run but its samples."""

    eval: Spec
    status: str = "started"
    plan: Plan | None = None
    results: Results | None = None
    error: Failure | None = None
    invalidated: bool | None = None


class Document(Header, gc=False):
    """A log stored as one JSON document."""

    samples: list[Sample] | None = None
    reductions: list[Reduction] | None = None


class TextsDocument(msgspec.Struct, gc=False):
    """The texts of such a log."""

    samples: list[msgspec.Raw] | None = None


HEADER = msgspec.json.Decoder(Header)
DOCUMENT = msgspec.json.Decoder(Document)
SAMPLES = msgspec.json.Decoder(list[Sample])
SAMPLE = msgspec.json.Decoder(Sample)
METADATA = msgspec.json.Decoder(dict[str, Any])
REDUCTIONS = msgspec.json.Decoder(list[Reduction])
SAMPLE_TEXTS = msgspec.json.Decoder(SampleTexts)
SAMPLE_RECORD = msgspec.json.Decoder(SampleRecord)
ANYTHING = msgspec.json.Decoder()
TEXTS_DOCUMENT = msgspec.json.Decoder(TextsDocument)
ATTACHMENTS = msgspec.json.Decoder(list[str])
