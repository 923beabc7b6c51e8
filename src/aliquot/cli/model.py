"""``aliquot model``."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

import click

from aliquot.cli.options import threads_from_environment


@click.command("model")
@click.option("--check", is_flag=True, help="Only find and check it; fetch nothing.")
@click.option("--force", is_flag=True, help="Fetch it again although it is there.")
@click.option(
    "--serve", "port", type=int, metavar="PORT", help="Answer OpenAI-style requests on 127.0.0.1:PORT."
)
def command(*, check: bool, force: bool, port: int | None) -> None:
    """Install, find and check the embedded model (ALIQUOT_MODEL=path names another).

    \b
      aliquot model
      aliquot model --serve 8080
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.model import model, serve

    found = model(install=not check, force=force, say=lambda line: click.echo(line, err=True))
    click.echo(f"{found.path}\nsha256 {found.sha256}{'' if found.standard else ' (named by ALIQUOT_MODEL)'}")
    if port is not None:
        serving = serve(port=port, threads=threads_from_environment(os.environ))
        click.echo(f"http://127.0.0.1:{port}/v1 answers until you press Ctrl-C")
        stop = threading.Event()
        signal.signal(signal.SIGTERM, _stopper(stop))
        try:
            stop.wait()
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
        finally:
            asyncio.run(serving.close())


def _stopper(stop: threading.Event) -> Callable[[int, FrameType | None], None]:
    def handle(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    return handle
