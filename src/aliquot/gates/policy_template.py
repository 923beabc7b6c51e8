"""The policy file that ``init gate`` writes: margins that the suite resolves, and every key explained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from aliquot.gates.proposal import Proposal, shown_margin
from aliquot.stats.results import Undefined

SCHEMA_FILE: Final = ".aliquot/policy.schema.json"
"""Where editors find the schema, beside the policy."""

_HEAD: Final = """\
# yaml-language-server: $schema=SCHEMA
# What a candidate is held to. Read by: aliquot gate main.json pr.json --policy FILE
# In CI add --base-ref origin/main, so that a change cannot excuse itself.

# It passes when every blocking loss is shown to be smaller than its margin, and fails when one is shown and the margin
# is not excluded; else it is undecided. The margins are those that this suite resolves (aliquot init gate).
metrics:
"""

_REST: Final = """
# costs: # each on the statistic that fits it: a share of the baseline's, or an amount
#   latency p95: {no_worse_than: 20%}
#   cost: {no_worse_than: 10%, effect: investigates} # shown, and never blocking

# critical: [] # ids of items that must pass on every attempt; how often that blocks an unchanged candidate is printed

# quarantine: # ids of items left out of every condition, with the reason
#   some-item: flaky since May

# baseline: {name: main, oldest_days: 14} # a blessed baseline (aliquot gate run.json --bless main)

merges: {a_year: MERGES} # the year that the printed chances are of; false_fails_a_year: 1 shares that many among them
# or share: lord, or addis, with history: gates.jsonl (aliquot gate --record), for a share of false ones among the fails

undecided: fail # or pass, or rerun: ask both sides of what changed again, to label flaky items
level: 0.95
"""


def policy_text(proposals: Sequence[Proposal], *, file: str, merges: int) -> str:
    """Return a policy with the margins proposed.

    Args:
        proposals: the headline first.
        file: the policy's own name, for the command in its head.
        merges: a year.
    """
    lines = [line for one in proposals for line in _metric(one)]
    head = _HEAD.replace("SCHEMA", SCHEMA_FILE).replace("FILE", file)
    return head + "\n".join(lines) + "\n" + _REST.replace("MERGES", str(merges))


def _metric(one: Proposal) -> list[str]:
    name = json.dumps(one.metric, ensure_ascii=False)  # a name in quotes is one in YAML too
    if isinstance(one.margin, Undefined):
        return [f"  # {name}: {' '.join(one.text.split(': ', 1)[1].split())}"]
    lines = [f"  {name}: # of candidates that change nothing {100 * one.passes:.0f}% pass"]
    lines.append(f"    no_worse_than: {shown_margin(one.margin, one.scale)}")
    if not one.blocks:
        lines.append("    effect: investigates")
    return lines
