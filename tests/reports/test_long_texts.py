"""Long texts of a page: cut, packed, and the room shared evenly, with nothing lost in silence."""

from __future__ import annotations

import base64
import random
import zlib

import pytest

from aliquot.reports import long_texts
from aliquot.reports.long_texts import SHOWN, LongTexts


def _noise(seed: int, length: int) -> str:
    return "".join(random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz ", k=length))


def _unpacked(rest: str) -> str:
    return zlib.decompress(base64.b64decode(rest)).decode()


def test_what_is_cut_comes_back_whole_where_there_is_room():
    texts = LongTexts()
    short, whole = texts.keep("short"), "é\u202e\n" * 5000
    held = texts.keep(whole)
    rests = dict(texts.pack())
    assert short == {"text": "short"}
    assert held["lost"] == 0
    assert held["more"] == len(whole) - SHOWN
    assert held["text"] + _unpacked(rests[held["rest"]]) == whole.replace("\u202e", "\\u202e")


def test_without_room_for_all_every_text_has_a_part_and_says_what_is_left(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_texts, "KEPT", 400_000)
    texts = LongTexts()
    whole = [_noise(seed, 100_000) for seed in range(12)] + [_noise(99, 8_000)]
    held = [texts.keep(one) for one in whole]
    rests = dict(texts.pack())
    assert 300_000 < sum(map(len, rests.values())) <= 400_000
    for one, text in zip(held, whole, strict=True):
        assert one["text"] + _unpacked(rests[one["rest"]]) == text[: len(text) - one["lost"]]
    assert all(20_000 < one["more"] < 100_000 for one in held[:-1])
    assert held[-1]["lost"] == 0


def test_a_text_that_packs_worse_than_it_begins_is_counted_as_lost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_texts, "KEPT", 50_000)
    texts = LongTexts()
    held = texts.keep("a" * 20_000 + _noise(1, 200_000))
    assert texts.pack() == ()
    assert held["lost"] == 220_000 - SHOWN


def test_beyond_the_characters_shown_in_all_only_beginnings_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_texts, "IN_ALL", 5_000)
    texts = LongTexts()
    lengths = [len(texts.keep("b" * 4_000)["text"]) for _ in range(4)]
    assert lengths == [4_000, 4_000, 200, 200]
