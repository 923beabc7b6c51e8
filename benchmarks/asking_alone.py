"""What a run spends while it asks: ``python -m benchmarks.asking_alone FILE`` runs it and prints CPU seconds.

From the moment at which asking begins to the last answer: each is requested, put on disk, scored, shown to the guards
and counted. Planning before it and the tables after it are left out.
"""

from __future__ import annotations

import sys
import time

import aliquot
from aliquot.runner.progress import Progress


class Watch:
    """Notes the CPU time at the beginning of asking and at the last answer."""

    began = spent = 0.0

    def started(self, progress: Progress) -> None:  # noqa: ARG002 - an observer's signature
        self.began = time.process_time()

    def answered(self, progress: Progress) -> None:
        if progress.done == progress.total:
            self.spent = time.process_time() - self.began

    def noted(self, text: str) -> None:
        """Nothing is shown."""


def main() -> None:
    watch = Watch()
    aliquot.run(sys.argv[1], observer=watch)
    print(watch.spent)


if __name__ == "__main__":
    main()
