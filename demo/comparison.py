# SPDX-License-Identifier: MIT
"""Compares two loss curves, says whether they pass, and draws them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

# Two right float32 attentions differ here by about 5e-7 at worst; a gradient of
# the query that is 1 % off differs by about 2e-4.
MAX_DIFFERENCE_SIMULATED = 2e-5
# Not calibrated: no Mac has run this yet.
MAX_DIFFERENCE_MPS = 1e-3
MAX_LAST_LOSS = 2.40
LAST_STEPS = 10


@dataclass(frozen=True)
class Metrics:
    """What the demo measured; written to metrics.json with these names."""

    device: str
    steps: int
    loss_first: float
    loss_last: float
    max_loss_difference: float
    tokens_per_second: float


def measure(
    device: str, ours: list[float], reference: list[float], tokens_per_second: float
) -> Metrics:
    """Reduces two curves to numbers."""
    last = ours[-LAST_STEPS:]
    return Metrics(
        device=device,
        steps=len(ours),
        loss_first=ours[0],
        loss_last=sum(last) / len(last),
        # A comparison with NaN is false, so it is not left to max().
        max_loss_difference=max(
            (abs(a - b) for a, b in zip(ours, reference, strict=True)),
            key=lambda difference: (difference != difference, difference),
        ),
        tokens_per_second=tokens_per_second,
    )


def failures(metrics: Metrics, *, is_mps: bool) -> list[str]:
    """A sentence for every bar that is not met; none if all are."""
    allowed = MAX_DIFFERENCE_MPS if is_mps else MAX_DIFFERENCE_SIMULATED
    found = []
    if not metrics.max_loss_difference <= allowed:
        found.append(
            f"the two loss curves must differ by at most {allowed:g} at any step; "
            f"got {metrics.max_loss_difference:.2g}"
        )
    if not metrics.loss_last < MAX_LAST_LOSS:
        found.append(
            f"the mean loss of the last {LAST_STEPS} steps must be below "
            f"{MAX_LAST_LOSS:.2f}; got {metrics.loss_last:.4f}"
        )
    return found


def write_metrics(metrics: Metrics, path: Path) -> None:
    """Writes metrics.json."""
    path.write_text(json.dumps(asdict(metrics), indent=2) + "\n", encoding="ascii")


def draw_losses(ours: list[float], reference: list[float], path: Path) -> None:
    """Draws both curves, and below them how far they are apart."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (curves, apart) = pyplot.subplots(
        2, sharex=True, figsize=(7, 5), height_ratios=(3, 1), layout="constrained"
    )
    curves.plot(reference, color="tab:orange", linewidth=4, alpha=0.5)
    curves.plot(ours, color="tab:blue", linewidth=1)
    curves.legend(["torch's own attention", "flash_attn_mps"])
    curves.set_ylabel("loss (nats per character)")
    differences = [abs(a - b) for a, b in zip(ours, reference, strict=True)]
    apart.semilogy([max(d, 1e-9) for d in differences], color="tab:red", linewidth=1)
    apart.set_ylabel("|difference|")
    apart.set_xlabel("step")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
