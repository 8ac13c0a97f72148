# SPDX-License-Identifier: MIT
"""Steps on how the kernels live with torch's own operations on a device."""

from __future__ import annotations

import gc
import threading
import time

import torch
from torch import Tensor

from flash_attn_mps.attention import scaled_dot_product_attention
from flash_attn_mps.check.report import (
    CheckFailedError,
    Context,
    Outcome,
    Step,
    StepLeftOutError,
)
from flash_attn_mps.reference import reference_attention


def _inputs(context: Context, *, length: int = 64) -> list[Tensor]:
    """Returns query, key and value [1, 2, length, 32] on the CPU."""
    generator = context.generator()
    return [torch.randn(1, 2, length, 32, generator=generator) for _ in range(3)]


def ordering(context: Context) -> Outcome:
    """Changes inputs and outputs in place around calls, without synchronising."""
    rounds = 5 if context.is_quick else 25
    exact = [tensor.double() for tensor in _inputs(context)]
    query, key, value = (tensor.to(context.device) for tensor in _inputs(context))
    results, expected = [], []
    for _ in range(rounds):
        query.mul_(0.9).add_(0.1)
        output = scaled_dot_product_attention(query, key, value)
        results.append(output.clone())
        # The call above must have seen these tensors as they were.
        query.neg_()
        value.add_(output.mul_(0.5))
        exact[0] = exact[0] * 0.9 + 0.1
        exact_output, _ = reference_attention(exact[0], exact[1], exact[2])
        expected.append(exact_output)
        exact[0] = -exact[0]
        exact[2] = exact[2] + 0.5 * exact_output
    for number, (got, wanted) in enumerate(zip(results, expected, strict=True)):
        error = (got.cpu().double() - wanted).abs().max().item()
        if not error <= 1e-4 * (1 + wanted.abs().max().item()):
            raise CheckFailedError(
                f"round {number} of {rounds} is wrong by {error:.2e}"
            )
    return Outcome(f"{rounds} rounds of in-place changes are seen in their order")


def _gradients(tensors: list[Tensor], grad_output: Tensor) -> list[Tensor]:
    query, key, value = (t.detach().clone().requires_grad_() for t in tensors)
    output = scaled_dot_product_attention(query, key, value, is_causal=True)
    return list(torch.autograd.grad(output, (query, key, value), grad_output))


def side_thread(context: Context) -> Outcome:
    """Differentiates on other threads and compares with the main thread."""
    tensors = [tensor.to(context.device) for tensor in _inputs(context)]
    grad_output = torch.ones_like(tensors[0])
    expected = _gradients(tensors, grad_output)
    results: list[list[Tensor]] = []

    def differentiate() -> None:
        results.append(_gradients(tensors, grad_output))

    threads = [threading.Thread(target=differentiate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(results) != len(threads):
        raise CheckFailedError(f"{len(threads) - len(results)} of 4 threads failed")
    for gradients in results:
        for got, wanted in zip(gradients, expected, strict=True):
            if not torch.equal(got.cpu(), wanted.cpu()):
                raise CheckFailedError("a gradient of another thread differs")
    return Outcome("4 threads give the main thread's gradients bit for bit")


def many_calls(context: Context) -> Outcome:
    """Makes many small calls of different lengths and looks at the last ones."""
    calls = 300 if context.is_quick else 3000
    query, key, value = (tensor.to(context.device) for tensor in _inputs(context))
    start = time.perf_counter()
    output = query
    for number in range(calls):
        length = 1 + number % 64
        output = scaled_dot_product_attention(
            query[:, :, :length], key, value, scale=0.1 + number / calls
        )
    got = output.cpu()
    seconds = time.perf_counter() - start
    length = 1 + (calls - 1) % 64
    exact = [tensor.double() for tensor in _inputs(context)]
    wanted, _ = reference_attention(
        exact[0][:, :, :length], exact[1], exact[2], scale=0.1 + (calls - 1) / calls
    )
    error = (got.double() - wanted).abs().max().item()
    if not error <= 1e-5:
        raise CheckFailedError(f"the last of {calls} calls is wrong by {error:.2e}")
    each = seconds / calls * 1e6
    return Outcome(
        f"{calls} calls take {each:.0f} us each", {"microseconds_per_call": each}
    )


def memory_returned(context: Context) -> Outcome:
    """Compares the memory that torch counts before and after some training."""
    if context.device.type != "mps":
        raise StepLeftOutError("torch counts allocated memory on MPS only")

    def allocated() -> int:
        gc.collect()
        torch.mps.synchronize()
        torch.mps.empty_cache()
        return int(torch.mps.current_allocated_memory())

    def train() -> None:
        tensors = [t.to(context.device) for t in _inputs(context, length=512)]
        _gradients(tensors, torch.ones_like(tensors[0]))

    train()
    before = allocated()
    for _ in range(10):
        train()
    growth = allocated() - before
    if growth > 0:
        raise CheckFailedError(f"{growth} bytes are held after 10 steps of training")
    return Outcome("nothing is held after 10 steps of training")


def stream_steps() -> list[Step]:
    """Returns the steps of this file in their order."""
    return [
        Step("order with torch's operations", ordering),
        Step("gradients on other threads", side_thread),
        Step("many small calls", many_calls),
        Step("memory given back", memory_returned),
    ]
