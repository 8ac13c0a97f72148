# SPDX-License-Identifier: MIT
"""A bar in the terminal; a line now and then where there is no terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

BAR_CELLS = 24
LINES_WITHOUT_TERMINAL = 6


class ProgressBar:
    """Shows step, loss and tokens per second of one training."""

    def __init__(
        self, title: str, steps: int, tokens_per_step: int, stream: TextIO = sys.stdout
    ) -> None:
        self.title = title
        self.steps = steps
        self.tokens_per_step = tokens_per_step
        self.stream = stream
        self.start = time.perf_counter()

    def line(self, step: int, loss: float) -> str:
        """The text for a step that has just ended."""
        done = step + 1
        cells = BAR_CELLS * done // self.steps
        bar = "#" * cells + "." * (BAR_CELLS - cells)
        seconds = max(time.perf_counter() - self.start, 1e-9)
        speed = done * self.tokens_per_step / seconds
        return (
            f"{self.title} [{bar}] {done:>{len(str(self.steps))}}/{self.steps}  "
            f"loss {loss:.4f}  {speed:,.0f} tokens/s"
        )

    def show(self, step: int, loss: float) -> None:
        """Draws over the last line of a terminal, or prints one line in fifty."""
        is_last = step + 1 == self.steps
        if self.stream.isatty():
            print(f"\r{self.line(step, loss)}", end="", file=self.stream, flush=True)
            if is_last:
                print(file=self.stream)
        elif is_last or step % max(self.steps // LINES_WITHOUT_TERMINAL, 1) == 0:
            print(self.line(step, loss), file=self.stream, flush=True)
