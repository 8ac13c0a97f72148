# SPDX-License-Identifier: MIT
"""Small attention problems with known answers, for kernels run one by one.

Every operand has strides of its own and gaps between its rows: gaps of inputs
hold NaN, gaps of results must stay as they are. Answers are float64.
"""

from __future__ import annotations

import dataclasses
import math
import re
import struct
import zlib
from typing import Any

import numpy as np

from tools.mutation.inputs import ADJUSTMENTS, Array

# Order of the layouts in AttentionParams, which is that of the buffer slots.
OPERANDS = (
    "query",
    "key",
    "value",
    "output",
    "grad_output",
    "grad_query",
    "grad_key",
    "grad_value",
)
# Slots of every kernel; log_sum_exp, delta and the parameters lie between.
SLOTS = (
    "query",
    "key",
    "value",
    "output",
    "log_sum_exp",
    "grad_output",
    "delta",
    "grad_query",
    "grad_key",
    "grad_value",
)
RESULTS = {
    "attention_forward": ("output", "log_sum_exp"),
    "attention_delta": ("delta",),
    "attention_backward_query": ("grad_query",),
    "attention_backward_key_value": ("grad_key", "grad_value"),
}
CANARY = -77.0
# Largest error allowed, as a part of the largest value of the answer: some ulp of
# the element type for sums of this length.
TOLERANCE = {"float32": 1e-5, "float16": 3e-3}


@dataclasses.dataclass(frozen=True)
class Problem:
    """Sizes and inputs of one attention problem."""

    name: str
    dtype: str
    batch: int
    query_heads: int
    key_value_heads: int
    query_length: int
    key_length: int
    head_dim: int
    value_head_dim: int
    is_causal: bool
    logit_scale: float = 1.0
    # A probability's relative error grows with the size of its logit.
    tolerance_factor: float = 1.0
    # A name of ADJUSTMENTS.
    inputs: str = "random"
    # The kernels that are run; those that it says nothing new of take time only.
    kernels: tuple[str, ...] = tuple(RESULTS)
    # What comes of dP - delta is judged by the error that docs/numerics.md allows.
    has_contract: bool = False

    def shape(self, operand: str) -> tuple[int, int, int, int]:
        """[batch, heads, length, head_dim] of an operand."""
        is_key_side = operand.removeprefix("grad_") in ("key", "value")
        has_value_dim = operand.removeprefix("grad_") in ("value", "output")
        return (
            self.batch,
            self.key_value_heads if is_key_side else self.query_heads,
            self.key_length if is_key_side else self.query_length,
            self.value_head_dim if has_value_dim else self.head_dim,
        )

    def strides(self, operand: str) -> tuple[int, int, int]:
        """Distances in elements along batch, heads and rows: no two alike."""
        _, heads, length, columns = self.shape(operand)
        row = columns + 1 + OPERANDS.index(operand)
        head = length * row + 3 * (OPERANDS.index(operand) + 1)
        return (heads * head + 11 * (OPERANDS.index(operand) + 1), head, row)

    def statistic_shape(self) -> tuple[int, int, int]:
        """Shape of log_sum_exp and delta."""
        return (self.batch, self.query_heads, self.query_length)

    @property
    def scale(self) -> float:
        """Factor of the logits."""
        return float(np.float32(self.logit_scale / np.sqrt(self.head_dim)))

    def parameters(self) -> bytes:
        """AttentionParams as bytes."""
        layouts = [number for name in OPERANDS for number in self.strides(name)]
        return struct.pack(
            "<24q4I2f",
            *layouts,
            self.query_heads,
            self.query_heads // self.key_value_heads,
            self.query_length,
            self.key_length,
            self.scale,
            self.scale * np.log2(np.e),
        )


# Sizes are [B, Hq, Hkv, Sq, Sk, D, Dv]. Among them are more queries than keys and
# fewer, lengths that fill threadgroups of rows and lengths that do not, head
# dimensions that fill fragments and that do not.
PROBLEMS = (
    Problem("float32_causal", "float32", 2, 4, 2, 75, 37, 12, 20, is_causal=True),
    Problem("float32_whole_blocks", "float32", 2, 2, 2, 64, 128, 16, 8, False),
    Problem("float32_large_logits", "float32", 1, 3, 1, 48, 80, 8, 13, False, 60, 10),
    Problem("float16_causal", "float16", 1, 4, 2, 70, 90, 24, 16, is_causal=True),
    Problem("float32_no_keys", "float32", 1, 2, 1, 9, 0, 8, 8, is_causal=False),
    Problem(
        "float32_negative_logits",
        "float32",
        *(1, 1, 1, 12, 40, 8, 8),
        is_causal=False,
        logit_scale=200,
        tolerance_factor=10,
        inputs="negative",
    ),
    Problem(
        "float32_zero_query",
        "float32",
        *(1, 1, 1, 9, 1, 8, 8),
        is_causal=False,
        inputs="zero",
    ),
    Problem(
        "float32_unattended_keys",
        "float32",
        *(1, 1, 1, 20, 24, 8, 8),
        is_causal=True,
        inputs="unattended",
    ),
    # One key: equal sums of products are subtracted, and the rest has to be dropped.
    Problem("float32_one_key", "float32", 1, 4, 2, 20, 1, 8, 8, False, inputs="large"),
    Problem(
        "float32_causal_one_query",
        "float32",
        *(1, 4, 2, 1, 20, 8, 8),
        is_causal=True,
        inputs="large",
    ),
    Problem(
        "float32_rising_logits",
        "float32",
        *(1, 1, 1, 40, 44, 8, 8),
        is_causal=True,
        inputs="rising",
        kernels=("attention_forward",),
    ),
    # log_sum_exp is 7910 + ln 135. It and 7910 log2(e) are nearly float32 numbers:
    # what is lost of them is less than 1e-5, so a change of base must lose less too.
    Problem(
        "float32_exact_log_sum_exp",
        "float32",
        *(1, 1, 1, 4, 135, 16, 8),
        is_causal=False,
        logit_scale=4 * 7910,
        inputs="equal",
        kernels=("attention_backward_key_value",),
    ),
    # 7910 + ln 6 is rounded by 2e-4, a factor of all probabilities of a row, which
    # grad_query must not have. (The gradients of keys and values keep it.)
    Problem(
        "float32_rounded_log_sum_exp",
        "float32",
        *(1, 1, 1, 4, 6, 16, 8),
        is_causal=False,
        logit_scale=4 * 7910,
        inputs="equal",
        kernels=("attention_backward_query",),
    ),
    # Head dimensions of several panels of 32 columns, the last of them not full.
    Problem("float32_panels", "float32", 1, 2, 1, 20, 36, 40, 120, is_causal=False),
    # Where one key has all of a row's probability, dP - delta is what the roundings
    # of two sums leave, and plain torch has no such error: compensation is needed.
    Problem(
        "float32_cancelling_sums",
        "float32",
        *(1, 1, 1, 16, 16, 40, 120),
        is_causal=False,
        logit_scale=1300,
        inputs="cancelling sums",
        kernels=("attention_backward_query",),
        has_contract=True,
    ),
    Problem(
        "float32_cancelling_products",
        "float32",
        *(1, 1, 1, 32, 32, 40, 256),
        is_causal=False,
        logit_scale=1300,
        inputs="cancelling products",
        kernels=("attention_delta",),
        has_contract=True,
    ),
)


def spread(values: Array, strides: tuple[int, int, int], filler: float) -> Array:
    """Lays values out with the given strides; gaps hold the filler."""
    batch, heads, length, columns = values.shape
    last = (
        (batch - 1) * strides[0] + (heads - 1) * strides[1] + (length - 1) * strides[2]
    )
    flat = np.full(max(last + columns, 1), filler, values.dtype)
    if values.size:
        dense_view(flat, values.shape, strides)[...] = values
    return flat


def dense_view(
    flat: Array, shape: tuple[int, ...], strides: tuple[int, int, int]
) -> Array:
    """The elements of an operand that `spread` has laid out."""
    size = flat.itemsize
    return np.lib.stride_tricks.as_strided(
        flat, shape, [size * step for step in (*strides, 1)]
    )


class Answers:
    """Inputs of a problem and the right results, in float64."""

    def __init__(self, problem: Problem) -> None:
        generator = np.random.default_rng(zlib.crc32(problem.name.encode()))

        def draw(operand: str) -> Array:
            shape = problem.shape(operand)
            return generator.standard_normal(shape).astype(problem.dtype)

        self.inputs = {
            name: draw(name) for name in ("query", "key", "value", "grad_output")
        }
        ADJUSTMENTS[problem.inputs](self.inputs)
        repeat = problem.query_heads // problem.key_value_heads
        query, key, value, grad_output = (
            self.inputs[name].astype(np.float64)
            for name in ("query", "key", "value", "grad_output")
        )
        key, value = key.repeat(repeat, axis=1), value.repeat(repeat, axis=1)
        logits = problem.scale * query @ key.swapaxes(-1, -2)
        if problem.is_causal:
            allowed = np.tri(problem.query_length, problem.key_length, dtype=bool)
            logits = np.where(allowed, logits, -np.inf)
        if problem.key_length == 0:
            self.results = self.without_keys(problem)
            return
        maximum = logits.max(axis=-1, keepdims=True)
        exponentials = np.exp(logits - maximum)
        sums = exponentials.sum(axis=-1, keepdims=True)
        probabilities = exponentials / sums
        output = probabilities @ value
        delta = (grad_output * output).sum(axis=-1)
        grad_logits = probabilities * (
            grad_output @ value.swapaxes(-1, -2) - delta[..., None]
        )

        def summed(grad: Array) -> Array:
            batch, _, length, columns = grad.shape
            groups = (batch, problem.key_value_heads, repeat, length, columns)
            return np.asarray(grad.reshape(groups).sum(axis=2))

        self.results = {
            "output": output,
            "log_sum_exp": (maximum + np.log(sums))[..., 0],
            "delta": delta,
            "grad_query": problem.scale * grad_logits @ key,
            "grad_key": summed(problem.scale * grad_logits.swapaxes(-1, -2) @ query),
            "grad_value": summed(probabilities.swapaxes(-1, -2) @ grad_output),
        }

    def allowed_errors(self, problem: Problem) -> dict[str, float]:
        """The error rule of docs/numerics.md where plain torch has no error.

        The stored output is rounded, which reaches delta and what comes of it.
        """
        epsilon = float(np.finfo(problem.dtype).eps)
        products = self.inputs["grad_output"] * self.results["output"]
        of_delta = 2 * epsilon * float(np.linalg.norm(products, axis=-1).max())
        queries = problem.query_length * problem.query_heads // problem.key_value_heads
        key, query = (
            problem.scale * float(np.abs(self.inputs[name]).max())
            for name in ("key", "query")
        )
        unavoidable = {
            "delta": of_delta,
            "grad_query": of_delta * key,
            "grad_key": of_delta * query * math.sqrt(queries),
        }
        return {
            name: error + 4 * epsilon * float(np.abs(self.results[name]).max())
            for name, error in unavoidable.items()
        }

    @staticmethod
    def without_keys(problem: Problem) -> dict[str, Array]:
        """Results of a problem in which no row has a key."""
        return {
            "output": np.zeros(problem.shape("output")),
            "log_sum_exp": np.full(problem.statistic_shape(), -np.inf),
            "delta": np.zeros(problem.statistic_shape()),
            "grad_query": np.zeros(problem.shape("query")),
        }


class Run:
    """Buffers of one dispatch of one kernel, and the verdict on its results."""

    def __init__(self, problem: Problem, answers: Answers, kernel: str) -> None:
        self.problem = problem
        self.answers = answers
        self.results = RESULTS[kernel]
        self.buffers = {name: self.make_buffer(name) for name in SLOTS}

    def make_buffer(self, name: str) -> Array:
        """An input with its gaps, or a result full of canaries."""
        problem = self.problem
        is_result = name in self.results
        if name in ("log_sum_exp", "delta"):
            known = self.answers.results[name].astype(np.float32)
            return np.full_like(known, CANARY) if is_result else known
        if is_result or name not in self.answers.inputs | self.answers.results:
            values = np.full(problem.shape(name), CANARY, problem.dtype)
        elif name in self.answers.inputs:
            values = self.answers.inputs[name]
        else:
            values = self.answers.results[name].astype(problem.dtype)
        filler = CANARY if is_result else np.nan
        return spread(values, problem.strides(name), filler)

    def arguments(self) -> list[Any]:
        """Buffers in the order of their slots."""
        return [*(self.buffers[name] for name in SLOTS), self.problem.parameters()]

    def fault(self) -> str | None:
        """What is wrong with the results; None if nothing is."""
        for name in self.results:
            buffer = self.buffers[name]
            if name in ("log_sum_exp", "delta"):
                found = buffer.copy()
            else:
                shape, strides = self.problem.shape(name), self.problem.strides(name)
                view = dense_view(buffer, shape, strides)
                found = view.copy()
                view[...] = CANARY
                if not (buffer == np.asarray(CANARY, buffer.dtype)).all():
                    return f"{name}: a gap between rows was written"
            if found[self.constant_rows(name)].any():
                return f"{name}: not zero where the softmax is constant"
            if not self.is_close(name, found):
                return f"{name}: wrong numbers"
        return None

    def constant_rows(self, name: str) -> tuple[slice, ...]:
        """Rows of a gradient that are exactly zero, as they are with torch.

        The softmax of a query with a single key does not depend on the logit.
        """
        problem = self.problem
        rows = 0
        if name == "grad_query" and problem.is_causal:
            rows = 1
        has_single_keys = problem.key_length == 1 or (
            problem.is_causal and problem.query_length == 1
        )
        if name in ("grad_query", "grad_key") and has_single_keys:
            rows = problem.shape(name)[2]
        return (slice(None), slice(None), slice(rows))

    def is_close(self, name: str, found: Array) -> bool:
        """Whether numbers agree as well as the element type allows."""
        expected = self.answers.results[name]
        infinite = np.isinf(expected)
        if not np.array_equal(found[infinite], expected[infinite]):
            return False
        finite = expected[~infinite]
        largest = max(1.0, float(np.abs(finite).max(initial=0.0)))
        error = np.abs(found[~infinite].astype(np.float64) - finite).max(initial=0.0)
        tolerance = TOLERANCE[self.problem.dtype] * self.problem.tolerance_factor
        allowed = tolerance * largest
        if self.problem.has_contract:
            allowed = self.answers.allowed_errors(self.problem).get(name, allowed)
        return bool(error <= allowed)


@dataclasses.dataclass(frozen=True)
class KernelText:
    """One generated kernel of a problem."""

    name: str
    threads: int
    group: int
    text: str


def kernel_texts(problem: Problem, sources: str) -> list[KernelText]:
    """Cuts what the operator `kernel_sources` returns into kernels."""
    parts = re.split(r"^//kernel (\w+) (\d+) (\d+)\n", sources, flags=re.MULTILINE)[1:]
    return [
        KernelText(name, int(threads), int(group), text)
        for name, threads, group, text in zip(*[iter(parts)] * 4, strict=True)
        if int(threads) > 0
        and name in problem.kernels
        and not (problem.key_length == 0 and "key_value" in name)
    ]
