"""``aliquot init``."""

from __future__ import annotations

import shlex

import click


@click.command("init")
@click.argument("file", default="evaluation.yaml", metavar="[FILE | gate RUN [RUN]]")
@click.argument("runs", nargs=-1, metavar="")
@click.option("--items", is_flag=True, help="Also write six items beside it, to be replaced by your own.")
@click.option(
    "--judge", metavar="NAME", help="Also write this rubric beside it, to be edited: correctness, tone ..."
)
@click.option(
    "--margin", metavar="MARGIN", help="With gate: hold the headline to this loss, if that can be seen."
)
@click.option("--policy", metavar="FILE", help="With gate: the file to write.  [default: gate.yaml]")
@click.option("--merges", type=int, metavar="N", help="With gate: merges a year.  [default: 200]")
def command(
    file: str,
    runs: tuple[str, ...],
    *,
    items: bool,
    judge: str | None,
    margin: str | None,
    policy: str | None,
    merges: int | None,
) -> None:
    """Write a commented evaluation file, or the policy of a gate, to start from; nothing is overwritten.

    With gate: two runs of the same commit, or one with several attempts an item, say what the suite moves by itself,
    and the margins proposed are those that it can resolve.

    \b
      aliquot init two-prompts.yaml --items
      aliquot init judged.yaml --judge correctness
      aliquot run two-prompts.yaml
      aliquot init gate main-1.csv main-2.csv
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    if file == "gate":
        _gate(runs, margin=margin, policy=policy, merges=merges, others=items or judge is not None)
        return
    if runs or margin or policy or merges:
        raise click.UsageError(
            "--margin, --policy, --merges and several names go with: aliquot init gate RUN [RUN]"
        )
    from aliquot.verbs.init import init

    written = init(file, items=items, judge=judge)
    for path in written:
        click.echo(path)
    click.echo(f"Next: {shlex.join(['aliquot', 'run', str(written[0])])}", err=True)


def _gate(
    runs: tuple[str, ...], *, margin: str | None, policy: str | None, merges: int | None, others: bool
) -> None:
    if others:
        raise click.UsageError("--items and --judge belong to an evaluation file")
    from aliquot.verbs.init_gate import MERGES, init_gate

    path, found = init_gate(
        *runs, path=policy or "gate.yaml", margin=margin, merges=MERGES if merges is None else merges
    )
    click.echo(path)
    for one in found:
        click.echo(f"  {one.text}")
    click.echo(
        f"Next: {shlex.join(['aliquot', 'gate', 'main.json', 'pr.json', '--policy', str(path)])}", err=True
    )
