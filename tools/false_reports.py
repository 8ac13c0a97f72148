# SPDX-License-Identifier: MIT
"""Runs random attention problems under all checkers and counts false reports.

    python -m tools.false_reports [--problems N] [--seed S]

Every problem runs forward and backward through the operators, on operands with
random strides, offsets and head ratios; a report of a checker is a fault, and so
are numbers that differ from torch's. The seed is printed first.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import time

import torch

# Head dimensions of key and value: each pair is a set of compiled kernels.
HEAD_DIMS = ((8, 8), (12, 20), (33, 17), (64, 64), (5, 5), (80, 48))
# Largest difference to torch's attention in float32, as a part of the largest value.
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


@dataclasses.dataclass(frozen=True)
class RandomProblem:
    """One problem drawn from a generator."""

    dtype: torch.dtype
    is_causal: bool
    batch: int
    query_heads: int
    key_value_heads: int
    query_length: int
    key_length: int
    head_dim: int
    value_head_dim: int
    seed: int

    @classmethod
    def draw(cls, generator: random.Random) -> RandomProblem:
        """Draws sizes; lengths are rarely multiples of anything."""
        key_value_heads = generator.choice((1, 1, 2, 3))
        head_dim, value_head_dim = generator.choice(HEAD_DIMS)
        return cls(
            dtype=generator.choice(list(TOLERANCE)),
            is_causal=generator.random() < 0.5,
            batch=generator.randint(1, 2),
            query_heads=key_value_heads * generator.choice((1, 1, 2, 3)),
            key_value_heads=key_value_heads,
            query_length=generator.randint(1, 90),
            key_length=generator.randint(1, 90),
            head_dim=head_dim,
            value_head_dim=value_head_dim,
            seed=generator.randrange(2**31),
        )

    def operands(self) -> list[torch.Tensor]:
        """Query, key, value and grad_output, no two laid out alike."""
        generator = torch.Generator().manual_seed(self.seed)
        layout = random.Random(self.seed)
        query_shape = (self.query_heads, self.query_length)
        key_shape = (self.key_value_heads, self.key_length)
        return [
            strided(heads, length, columns, self, generator, layout)
            for (heads, length), columns in (
                (query_shape, self.head_dim),
                (key_shape, self.head_dim),
                (key_shape, self.value_head_dim),
                (query_shape, self.value_head_dim),
            )
        ]


def strided(
    heads: int,
    length: int,
    columns: int,
    problem: RandomProblem,
    generator: torch.Generator,
    layout: random.Random,
) -> torch.Tensor:
    """A tensor [batch, heads, length, columns] with gaps, maybe rows before heads."""
    gap, offset = layout.randint(0, 3), layout.randint(0, 5)
    outer = (heads, length) if layout.random() < 0.5 else (length, heads)
    shape = (problem.batch, *outer, columns + gap)
    count = offset + problem.batch * heads * length * (columns + gap)
    flat = torch.randn(count, generator=generator).to(problem.dtype)
    tensor = flat[offset:].view(shape)[..., :columns]
    return tensor if outer == (heads, length) else tensor.transpose(1, 2)


def results(
    problem: RandomProblem, operands: list[torch.Tensor], is_reference: bool
) -> list[torch.Tensor]:
    """Output and gradients, ours or those of torch in float32."""
    import flash_attn_mps

    *inputs, grad_output = operands
    if is_reference:
        inputs = [tensor.float() for tensor in inputs]
        grad_output = grad_output.float()
    query, key, value = inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    attention = (
        torch.nn.functional.scaled_dot_product_attention
        if is_reference
        else flash_attn_mps.scaled_dot_product_attention
    )
    output = attention(query, key, value, is_causal=problem.is_causal, enable_gqa=True)
    return [output, *torch.autograd.grad(output, inputs, grad_output)]


def fault_of(problem: RandomProblem) -> str | None:
    """What went wrong; None if nothing did."""
    operands = problem.operands()
    try:
        ours = results(problem, operands, is_reference=False)
    except RuntimeError as error:
        return str(error)
    right = results(problem, operands, is_reference=True)
    for name, mine, theirs in zip(
        ("output", "grad_query", "grad_key", "grad_value"), ours, right, strict=True
    ):
        largest = max(1.0, theirs.abs().max().item())
        gap = (mine.float() - theirs).abs().max().item() / largest
        if not gap <= TOLERANCE[problem.dtype]:
            return f"{name} differs from torch's by {gap:.2e} of its largest value"
    return None


def main() -> int:
    """Runs the campaign; returns 1 if anything was reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.randrange(2**31) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    os.environ["FLASH_ATTN_MPS_SIMULATOR_CHECKS"] = "all"
    os.environ["FLASH_ATTN_MPS_POISON"] = "1"
    generator = random.Random(seed)
    start = time.monotonic()
    faults = 0
    for index in range(options.problems):
        problem = RandomProblem.draw(generator)
        if fault := fault_of(problem):
            faults += 1
            print(f"problem {index}: {problem}\n    {fault}", flush=True)
    print(
        f"{options.problems} problems, {faults} false reports or wrong results, "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
