"""Samples of an Inspect log: from the summaries, and from the samples themselves where those fall short."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from aliquot.errors import InputError
from aliquot.files.archives import Archive
from aliquot.files.typed_json import decode_document
from aliquot.readers.inspect_records import METADATA, SAMPLE, SAMPLES, Message, Sample

SUMMARIES: Final = "summaries.json"
FOLDER: Final = "samples/"
CUT: Final = "...\n(content truncated)"
"""End of a text of which the summary holds the first 5,120 characters."""

REMOVED: Final = "Key removed from summary (> 1k)"
SHORTENED: Final = 1_000
"""Length from which a text of metadata may have been shortened to 1,024 characters in the summary."""

MAX_SAMPLES: Final = 5_000_000
"""Samples a log may have."""

_JOURNAL: Final = re.compile(r"_journal/summaries/(\d{1,9})\.json")
_STAND_IN: Final = re.compile(r"\([A-Z][a-z_]*\)")


def member_name(item: str, epoch: int) -> str:
    """Return the name under which a log keeps a sample as one member."""
    return f"{FOLDER}{item}_epoch_{epoch}.json"


def shell_name(item: str, epoch: int) -> str:
    """Return the name under which a log keeps the short parts of a sample it stores in pieces."""
    return f"{FOLDER}{item}_epoch_{epoch}/sample.json"


def read_summaries(archive: Archive) -> list[Sample]:
    """Return the summaries, from the journal when the run was stopped before it put them together.

    Raises:
        InputError: they are damaged.
    """
    if SUMMARIES in archive.members:
        names = [SUMMARIES]
    else:
        numbered = (
            (int(number[1]), name) for name in archive.members if (number := _JOURNAL.fullmatch(name))
        )
        names = [name for _, name in sorted(numbered)]
    found: list[Sample] = []
    for name in names:
        found += decode_document(archive.read(name), SAMPLES, file=_place(archive, name))
    return found


def read_samples(archive: Archive, *, everything: bool) -> tuple[list[Sample], bool]:
    """Return a log's samples, the last of each id and epoch, and whether every one of them was opened.

    Args:
        archive: the log.
        everything: open every sample, also where its summary would do.

    Raises:
        InputError: a member is damaged, or two ids become one.
    """
    summaries = last_of_each(read_summaries(archive), file=str(archive.path))
    named = {member_name(sample.name, sample.epoch) for sample in summaries}
    others = [name for name in archive.members if name not in named and _is_sample(name)]
    if others:
        shells = {shell_name(sample.name, sample.epoch) for sample in summaries}
        others = [name for name in others if name not in shells]
    everything = everything or _fall_short(archive, summaries)
    if everything:
        summaries = [open_sample(archive, sample.name, sample.epoch) or sample for sample in summaries]
    if not others:
        return summaries, everything
    added = [decode_document(archive.read(name), SAMPLE, file=_place(archive, name)) for name in others]
    return last_of_each([*summaries, *added], file=str(archive.path)), everything


def open_sample(archive: Archive, item: str, epoch: int) -> Sample | None:
    """Return a sample as the log keeps it, or None when it keeps only the summary.

    Raises:
        InputError: its member is damaged.
    """
    for name in (member_name(item, epoch), shell_name(item, epoch)):
        if name in archive.members:
            sample = decode_document(archive.read(name), SAMPLE, file=_place(archive, name))
            if (sample.name, sample.epoch) != (item, epoch):
                continue
            apart = f"{FOLDER}{item}_epoch_{epoch}/metadata.json"
            if sample.metadata is None and apart in archive.members:
                sample.metadata = decode_document(archive.read(apart), METADATA, file=_place(archive, apart))
            return sample
    return None


def last_of_each(samples: Iterable[Sample], *, file: str) -> list[Sample]:
    """Return the last sample of each id and epoch, in the order in which the ids first appear.

    Raises:
        InputError: a number and a text are the same id, or there are too many samples.
    """
    kept: dict[tuple[str, int], Sample] = {}
    types: dict[str, type] = {}
    for sample in samples:
        name, kind = sample.name, type(sample.id)
        if types.setdefault(name, kind) is not kind:
            pair = f'the number {name} and the text "{name}"'
            raise InputError(
                f"two ids become one: {pair}", file=file, remedy="Give one of the samples another id"
            )
        kept[name, sample.epoch] = sample
    if len(kept) > MAX_SAMPLES:
        raise InputError(f"holds more than {MAX_SAMPLES:,} samples", file=file)
    return list(kept.values())


def is_thinned(sample: Sample) -> bool:
    """Tell whether a summary holds less of what was asked than the sample: a text cut off, an image left out."""
    texts = [sample.target] if isinstance(sample.target, str) else sample.target
    if isinstance(sample.input, str):
        return sample.input.endswith(CUT) or any(text.endswith(CUT) for text in texts)
    return any(text.endswith(CUT) for text in texts) or any(map(_message_is_thinned, sample.input))


def content_of(sample: Sample) -> bytes:
    """Return what a sample asks, in bytes that are the same in every log that asks the same."""
    asked = sample.input
    if not isinstance(asked, str):
        asked = [[message.role, message.content] for message in asked]
    return msgspec.json.encode([asked, sample.target, sample.choices or None])


def _message_is_thinned(message: Message) -> bool:
    if isinstance(message.content, str):
        return message.content.endswith(CUT)
    texts = (part.text or "" for part in message.content)
    return any(text.endswith(CUT) or _STAND_IN.fullmatch(text) for text in texts)


def _fall_short(archive: Archive, summaries: list[Sample]) -> bool:
    """Tell whether the summaries lack what the samples hold, as those of older versions do."""
    for summary in summaries[:1]:
        sample = open_sample(archive, summary.name, summary.epoch)
        if sample is not None:
            fields = ("choices", "metadata", "model_usage", "total_time")
            return any(getattr(sample, name) and getattr(summary, name) is None for name in fields)
    return False


def _is_sample(name: str) -> bool:
    """Tell whether a member holds a sample, or its short parts."""
    if not name.startswith(FOLDER) or not name.endswith(".json"):
        return False
    inner = name.removeprefix(FOLDER)
    return inner.endswith("/sample.json") or bool(re.search(r"_epoch_\d+\.json$", inner))


def _place(archive: Archive, name: str) -> str:
    return f"{archive.path}, member {name!r}"
