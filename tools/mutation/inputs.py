# SPDX-License-Identifier: MIT
"""Inputs of the mutation test's problems that are about something special.

Each function changes random inputs, [batch, heads, length, columns] each, in place.
It knows nothing of answers or kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Inputs = dict[str, Array]


def make_negative(inputs: Inputs) -> None:
    """Every logit is negative."""
    inputs["query"] = np.abs(inputs["query"])
    inputs["key"] = -np.abs(inputs["key"])


def make_zero(inputs: Inputs) -> None:
    """Every logit is zero."""
    inputs["query"][...] = 0


def make_unattended(inputs: Inputs) -> None:
    """Values that no query may attend to are as large as numbers get.

    With as many keys as queries or more, and a causal mask.
    """
    inputs["value"][:, :, inputs["query"].shape[2] :] = 3e38


def make_rising(inputs: Inputs) -> None:
    """Logits rise from key to key, so much that exp of the difference underflows.

    Under a causal mask a maximum over one key too many makes every allowed
    probability zero, and a maximum over one key too few makes one infinite.
    """
    make_equal(inputs)
    inputs["key"][..., 0] = 400 * np.arange(inputs["key"].shape[2])


def make_equal(inputs: Inputs) -> None:
    """Every logit is the scale, whatever the keys are in the other columns."""
    inputs["query"][...] = 0
    inputs["query"][..., 0] = 1
    inputs["key"][..., 0] = 1


def make_large(inputs: Inputs) -> None:
    """What is left of two equal sums of products is large if it is not zero."""
    inputs["value"] *= 1024
    inputs["grad_output"] *= 1024


def make_dominated(inputs: Inputs) -> None:
    """Query i attends to key i and, with a large scale, to no other."""
    for name in ("query", "key"):
        inputs[name][...] = np.eye(*inputs[name].shape[2:])


def make_cancelling_sums(inputs: Inputs) -> None:
    """Both dP and delta are sums that rise to half their length and fall again.

    Eight terms are added exactly, because no term has bits below 2^-20: only the
    additions of such sums to the total round.
    """
    make_dominated(inputs)
    steps = np.floor(np.abs(inputs["value"]) % 1 * 2**16)
    inputs["value"][...] = halves(inputs) * (1 + steps * 2.0**-20)
    inputs["grad_output"][...] = 1


def make_cancelling_products(inputs: Inputs) -> None:
    """Delta is a sum that rises and falls by equal terms, which round the same way.

    So do the products of the first half, while those of the second are exact.
    """
    make_dominated(inputs)
    grad_output, value = inputs["grad_output"], inputs["value"]
    grad_output[...] = 1 + np.floor(np.abs(grad_output[..., :1]) % 1 * 2**8) / 2**12
    rising = 1 + np.floor(np.abs(value[..., :1]) % 1 * 2**12) / 2**16
    falling = -np.floor(rising * 2**11) / 2**11
    value[...] = np.where(halves(inputs) > 0, rising, falling)


def halves(inputs: Inputs) -> Array:
    """One for the first half of the columns of values, minus one for the second."""
    columns = inputs["value"].shape[3]
    return np.where(np.arange(columns) < columns // 2, 1.0, -1.0)


ADJUSTMENTS: dict[str, Callable[[Inputs], None]] = {
    "random": lambda inputs: None,
    "negative": make_negative,
    "zero": make_zero,
    "unattended": make_unattended,
    "rising": make_rising,
    "equal": make_equal,
    "large": make_large,
    "cancelling sums": make_cancelling_sums,
    "cancelling products": make_cancelling_products,
}
