"""The page ``docs/mutants.md``: how many mutants were noticed, and what reading the others showed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks.mutants.trial import Outcome

READ = Path(__file__).with_name("survivors.json")
"""What a person found on reading a survivor, by the mutant's module, before and after."""

HEAD = """---
orphan: true
---

# Mutants

Faults put into the modules of `aliquot.stats` one at a time: a comparison, an arithmetic operator, a sign,
a constant, a condition or a call changed. Each is run against the tests of its own module and the module's
examples, with 25 Hypothesis examples a property. A mutant is noticed when a test fails or does not end.
Written by `make mutants`.
"""


def write_report(outcomes: list[Outcome], *, sites: int, seed: int, untested: list[str], page: Path) -> float:
    """Write the page and return the share noticed."""
    noticed = sum(outcome.word != "survived" for outcome in outcomes)
    share = noticed / len(outcomes)
    lines = [
        HEAD,
        f"{noticed} of {len(outcomes)} noticed ({share:.1%}), sampled with seed {seed} from {sites}.",
        "",
    ]
    if untested:
        lines += [f"Left out, because their tests do not pass unchanged: {', '.join(untested)}.", ""]
    lines += [*by("module", outcomes), *by("kind", outcomes), *survivors(outcomes)]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return share


def by(attribute: str, outcomes: list[Outcome]) -> list[str]:
    groups = Counter(getattr(outcome.mutant, attribute) for outcome in outcomes)
    alive = Counter(getattr(outcome.mutant, attribute) for outcome in outcomes if outcome.word == "survived")
    rows = [f"| {name} | {count} | {count - alive[name]} |" for name, count in sorted(groups.items())]
    return [f"| {attribute} | mutants | noticed |", "|---|---|---|", *rows, ""]


def survivors(outcomes: list[Outcome]) -> list[str]:
    read: dict[str, str] = json.loads(READ.read_text(encoding="utf-8"))
    rows: list[str] = []
    for outcome in outcomes:
        mutant = outcome.mutant
        if outcome.word == "survived":
            key = f"{mutant.module}: {mutant.before} -> {mutant.after}"
            cells = (
                f"{mutant.module}:{mutant.line}",
                code(mutant.before),
                code(mutant.after),
                read.get(key, "not read yet"),
            )
            rows.append(f"| {' | '.join(cells)} |")
    return ["## Survivors", "", "| where | before | after | on reading |", "|---|---|---|---|", *rows]


def code(text: str) -> str:
    short = text if len(text) <= 90 else f"{text[:87]}..."
    return "`" + short.replace("|", "\\|").replace("`", "'") + "`"
