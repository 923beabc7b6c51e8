"""``aliquot gate``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, pairing_options, reading_options, take_reading


@click.command("gate")
@click.argument("paths", nargs=-1, required=True, metavar="[A] B")
@click.option("--no-worse-than", metavar="MARGIN", help="Largest loss that passes: 2pt, or 0.02.")
@click.option("--at-least", metavar="FLOOR", help="Floor of the candidate's pass rate: 90%, or 0.9.")
@click.option("--policy", metavar="FILE", help="A policy file in place of the two (aliquot init gate).")
@click.option(
    "--base-ref", metavar="REF", help="Read policy and baseline from this branch, such as origin/main."
)
@click.option(
    "--undecided",
    type=click.Choice(["fail", "pass", "rerun"]),
    help="When the data do not decide: exit 4, pass, or ask what changed again.  [default: fail]",
)
@click.option("--report-only", is_flag=True, help="Exit 0 whatever is decided, unless nothing was judged.")
@click.option("--attempts", type=int, metavar="N", help="With --undecided rerun: answers of each side.")
@click.option("--comment", metavar="FILE", help="Write Markdown for a pull request, unless nothing is new.")
@click.option("--record", is_flag=True, help="Add the decision to the history that the policy names.")
@click.option("--bless", metavar="NAME", help="Make the one source given the baseline of this name.")
@click.option("--system", metavar="NAME", help="The candidate, when its file holds several.")
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--allow", multiple=True, type=click.Choice(["judge"]), help="Hold them although this differs.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@pairing_options
@reading_options
@output_forms
def command(
    paths: tuple[str, ...],
    *,
    shown: Shown,
    comment: str | None,
    bless: str | None,
    record: bool,
    system: str | None,
    **choices: Any,
) -> None:
    """May this candidate be merged? Exit 0: pass, 3: fail, 4: undecided, 5: nothing to judge.

    A is the baseline, a file or the name of a blessed one; B the candidate. B alone is held to a floor, or to the
    baseline that the policy names.

    \b
      aliquot gate main.csv pr.csv --no-worse-than 2pt --comment pr.md
      aliquot gate main.csv --bless main
      aliquot gate main pr.csv --policy gate.yaml --base-ref origin/main
      aliquot gate pr.csv --at-least 70%
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.gate import gate

    reading = take_reading(choices)
    if system is not None:
        if choices["systems"] is not None:
            raise click.UsageError("--system names the candidate alone, --systems both; give one of them")
        choices["systems"] = (system,)
    if bless is not None:
        _bless(paths, bless, reading, choices | {"record": record})
        return
    if record and choices["policy"] is None:
        raise click.UsageError("--record goes with --policy, which names the history")
    found = gate(*paths, options=reading, **choices)
    if record and found.decision != "nothing_to_judge":
        from aliquot.verbs.gate import record as record_decision

        record_decision(found, choices["policy"])
    _show(found, shown, comment)
    raise click.exceptions.Exit(found.exit_code)


def _bless(paths: tuple[str, ...], name: str, reading: Any, choices: dict[str, Any]) -> None:
    from aliquot.errors import UsageError
    from aliquot.verbs.gate import bless

    kept = {"systems", "task", "cluster"}
    asked = [
        key for key, value in choices.items() if key not in kept and value not in (None, False, (), "content")
    ]
    if len(paths) != 1 or asked:
        raise UsageError("--bless NAME takes the one run that becomes the baseline, and decides nothing")
    path = bless(paths[0], name=name, options=reading, **{key: choices[key] for key in kept})
    click.echo(f"{path} holds the baseline {name!r}, without any text. Commit it, and hold candidates to it:")
    click.echo(f"  aliquot gate {name} pr.json --no-worse-than 2pt")


def _show(found: Any, shown: Shown, comment: str | None) -> None:
    """Print the finding and write what the platform shows: a comment, the summary of a step, annotations."""
    import os

    from aliquot.reports.gate_comment import annotation_lines, render_comment
    from aliquot.reports.render import render
    from aliquot.verbs.gate_files import add_summary, write_comment

    if shown.output is not None:
        from aliquot.verbs.report import write_report

        write_report(found, shown.output)
    said = "" if comment is None else write_comment(found, comment)
    click.echo(render(found, form=shown.form, verbose=shown.verbose), nl=False)
    if shown.form == "text" and said:
        click.echo(f"  {said}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        add_summary(summary, render_comment(found))
    if os.environ.get("GITHUB_ACTIONS") == "true" and shown.form == "text":
        for line in annotation_lines(found):
            click.echo(line)
