"""The evaluation file that ``init`` writes: complete, commented, and small enough to read."""

from __future__ import annotations

from typing import Final

SCHEMA_FILE: Final = ".aliquot/evaluation.schema.json"
"""Where editors find the schema, beside the evaluation file."""

TINY_ITEMS: Final = """\
{"id": "norway", "kind": "capital", "question": "What is the capital of Norway?", "reference": "Oslo"}
{"id": "japan", "kind": "capital", "question": "What is the capital of Japan?", "reference": "Tokyo"}
{"id": "usa", "kind": "capital", "question": "What is the capital of the United States?", "reference": "Washington", \
"accept": ["Washington, D.C."]}
{"id": "spider", "kind": "number", "question": "How many legs does a spider have?", "reference": "8", \
"accept": ["eight"]}
{"id": "week", "kind": "number", "question": "How many days are in two weeks?", "reference": "14", \
"accept": ["fourteen"]}
{"id": "dozen", "kind": "number", "question": "How many eggs are in a dozen?", "reference": "12", \
"accept": ["twelve"]}
"""
"""Six items for ``init --items``: write your own in their place."""

_BUNDLED: Final = """\
items: basics # a bundled set of 230 questions; or a .jsonl or .csv file beside this one: items.jsonl
sample: {items: 24, by: segment} # ask a seeded part (or 50%); by: a field whose shares are kept. Leave out for all
"""

_OWN: Final = """\
items: ITEMS # one JSON object a line: id, reference, and the fields that the prompts use
# sample: {items: 4, by: kind} # ask a seeded part (or 50%); by: a field whose shares are kept
"""

_JUDGE: Final = """\
#   or a judge beside a rule: scorers: [{judge: RUBRIC.yaml, model: {base_url: "https://host/v1", model: name}}, words]
#   (aliquot init --judge tone writes a rubric to edit)"""

_TEMPLATE: Final = """\
# yaml-language-server: $schema=SCHEMA
# An evaluation: which items are asked of which systems, and how answers are scored (docs/evaluation.md).
COMMANDS
name: NAME # the run is kept in runs/NAME
# task: capitals # by default the item set's name
WHAT
seed: 7 # of the sample and of the order of asking
# attempts: 3 # answers asked of each system for each item; more than one shows what it moves by itself
# cluster: document # field that names what items share, so that they are not taken for independent
segments: [SEGMENT] # fields that become slices of the report
scorer: SCORER
#   or several in its place: scorers: [words, exact]; the first makes the headline, the others stand beside it
JUDGE
# execute_code: true # let programs that models write be executed in the sandbox, for the rule passes (docs/scorers.md)
# guards: {parse_rate: 0.5, truncated: 0.5} # stop when fewer of the first 24 answers of a system can be read, or
#   more are cut by max_tokens; off switches one off
# success: {direction: not_worse, margin: 2pt, at_least: 80%} # what counts as success; compare says whether it is met

systems: # compare takes the first as the baseline
  short:
    model: embedded # a small model on this machine (aliquot model), or a name given to aliquot.run(models=...)
    mode: chat # the prompt is the user's message
    # mode: likelihood chooses the most probable of an item's options (continuations, separator, unconditional)
    instructions: Answer with one word or one number. # the system message, sent as it stands
    prompt: "{{ question }}" # Jinja2 over the fields of an item
    decoding: {temperature: 0, max_tokens: 32} # also stop, top_p, seed, logprobs: true
    # values: {sep: ": "} # further variables of the prompt
    # option_order: shuffled # how the options of an item are shown: as_given, reversed, shuffled or {rotated: 1}
    # shots: {from: items, n: 2} # the prompt shows: {% for shot in shots %}{{ shot.question }}{% endfor %}
    # variants: # the same system in other words, order or shots; aliquot variants says how much that moves the score
    #   wording: {plain: {}, polite: {prompt: "Please answer: {{ question }}"}} # several factors are crossed
    # prices: {input: 0.15, output: 0.60, currency: USD} # for a million tokens each; known models have a list
    # components: {index: "2026-11"} # versions of what else shapes an answer; another version is another system

  shown:
    model: embedded
    mode: completion # the prompt is a text to continue, so it shows how an answer looks
    prompt: |-
      Question: What is the capital of Portugal?
      Answer: Lisbon

      Question: How many wheels does a car have?
      Answer: 4

      Question: {{ question }}
      Answer:
    decoding: {temperature: 0, max_tokens: 32, stop: ["\\n"]}
"""


def evaluation_text(name: str, *, file: str, items: str | None = None, judge: str | None = None) -> str:
    """Return a commented evaluation of two prompts of the embedded model.

    Args:
        name: the run's name.
        file: the file's own name, for the command in its head.
        items: the item set's file, beside it; None for a part of the bundled set.
        judge: the rubric beside it, by name; None for none.
    """
    parts = {
        "JUDGE": _JUDGE.replace("RUBRIC", judge or "correctness"),
        "SCHEMA": SCHEMA_FILE,
        "WHAT": (_BUNDLED if items is None else _OWN.replace("ITEMS", items)).rstrip("\n"),
        "SEGMENT": "segment" if items is None else "kind",
        "SCORER": "{field: scorer} # the field of an item that names its rule, or one rule for all: words"
        if items is None
        else "words # right when the reference stands in the answer as whole words; or {field: scorer}",
        "COMMANDS": _commands(name, file=file),
    }
    text = _TEMPLATE
    for mark, written in parts.items():
        text = text.replace(mark, written)
    return text.replace("NAME", name)


def _commands(name: str, *, file: str) -> str:
    """Return what to do with the file, the commands one below the other and what each is for beside it."""
    commands = {
        f"aliquot run {file}": "asks what has no answer yet; run it again to go on where it stopped",
        f"aliquot compare runs/{name}": "is the second system better than the first, and how sure are we?",
    }
    wide = max(map(len, commands))
    return "\n".join(f"#   {command:<{wide}}  {purpose}" for command, purpose in commands.items())
