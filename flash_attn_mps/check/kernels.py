# SPDX-License-Identifier: MIT
"""Steps that compile and run the attention kernels: all families, float64, repeats.

The families come from the compiled library; there is no second list of them here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from flash_attn_mps.check.probes import DTYPES
from flash_attn_mps.check.report import CheckFailedError, Context, Outcome, Step
from flash_attn_mps.reference import reference_attention

# The text of torch's shim before 2.13 for a failed compilation says nothing.
NO_COMPILER_TEXT = "the call failed without a message"
Results = dict[str, Tensor]


class Family(NamedTuple):
    """One line of the library's inventory."""

    line: int
    name: str
    kernel: str
    dtype: str
    masking: str
    head_dim: int
    value_head_dim: int


def inventory() -> list[Family]:
    """Returns every Metal text that the package can generate.

    Example:
        >>> from flash_attn_mps.check.kernels import inventory
        >>> sorted({family.dtype for family in inventory()})
        ['bfloat16', 'float16', 'float32']
    """
    families = []
    lines = torch.ops.flash_attn_mps.kernel_inventory().splitlines()
    for number, line in enumerate(lines):
        name, kernel, dtype, masking, head_dim, value_head_dim = line.split("\t")
        families.append(
            Family(
                number, name, kernel, dtype, masking, int(head_dim), int(value_head_dim)
            )
        )
    return families


def chosen_families(families: Iterable[Family], is_quick: bool) -> list[Family]:
    """Returns the families to compile: all, or the smallest of each sort."""
    if not is_quick:
        return list(families)
    smallest: dict[tuple[str, str, str], Family] = {}
    for family in families:
        sort = (family.kernel, family.dtype, family.masking)
        kept = smallest.setdefault(sort, family)
        size = family.head_dim + family.value_head_dim
        if size < kept.head_dim + kept.value_head_dim:
            smallest[sort] = family
    return list(smallest.values())


# Compilation ------------------------------------------------------------------


def compiler_text(line: int, error: Exception, device: torch.device) -> str:
    """Returns the compiler's message, asking torch for it where it was lost."""
    if device.type != "mps" or NO_COMPILER_TEXT not in str(error):
        return str(error)
    source = torch.ops.flash_attn_mps.inventory_source(line)
    try:
        torch.mps.compile_shader(source)
    except Exception as repeated:
        return str(repeated)
    return f"{error} (the same text compiles with torch.mps.compile_shader)"


def compile_kernel(context: Context, *, kernel: str) -> Outcome:
    """Compiles every family of one kernel and times each."""
    seconds: dict[str, float] = {}
    errors: dict[str, str] = {}
    families = [family for family in inventory() if family.kernel == kernel]
    for family in chosen_families(families, context.is_quick):
        start = time.perf_counter()
        try:
            torch.ops.flash_attn_mps.compile_inventory(family.line)
        except RuntimeError as error:
            errors[family.name] = compiler_text(family.line, error, context.device)
        seconds[family.name] = time.perf_counter() - start
    if errors:
        listed = "\n".join(f"{name}: {text}" for name, text in errors.items())
        raise CheckFailedError(
            f"{len(errors)} of {len(seconds)} do not compile:\n{listed}"
        )
    slowest = max(seconds, key=seconds.__getitem__)
    return Outcome(
        f"{len(seconds)} texts compile, the slowest in {seconds[slowest]:.2f} s",
        {"seconds": seconds},
    )


# Numbers ----------------------------------------------------------------------


class Problem(NamedTuple):
    """A small attention problem: sizes of its tensors and its mask."""

    dtype: str
    is_causal: bool
    head_dim: int
    value_head_dim: int
    # Query heads, key and value heads, query length, key length.
    sizes: tuple[int, int, int, int]

    def name(self) -> str:
        """Returns the problem in a few words."""
        heads, key_heads, length, key_length = self.sizes
        return (
            f"{self.dtype} {'causal' if self.is_causal else 'unmasked'} "
            f"heads {heads}/{key_heads} lengths {length}/{key_length} "
            f"D={self.head_dim} Dv={self.value_head_dim}"
        )


# Neither whole tiles nor powers of two; with and without shared heads.
SIZES = ((2, 2, 37, 53), (4, 2, 65, 33), (3, 1, 1, 70))


def problems(dtype: str, is_quick: bool) -> list[Problem]:
    """Returns problems that need every family of a dtype, or a few of them."""
    pairs = sorted(
        {
            (family.masking == "causal", family.head_dim, family.value_head_dim)
            for family in inventory()
            if family.dtype == dtype and family.head_dim > 0
        }
    )
    if is_quick:
        pairs = [pair for pair in pairs if max(pair[1:]) <= 128][::5]
    return [
        Problem(dtype, *pair, SIZES[number % len(SIZES)])
        for number, pair in enumerate(pairs)
    ]


def make_inputs(problem: Problem, generator: torch.Generator) -> list[Tensor]:
    """Returns query, key, value and the output's gradient on the CPU."""
    heads, key_heads, length, key_length = problem.sizes
    shapes = (
        (1, heads, length, problem.head_dim),
        (1, key_heads, key_length, problem.head_dim),
        (1, key_heads, key_length, problem.value_head_dim),
        (1, heads, length, problem.value_head_dim),
    )
    dtype = DTYPES[problem.dtype]
    return [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]


def by_formula(problem: Problem, inputs: list[Tensor]) -> Results:
    """Returns output and gradients by plain torch in the inputs' dtype."""
    query, key, value = (tensor.clone().requires_grad_() for tensor in inputs[:3])
    output, log_sum_exp = reference_attention(
        query, key, value, is_causal=problem.is_causal, enable_gqa=True
    )
    gradients = torch.autograd.grad(output, (query, key, value), inputs[3])
    return {
        "output": output.detach(),
        "log_sum_exp": log_sum_exp.detach(),
        **dict(zip(("grad_query", "grad_key", "grad_value"), gradients, strict=True)),
    }


def by_kernels(problem: Problem, inputs: list[Tensor], device: torch.device) -> Results:
    """Returns the kernels' output and gradients, key's and value's alone too."""
    query, key, value, grad_output = (tensor.to(device) for tensor in inputs)
    operators = torch.ops.flash_attn_mps
    flags = (problem.is_causal, None, True)
    output, log_sum_exp = operators.forward(query, key, value, *flags)
    saved = (grad_output, query, key, value, output, log_sum_exp, *flags)
    gradients = operators.backward(*saved, [True, True, True])
    _, key_alone, _ = operators.backward(*saved, [False, True, False])
    _, _, value_alone = operators.backward(*saved, [False, False, True])
    return {
        "output": output.cpu(),
        "log_sum_exp": log_sum_exp.cpu(),
        "grad_query": gradients[0].cpu(),
        "grad_key": gradients[1].cpu(),
        "grad_value": gradients[2].cpu(),
        "grad_key alone": key_alone.cpu(),
        "grad_value alone": value_alone.cpu(),
    }


def allowed_error(name: str, exact: Tensor, plain: Tensor, rounding: float) -> float:
    """Returns twice the error of plain torch and a few units in the last place.

    `rounding` is what no kernel avoids that reads its stored output again: where one
    key has all the weight, the gradients of query and key are zero, and plain torch's
    error may be zero too.
    """
    eps = torch.finfo(torch.float32 if name == "log_sum_exp" else plain.dtype).eps
    plain_error = (plain.double() - exact).abs().max().item()
    allowed = 2 * plain_error + 16 * eps * exact.abs().max().item()
    return allowed + (rounding if name in ("grad_query", "grad_key") else 0.0)


def stored_output_rounding(inputs: list[Tensor], output: Tensor) -> float:
    """Returns how far rounding of the output moves a gradient of query or key."""
    query, key, _, grad_output = (tensor.double() for tensor in inputs)
    delta = (grad_output * output).square().sum(-1).sqrt().max().item()
    rows = query.shape[-2] * query.shape[-3] / key.shape[-3]
    largest = max(key.abs().max().item(), query.abs().max().item() * rows**0.5)
    scale = query.shape[-1] ** -0.5
    eps = torch.finfo(inputs[0].dtype).eps
    return float(2 * eps * scale * delta * largest)


def compare(problem: Problem, context: Context) -> float:
    """Returns the largest error in units of what is allowed; raises beyond 1."""
    inputs = make_inputs(problem, context.generator())
    exact = by_formula(problem, [tensor.double() for tensor in inputs])
    plain = by_formula(problem, inputs)
    plain["log_sum_exp"] = by_formula(problem, [t.float() for t in inputs])[
        "log_sum_exp"
    ]
    got = by_kernels(problem, inputs, context.device)
    again = by_kernels(problem, inputs, context.device)
    rounding = stored_output_rounding(inputs, exact["output"])
    largest = 0.0
    for name, tensor in got.items():
        if not torch.equal(tensor, again[name]):
            raise CheckFailedError(f"{problem.name()}: {name} changes from run to run")
        which = name.removesuffix(" alone")
        error = (tensor.double() - exact[which]).abs().max().item()
        allowed = allowed_error(which, exact[which], plain[which], rounding)
        if not error <= allowed:
            raise CheckFailedError(
                f"{problem.name()}: {name} is wrong by {error:.2e}, allowed are "
                f"{allowed:.2e}"
            )
        largest = max(largest, error / allowed)
    return largest


def compare_dtype(context: Context, *, dtype: str) -> Outcome:
    """Compares all problems of a dtype with float64, each run twice."""
    chosen = problems(dtype, context.is_quick)
    shares = {problem.name(): compare(problem, context) for problem in chosen}
    return Outcome(
        f"{len(chosen)} problems agree with float64, each twice bit for bit; the "
        f"largest error is {max(shares.values()):.0%} of what is allowed",
        {"share_of_allowed_error": shares},
    )


def kernel_steps() -> list[Step]:
    """Returns the steps of this file in their order."""
    kernels = list(dict.fromkeys(family.kernel for family in inventory()))
    steps = [
        Step(f"compile {kernel}", partial(compile_kernel, kernel=kernel))
        for kernel in kernels
    ]
    for dtype in DTYPES:
        steps.append(Step(f"numbers {dtype}", partial(compare_dtype, dtype=dtype)))
    return steps
