# SPDX-License-Identifier: MIT
"""Strides of results: those that torch.empty_like gives, eager and fake alike.

The output is laid out as the query (with the value's head dimension), each gradient
as its input, after the copy that a last stride other than 1 costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.calls import call_backward, call_forward, run_autograd
from tests.oracle import GRADIENTS, Problem, Result, assert_matches_reference
from tests.problems import Shape, random_problem, scatter_in_memory

SHAPE = Shape(2, 4, 9, 11, 24, value_head_dim=40, key_heads=2)
NAMES = ("query", "key", "value")

Layout = Callable[[torch.Tensor], torch.Tensor]


def _in_order(*order: int) -> Layout:
    """Memory order of the four dimensions, outermost first."""
    inverse = [order.index(axis) for axis in range(4)]
    return lambda tensor: tensor.permute(order).contiguous().permute(inverse)


def _with_gap(tensor: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(tensor, (0, 5))[..., :-5]


LAYOUTS: dict[str, Layout] = {
    "contiguous": torch.Tensor.contiguous,
    "heads inside rows": _in_order(0, 2, 1, 3),
    "batch inside heads": _in_order(1, 0, 2, 3),
    "rows outermost": _in_order(2, 0, 1, 3),
    "rows innermost": _in_order(0, 1, 3, 2),
    "gap behind rows": _with_gap,
    "expanded batch": lambda tensor: tensor[:1].expand_as(tensor),
    "expanded heads": lambda tensor: tensor[:, :1].expand_as(tensor),
    "expanded rows": lambda tensor: tensor[:, :, :1].expand_as(tensor),
    "expanded columns": lambda tensor: tensor[..., :1].expand_as(tensor),
    "every second column": lambda tensor: tensor.repeat_interleave(2, -1)[..., ::2],
    "odd offset": lambda tensor: torch.cat([tensor.new_zeros(1), tensor.flatten()])[
        1:
    ].view(tensor.shape),
}


def _laid_out(problem: Problem, layout: Layout) -> Problem:
    return replace(problem, **{name: layout(getattr(problem, name)) for name in NAMES})


def _significant(tensor: torch.Tensor) -> list[int | None]:
    """Strides that matter: that of a dimension of size 1 is never used.

    torch's own empty_like gives other ones on "meta" than on a device.
    """
    return [
        stride if size > 1 else None
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    ]


def _on_meta(problem: Problem) -> Problem:
    """Tensors without data of exactly the same strides."""
    tensors = {
        name: torch.empty_strided(
            tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta"
        )
        for name in (*NAMES, "grad_output")
        if (tensor := getattr(problem, name)) is not None
    }
    return replace(problem, **tensors)


def _strides_of_result(tensor: torch.Tensor) -> tuple[int, ...]:
    """Strides of empty_like of what the kernels read: a copy unless rows are dense.

    Where empty_like itself leaves no dense rows (it sorts overlapping rows by
    size), the result is row-major.
    """
    readable = tensor if tensor.stride(-1) == 1 else tensor.contiguous()
    like = torch.empty_like(readable)
    return like.stride() if like.stride(-1) == 1 else like.contiguous().stride()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_gradients_have_the_strides_of_empty_like(
    layout: Layout, device: torch.device, generator: torch.Generator
) -> None:
    """Right values too, whatever the layout of the inputs and of grad_output."""
    plain = random_problem(SHAPE, torch.float32, device, generator)
    problem = _laid_out(plain, layout)
    problem = replace(problem, grad_output=layout(plain.grad_output))
    result = run_autograd(problem)
    assert_matches_reference(problem, result)
    for name in NAMES:
        expected = _strides_of_result(getattr(problem, name))
        assert getattr(result, f"grad_{name}").stride() == expected, name


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_output_has_the_strides_of_the_query(
    layout: Layout, device: torch.device, generator: torch.Generator
) -> None:
    """Head dimension 40 in the value, 24 in the query; last stride 1, dense."""
    problem = _laid_out(random_problem(SHAPE, torch.float32, device, generator), layout)
    output, log_sum_exp = call_forward(problem)
    assert output.stride(-1) == 1
    assert output.untyped_storage().nbytes() == output.numel() * 4
    assert log_sum_exp.is_contiguous()
    assert log_sum_exp.dtype == torch.float32
    assert log_sum_exp.shape == problem.query.shape[:-1]
    same = replace(problem, value=layout(problem.value[..., :24].contiguous()))
    output, _ = call_forward(same)
    assert output.stride() == _strides_of_result(problem.query)


@pytest.mark.parametrize("mode", ["meta", "fake"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_fake_results_have_the_real_shapes_and_strides(
    layout: Layout, mode: str, device: torch.device, generator: torch.Generator
) -> None:
    """On "meta" and as fake tensors: shape, stride and type of all five results."""
    problem = _laid_out(random_problem(SHAPE, torch.float16, device, generator), layout)
    real = call_forward(problem)
    real += call_backward(problem, *real)
    if mode == "meta":
        fake_problem = _on_meta(problem)
        fake = call_forward(fake_problem)
        fake += call_backward(fake_problem, *fake)
    else:
        with FakeTensorMode() as fake_mode:
            converted = {
                name: fake_mode.from_tensor(getattr(problem, name))
                for name in (*NAMES, "grad_output")
            }
            fake_problem = replace(problem, **converted)
            fake = call_forward(fake_problem)
            fake += call_backward(fake_problem, *fake)
    for ours, faked in zip(real, fake, strict=True):
        assert (ours.shape, ours.dtype) == (faked.shape, faked.dtype)
        assert _significant(ours) == _significant(faked)


def test_output_strides_survive_random_layouts(
    device: torch.device, generator: torch.Generator
) -> None:
    """Fifty random layouts: eager, fake and empty_like agree on the gradients."""
    for _ in range(50):
        plain = random_problem(Shape(2, 2, 3, 4, 8), torch.float32, device, generator)
        problem, _ = scatter_in_memory(plain, generator)
        result = run_autograd(problem)
        expected = _strides_of_result(problem.query)
        assert result.output.stride() == expected
        for name in GRADIENTS:
            source = getattr(problem, name.removeprefix("grad_"))
            strides = _strides_of_result(source)
            assert getattr(result, name).stride() == strides


def _random_view(
    size: tuple[int, ...], device: torch.device, generator: torch.Generator
) -> torch.Tensor:
    """Permuted memory order, some leading dimensions expanded, sometimes a gap."""

    def draw(limit: int) -> int:
        return int(torch.randint(limit, (), generator=generator))

    rank = len(size)
    is_expanded = [draw(5) == 0 and axis < rank - 2 for axis in range(rank)]
    stored = [
        1 if expanded else n for n, expanded in zip(size, is_expanded, strict=True)
    ]
    stored[-1] += draw(2)
    order = [*torch.randperm(rank - 1, generator=generator).tolist(), rank - 1]
    if draw(6) == 0:
        order = torch.randperm(rank, generator=generator).tolist()
    inverse = [order.index(axis) for axis in range(rank)]
    values = torch.randn([stored[axis] for axis in order], generator=generator)
    return values.to(device).permute(inverse)[..., : size[-1]].expand(size)


@pytest.mark.parametrize("rank", [2, 3, 4, 5, 6])
def test_fake_strides_are_the_real_ones_for_random_layouts(
    rank: int, device: torch.device, generator: torch.Generator
) -> None:
    """Forty random sets of inputs a rank, sizes of 1 and strides of 0 among them."""
    for _ in range(40):
        leading = tuple(torch.randint(1, 3, (rank - 2,), generator=generator).tolist())
        sizes = [(*leading, 3, 24), (*leading, 4, 24), (*leading, 4, 40)]
        views = [_random_view(size, device, generator) for size in sizes]
        grad_output = _random_view((*leading, 3, 40), device, generator)
        problem = Problem(*views, grad_output)
        real = call_forward(problem)
        real += call_backward(problem, *real)
        fake_problem = _on_meta(problem)
        fake = call_forward(fake_problem)
        fake += call_backward(fake_problem, *fake)
        given = [(view.shape, view.stride()) for view in views]
        assert list(map(_significant, real)) == list(map(_significant, fake)), given
        assert_matches_reference(problem, Result(*real), str(given))
