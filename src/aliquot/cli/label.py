"""``aliquot label``."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from aliquot.cli.options import reading_options, take_reading

if TYPE_CHECKING:
    from aliquot.labelling.label_project import LabelProject
    from aliquot.labelling.live import State
    from aliquot.labelling.server import LabelServer

PORT: Final = 8765
_EVERY_S: Final = 2.0
_PLAIN_S: Final = 60.0
"""Seconds between two looks, and between two lines where they cannot rewrite each other."""

_SWITCH_S: Final = 0.0005
"""Seconds after which a thread that computes lets one that answers a page go on; Python's own are ten times that."""

_SHARE: Final = 20
"""How many times as long as a look took nothing is looked at: raters do not wait for how things stand."""


@click.command("label")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--raters", metavar="A,B", help="Who labels; each gets a link.  [default: me]")
@click.option("--n", metavar="N|SHARE", help="Answers (or pairs) to draw.  [default: 80, or by --half-width]")
@click.option(
    "--overlap", metavar="N|SHARE", help="Of these, how many everybody labels.  [default: a quarter]"
)
@click.option(
    "--repeats", type=click.IntRange(min=0), default=0, help="Answers that come again in each list."
)
@click.option(
    "--rubric", multiple=True, metavar="FILE", help="Judge file, or a rubric's name: what is asked."
)
@click.option("--pairwise", is_flag=True, help="Which of the two systems' answers is better?")
@click.option("--codes", is_flag=True, help="Ask what went wrong, from a list of kinds that grows.")
@click.option("--taxonomy", metavar="FILE", help="YAML of kinds to begin with.")
@click.option("--reference", is_flag=True, help="Write a right answer before seeing the system's.")
@click.option("--by", metavar="FIELD", help="Draw within the levels of: verdict, system, or a field.")
@click.option(
    "--unit", type=click.Choice(["answers", "items"]), help="Draw answers one by one, or items whole."
)
@click.option("--half-width", metavar="POINTS", help="Half width wanted of each rate: 5pt.")
@click.option("--labels", multiple=True, metavar="FILE", help="Labels at hand, to plan where more help.")
@click.option(
    "--passes", multiple=True, metavar="WORD", help="Of labels at hand that are words: this one passes."
)
@click.option(
    "--known", metavar="FILE", help="Answers whose right label is known, to train and check raters."
)
@click.option(
    "--train", type=click.IntRange(min=0), default=0, help="How many of these are a training round."
)
@click.option(
    "--pass-mark", default="80%", show_default=True, help="Share of it to get right before labelling."
)
@click.option(
    "--systems", multiple=True, metavar="NAME", help="Only these systems; two for pairs (repeatable)."
)
@click.option("--task", help="The task; default: the first.")
@click.option("--metric", help="Whose verdicts are kept, unseen; default: a judge's, else the headline.")
@click.option("--seed", type=int, default=None, help="Seed of everything that is drawn; kept with it.")
@click.option(
    "--project", metavar="DIR", help="The project's folder.  [default: labels/<name of the source>]"
)
@click.option(
    "--listen", type=click.Choice(["loopback", "lan"]), default="loopback", show_default=True,
    help="Who can reach the page; in the network only with a link.",
)  # fmt: skip
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port of the page."
)
@click.option("--xlsx", metavar="DIR", help="Write a workbook for each rater instead of a page.")
@click.option("--csv", "csv_", metavar="DIR", help="Write a CSV file for each rater instead of a page.")
@click.option("--collect", metavar="DIR", help="Read such sheets back.")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Take in labels of other tools.")
@click.option("--export", metavar="DIR", help="Write the tables as they stand, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Say everything as JSON, a line each.")
@reading_options
def command(paths: tuple[str, ...], **choices: Any) -> None:
    """Blind human labels of a drawn part of the answers, on a page of your own machine.

    Raters see neither system nor verdict nor cost. The same line again goes on where it stopped; Ctrl-C ends it
    and writes labels.csv, which agree, calibrate and --labels read.

    \b
      aliquot label answers.jsonl --raters ana,ben --n 80 --overlap 20
      aliquot label a.json b.json --pairwise --raters ana,ben
      aliquot label runs/rag --rubric rubric.yaml --xlsx raters/
      aliquot label --collect raters/
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.label import find_project, import_labels

    reading = take_reading(choices)
    shown, sheets = (
        _Shown(as_json=choices.pop("as_json")),
        {name: choices.pop(name) for name in ("xlsx", "csv_")},
    )
    collect, imports, export = (choices.pop(name) for name in ("collect", "imports", "export"))
    listen, port = choices.pop("listen"), choices.pop("port")
    if collect is not None and not paths and choices["project"] is None:
        project = find_project(collect)
    else:
        project = _opened(paths, choices, reading)
    try:
        if imports:
            shown.say(f"{import_labels(project, imports)} labels taken in.", event="imported")
        for form, folder in (("xlsx", sheets["xlsx"]), ("csv", sheets["csv_"])):
            if folder is not None:
                shown.drawn(project, listen="loopback")
                for path in project.write_sheets(folder, form=form):
                    shown.say(f"  {path}", event="sheet")
                shown.say(f"Read back with  aliquot label --collect {folder}", event="next")
        if collect is not None:
            for name, new in project.collect(collect).items():
                shown.say(f"{name}: {new} new", event="collected", new=new)
        if export is not None or collect is not None or imports:
            shown.written(project, export)
        elif not any(sheets.values()):
            _serve(project, shown, listen=listen, port=port)
    finally:
        project.close()


def _opened(paths: tuple[str, ...], choices: dict[str, Any], reading: Any) -> LabelProject:
    from aliquot.verbs.label import label
    from aliquot.verbs.label_draw import LabelDraw, RaterChecks

    taken = {
        name: choices.pop(name) for name in ("n", "by", "unit", "labels", "passes", "half_width", "seed")
    }
    checks = {name: choices.pop(name) for name in ("overlap", "repeats", "known", "train", "pass_mark")}
    raters = [name for name in (choices.pop("raters") or "").split(",") if name.strip()]
    return label(
        *paths,
        raters=raters,
        draw=LabelDraw(**taken),
        check=RaterChecks(**checks),
        options=reading,
        **choices,
    )


def _serve(project: LabelProject, shown: _Shown, *, listen: str, port: int) -> None:
    """Serve the page until Ctrl-C, saying how it stands."""
    from aliquot.labelling.status import status_line

    sys.setswitchinterval(_SWITCH_S)
    with project.serve(listen=listen, port=port, complain=shown.complain) as server:
        shown.links(project, server, listen=listen)
        last, told, rest = -1, set[str](), 0.0
        with suppress(KeyboardInterrupt):
            while True:
                if project.store.steps != last and time.monotonic() >= rest:
                    began = time.monotonic()
                    state = server.watch.state()
                    rest = time.monotonic() + _SHARE * (time.monotonic() - began)
                    last = state.steps
                    shown.live(status_line(state, datetime.now().astimezone()), state)
                    for pattern in state.patterns:
                        if _kind(pattern) not in told:
                            told.add(_kind(pattern))
                            shown.say(f" {pattern}", event="pattern")
                time.sleep(_EVERY_S)
    shown.written(project, None)


def _kind(pattern: str) -> str:
    """Return a pattern without its numbers, so that it is said once and not at every label."""
    return "".join(char for char in pattern if not char.isdigit())


class _Shown:
    """Prints sentences, or JSON a line each."""

    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._live = sys.stdout.isatty() and not as_json
        self._open = False
        self._last = 0.0

    def say(self, text: str, *, event: str, **more: Any) -> None:
        from aliquot.reports.plain import neutralise

        self._end()
        plain = neutralise(text, limit=1000)
        click.echo(json.dumps({"event": event, "text": plain, **more}) if self._json else plain)

    def complain(self, text: str) -> None:
        from aliquot.reports.plain import neutralise

        click.echo(f"aliquot: {neutralise(text, limit=300)}", err=True)

    def drawn(self, project: LabelProject, *, listen: str) -> None:
        from aliquot.labelling.status import drawn_lines

        for line in drawn_lines(project.project, project.form, listen=listen):
            self.say(line, event="drawn")

    def links(self, project: LabelProject, server: LabelServer, *, listen: str) -> None:
        from aliquot.findings.numbers import write_count

        self.drawn(project, listen=listen)
        width = max(len(one.name) for one in project.raters())
        for one in project.raters():
            done, total = project.store.counts(one.name)
            link, minutes = server.link(one), project.minutes(one.name)
            noun = "pairs" if project.form.pairwise else "answers"
            left = f", {done} done" if done else f", about {write_count(max(1, round(minutes)), 'minute')}"
            self.say(
                f"  {one.name:<{width}}  {link}   {total} {noun}{left}",
                event="rater",
                rater=one.name,
                link=link,
                total=total,
                done=done,
            )
        self.say(
            f"  {'you':<{width}}  {server.owner_link}   progress, agreement, tables",
            event="owner",
            link=server.owner_link,
        )
        if listen == "loopback" and not self._json:
            self.say(
                "Not in this room?  --listen lan   or   --xlsx raters/   (a workbook each; read back with",
                event="hint",
            )
            self.say("  aliquot label --collect raters/)", event="hint")
        self.say("Ctrl-C ends it; the same line again goes on.", event="hint")
        sys.stdout.flush()

    def live(self, line: str, state: State) -> None:
        """Rewrite the line, or print one when it is time."""
        if self._json:
            self.say(line, event="status", steps=state.steps)
        elif self._live:
            import shutil

            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r {line[:width]:<{width}}", nl=False)
            self._open = True
        elif time.monotonic() - self._last >= _PLAIN_S:
            self._last = time.monotonic()
            click.echo(f" {line}")
        sys.stdout.flush()

    def written(self, project: LabelProject, folder: str | None) -> None:
        from aliquot.labelling.status import written_lines

        self._end()
        rows = project.export(folder)
        where = Path(folder or project.folder)
        for line in written_lines(str(where), rows):
            self.say(line, event="written", tables=dict(rows))
        if rows.get("labels.csv"):
            for line in next_lines(project, str(where)):
                self.say(line, event="next")

    def _end(self) -> None:
        if self._open:
            click.echo()
            self._open = False


def next_lines(project: LabelProject, folder: str) -> list[str]:
    """Return what to type next."""
    from aliquot.verbs.reproduce import command_line

    labels, about = f"{folder}/labels.csv", project.project
    lines = [command_line("agree", [labels], {})] if len(project.labels().raters) > 1 else []
    if about.metric and not project.form.pairwise:
        lines.append(command_line("calibrate", about.sources, {"--labels": labels}, reading=about.reading))
    return [f"  {line}" for line in lines if line]
