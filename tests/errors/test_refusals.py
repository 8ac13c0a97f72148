# SPDX-License-Identifier: MIT
"""Every refusal: its exact class and its exact text, from every way to call.

The public function, the fake implementation (tensors on "meta") and the operator
called directly must say the same; nothing may be allocated before a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import flash_attn_mps

PREFIX = "flash_attn_mps::forward: "
ROW = (1, 2, 3, 8)
HALF = torch.float16


@dataclass(frozen=True)
class Refused:
    """A call that must be refused: shapes, types and options, class and sentences.

    `direct` says whether the operators, which take neither mask nor dropout and do
    not broadcast, can be called with these arguments too.
    """

    error: type[Exception]
    sentences: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] = (ROW, ROW, ROW)
    dtypes: tuple[torch.dtype, ...] = (torch.float32,) * 3
    options: dict[str, object] = field(default_factory=dict)
    mask: tuple[int, ...] | None = None
    direct: bool = True

    @property
    def text(self) -> str:
        """The whole message: one sentence a line."""
        return "\n".join(PREFIX + sentence for sentence in self.sentences)

    def tensors(self, device: str | torch.device) -> list[torch.Tensor]:
        """Query, key and value."""
        return [
            torch.zeros(shape, dtype=dtype, device=device)
            for shape, dtype in zip(self.shapes, self.dtypes, strict=True)
        ]

    def arguments(self, device: str | torch.device) -> dict[str, object]:
        """The keyword arguments of the public function."""
        options = dict(self.options)
        if self.mask is not None:
            options["attn_mask"] = torch.zeros(self.mask, device=device)
        return options


RANK = "query, key and value must have rank >= 2, [..., length, head_dim]; got "
ONE_DTYPE = "query, key and value must have the same dtype; got "
KNOWN_DTYPE = (
    "the dtype of query, key and value must be float32, float16 or bfloat16; got "
)
TO_ONE_DTYPE = " Convert them to one dtype with tensor.to()."
TO_FLOAT = " Convert them, for example with tensor.float()."
BROADCAST = (
    "the dimensions in front of [length, head_dim] of query, key and value must "
    "broadcast; got shapes "
)
GROUPED_BROADCAST = (
    "the dimensions in front of [heads, length, head_dim] of query, key and value "
    "must broadcast; got shapes "
)
MULTIPLE = (
    "the number of query heads must be a multiple of the number of key and value "
    "heads; got "
)
HEAD_DIM = "the head dimension of query and key must be in [1, 256]; got "
VALUE_DIM = "the head dimension of value must be in [0, 256]; got "
NO_MASK = (
    "attn_mask must be None, explicit masks are not supported yet; got attn_mask of "
    "shape [3, 3]. For a causal mask pass is_causal=True."
)
MASK_AND_CAUSAL = (
    "Explicit attn_mask should not be set when is_causal=True; got attn_mask of "
    "shape [3, 3] with is_causal=True. Pass one of them."
)
DROPOUT = "dropout_p must be 0, dropout is not supported yet; got "

CASES = {
    "rank one": Refused(
        RuntimeError, (RANK + "ranks 1, 2 and 3.",), ((8,), (3, 8), (2, 3, 8))
    ),
    "rank zero": Refused(RuntimeError, (RANK + "ranks 4, 4 and 0.",), (ROW, ROW, ())),
    "value in another type": Refused(
        RuntimeError,
        (ONE_DTYPE + "float32, float32 and float16." + TO_ONE_DTYPE,),
        dtypes=(torch.float32, torch.float32, HALF),
    ),
    "query in another type": Refused(
        RuntimeError,
        (ONE_DTYPE + "bfloat16, float16 and float16." + TO_ONE_DTYPE,),
        dtypes=(torch.bfloat16, HALF, HALF),
    ),
    "float64": Refused(
        NotImplementedError,
        (KNOWN_DTYPE + "float64." + TO_FLOAT,),
        dtypes=(torch.float64,) * 3,
    ),
    "int32": Refused(
        NotImplementedError,
        (KNOWN_DTYPE + "int32." + TO_FLOAT,),
        dtypes=(torch.int32,) * 3,
    ),
    "float64 beside float32": Refused(
        RuntimeError,
        (
            ONE_DTYPE + "float32, float64 and float32." + TO_ONE_DTYPE,
            KNOWN_DTYPE + "float64." + TO_FLOAT,
        ),
        dtypes=(torch.float32, torch.float64, torch.float32),
    ),
    "heads without grouping": Refused(
        RuntimeError,
        (
            BROADCAST + "[1, 4, 3, 8], [1, 2, 3, 8] and [1, 2, 3, 8]."
            " Pass enable_gqa=True for grouped heads.",
        ),
        ((1, 4, 3, 8), ROW, ROW),
    ),
    "batches that do not broadcast": Refused(
        RuntimeError,
        (BROADCAST + "[2, 2, 3, 8], [3, 2, 3, 8] and [3, 2, 3, 8].",),
        ((2, 2, 3, 8), (3, 2, 3, 8), (3, 2, 3, 8)),
    ),
    "heads that do not divide": Refused(
        RuntimeError,
        (MULTIPLE + "5 query heads and 2 key and value heads.",),
        ((1, 5, 3, 8), ROW, ROW),
        options={"enable_gqa": True},
    ),
    "fewer query heads than key heads": Refused(
        RuntimeError,
        (MULTIPLE + "2 query heads and 4 key and value heads.",),
        (ROW, (1, 4, 3, 8), (1, 4, 3, 8)),
        options={"enable_gqa": True},
    ),
    "no key heads": Refused(
        RuntimeError,
        (MULTIPLE + "2 query heads and 0 key and value heads.",),
        (ROW, (1, 0, 3, 8), (1, 0, 3, 8)),
        options={"enable_gqa": True},
    ),
    "grouped key and value heads differ": Refused(
        RuntimeError,
        (
            "key and value must have the same number of heads with enable_gqa; "
            "got 2 and 1.",
        ),
        ((1, 4, 3, 8), ROW, (1, 1, 3, 8)),
        options={"enable_gqa": True},
    ),
    "grouped heads of rank two": Refused(
        RuntimeError,
        (
            "with enable_gqa query, key and value must have rank >= 3, "
            "[..., heads, length, head_dim]; got shapes [3, 8], [3, 8] and [3, 8].",
        ),
        ((3, 8),) * 3,
        options={"enable_gqa": True},
    ),
    "grouped batches that do not broadcast": Refused(
        RuntimeError,
        (GROUPED_BROADCAST + "[2, 4, 3, 8], [3, 2, 3, 8] and [3, 2, 3, 8].",),
        ((2, 4, 3, 8), (3, 2, 3, 8), (3, 2, 3, 8)),
        options={"enable_gqa": True},
    ),
    "key and value lengths": Refused(
        RuntimeError,
        ("key and value must have the same length; got 5 and 6.",),
        ((1, 1, 3, 8), (1, 1, 5, 8), (1, 1, 6, 8)),
    ),
    "query and key head dims": Refused(
        RuntimeError,
        ("query and key must have the same head dimension; got 8 and 16.",),
        (ROW, (1, 2, 3, 16), ROW),
    ),
    "head dim too large": Refused(
        NotImplementedError,
        (HEAD_DIM + "257.",),
        ((1, 1, 3, 257), (1, 1, 3, 257), (1, 1, 3, 8)),
    ),
    "head dim zero": Refused(
        NotImplementedError,
        (HEAD_DIM + "0.",),
        ((1, 1, 3, 0), (1, 1, 3, 0), (1, 1, 3, 8)),
    ),
    "value head dim too large": Refused(
        NotImplementedError,
        (VALUE_DIM + "512.",),
        ((1, 1, 3, 8), (1, 1, 3, 8), (1, 1, 3, 512)),
    ),
    "mask": Refused(NotImplementedError, (NO_MASK,), mask=(3, 3), direct=False),
    "mask and causal": Refused(
        RuntimeError,
        (MASK_AND_CAUSAL, NO_MASK),
        options={"is_causal": True},
        mask=(3, 3),
        direct=False,
    ),
    "dropout": Refused(
        NotImplementedError,
        (DROPOUT + "0.5.",),
        options={"dropout_p": 0.5},
        direct=False,
    ),
    "dropout of one": Refused(
        NotImplementedError,
        (DROPOUT + "1.",),
        options={"dropout_p": 1.0},
        direct=False,
    ),
    "dropout out of range": Refused(
        RuntimeError,
        ("dropout_p must be in [0, 1]; got -0.5.",),
        options={"dropout_p": -0.5},
        direct=False,
    ),
    "only features that are missing": Refused(
        NotImplementedError,
        (KNOWN_DTYPE + "float64." + TO_FLOAT, DROPOUT + "0.1.", HEAD_DIM + "300."),
        ((1, 1, 3, 300), (1, 1, 3, 300), (1, 1, 3, 8)),
        dtypes=(torch.float64,) * 3,
        options={"dropout_p": 0.1},
        direct=False,
    ),
    "everything at once": Refused(
        RuntimeError,
        (
            ONE_DTYPE + "float16, float32 and float64." + TO_ONE_DTYPE,
            KNOWN_DTYPE + "float64." + TO_FLOAT,
            MASK_AND_CAUSAL,
            NO_MASK,
            DROPOUT + "0.25.",
            BROADCAST + "[2, 2, 3, 8], [3, 2, 5, 16] and [3, 2, 6, 300].",
            "key and value must have the same length; got 5 and 6.",
            "query and key must have the same head dimension; got 8 and 16.",
            VALUE_DIM + "300.",
        ),
        ((2, 2, 3, 8), (3, 2, 5, 16), (3, 2, 6, 300)),
        dtypes=(HALF, torch.float32, torch.float64),
        options={"is_causal": True, "dropout_p": 0.25},
        mask=(3, 3),
        direct=False,
    ),
}
DIRECT = {name: case for name, case in CASES.items() if case.direct}


def refused(
    case: Refused, device: str | torch.device, **arguments: object
) -> Exception:
    """The exception of the public function."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared
        flash_attn_mps.scaled_dot_product_attention(
            *case.tensors(device), **(case.arguments(device) | arguments)
        )
    return caught.value


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_refusal_of_the_public_function_has_exact_class_and_text(
    case: Refused, device: torch.device
) -> None:
    """Class is compared exactly: NotImplementedError is a RuntimeError too."""
    error = refused(case, device)
    assert str(error) == case.text
    assert type(error) is case.error


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_refusal_of_the_fake_is_that_of_the_public_function(case: Refused) -> None:
    """On "meta" the same call is refused in the same words."""
    error = refused(case, "meta")
    assert str(error) == case.text
    assert type(error) is case.error


@pytest.mark.parametrize("case", DIRECT.values(), ids=DIRECT.keys())
def test_refusal_of_the_operator_is_a_runtime_error_with_the_same_text(
    case: Refused, device: torch.device
) -> None:
    """The operator called directly cannot raise another class than RuntimeError."""
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.forward(
            *case.tensors(device),
            bool(case.options.get("is_causal", False)),
            None,
            bool(case.options.get("enable_gqa", False)),
        )
    assert str(caught.value) == case.text
    assert type(caught.value) is RuntimeError


@pytest.mark.parametrize("case", DIRECT.values(), ids=DIRECT.keys())
def test_refusal_of_the_operators_fake_has_exact_class_and_text(
    case: Refused,
) -> None:
    """The operator's fake raises in Python, so it can raise the exact class."""
    with pytest.raises(case.error) as caught:
        torch.ops.flash_attn_mps.forward(
            *case.tensors("meta"),
            bool(case.options.get("is_causal", False)),
            None,
            bool(case.options.get("enable_gqa", False)),
        )
    assert str(caught.value) == case.text
    assert type(caught.value) is case.error


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_refusal_allocates_nothing(case: Refused, device: torch.device) -> None:
    """No allocation of the device's memory lies between call and refusal."""
    tensors = case.tensors(device)
    arguments = case.arguments(device)
    with (
        profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record,
        pytest.raises((RuntimeError, NotImplementedError)),
    ):
        flash_attn_mps.scaled_dot_product_attention(*tensors, **arguments)
    allocated = [
        event.self_cpu_memory_usage
        for event in record.events()
        if event.self_cpu_memory_usage > 0
    ]
    assert allocated == []


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("given", [None, 3.0, [[1.0]], "query"], ids=repr)
def test_no_tensor_is_a_type_error(
    position: int, given: object, device: torch.device
) -> None:
    """The message lists the types of all three."""
    arguments: list[object] = [torch.zeros(ROW, device=device) for _ in range(3)]
    arguments[position] = given
    kinds = [type(argument).__name__ for argument in arguments]
    with pytest.raises(TypeError) as caught:
        flash_attn_mps.scaled_dot_product_attention(*arguments)
    assert str(caught.value) == (
        f"{PREFIX}query, key and value must be tensors; got {kinds[0]}, {kinds[1]} "
        f"and {kinds[2]}."
    )


def test_mask_that_is_no_tensor_is_a_type_error(device: torch.device) -> None:
    """A mask given as a list is refused as no tensor, not ignored."""
    query = torch.zeros(ROW, device=device)
    with pytest.raises(TypeError) as caught:
        flash_attn_mps.scaled_dot_product_attention(query, query, query, [[True]])
    assert str(caught.value) == f"{PREFIX}attn_mask must be a tensor or None; got list."


def test_scale_that_is_no_number_is_a_type_error(device: torch.device) -> None:
    tensor = torch.zeros(1, 1, 2, 8, device=device)
    with pytest.raises(TypeError) as caught:
        flash_attn_mps.scaled_dot_product_attention(
            tensor,
            tensor,
            tensor,
            scale="half",  # type: ignore[arg-type]
        )
    assert str(caught.value) == f"{PREFIX}scale must be a number or None; got str."


def test_length_that_32_bits_do_not_count_is_refused(device: torch.device) -> None:
    """2^32 keys, which an expanded tensor has at no cost, were taken for none."""
    query = torch.zeros(1, 1, device=device)
    key = query.expand(2**32, 1)
    with pytest.raises(NotImplementedError) as caught:
        flash_attn_mps.scaled_dot_product_attention(query, key, key)
    assert str(caught.value) == (
        f"{PREFIX}the lengths of query, key and value must be in [0, 2147483647]; "
        "got 4294967296."
    )


def test_mixed_devices_are_refused_in_words(device: torch.device) -> None:
    """A tensor on "meta" among tensors with data: RuntimeError, never a crash."""
    here = torch.zeros(ROW, device=device)
    meta = torch.zeros(ROW, device="meta")
    name = str(torch.zeros(1, device=device).device)
    text = (
        f"{PREFIX}query, key and value must be on one device; got {name} and meta. "
        "Move them to one device with tensor.to()."
    )
    expected = text.replace(f"{name} and meta", f"{name}, meta and {name}")
    for call in (
        flash_attn_mps.scaled_dot_product_attention,
        lambda *tensors: torch.ops.flash_attn_mps.forward(*tensors, False, None, False),
    ):
        with pytest.raises(RuntimeError) as caught:
            call(here, meta, here)
        assert type(caught.value) is RuntimeError
        assert str(caught.value) == expected


def test_backward_operator_refuses_inconsistent_tensors(device: torch.device) -> None:
    """A gradient, an output or a log-sum-exp that does not fit is named."""
    query = torch.zeros(1, 2, 3, 8, device=device)
    value = torch.zeros(1, 2, 3, 16, device=device)
    where = str(query.device)
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.backward(
            query,
            query,
            query,
            value,
            value.half(),
            query[..., 0].double(),
            False,
            None,
            False,
            [True, True, True],
        )
    prefix = "flash_attn_mps::backward: "
    required = f"must be [1, 2, 3, 16] float32 on {where}, as query and value ask for"
    statistics = f"must be [1, 2, 3] float32 on {where}, as query and value ask for"
    assert str(caught.value) == "\n".join(
        (
            f"{prefix}grad_output {required}; got [1, 2, 3, 8] float32 on {where}.",
            f"{prefix}output {required}; got [1, 2, 3, 16] float16 on {where}.",
            f"{prefix}log_sum_exp {statistics}; got [1, 2, 3] float64 on {where}.",
        )
    )


def test_operator_refuses_to_broadcast(device: torch.device) -> None:
    """Broadcasting is the public function's work; the operator says so."""
    query = torch.zeros(2, 2, 3, 8, device=device)
    key = torch.zeros(1, 2, 3, 8, device=device)
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.forward(query, key, key, False, None, False)
    assert str(caught.value) == (
        f"{PREFIX}the dimensions in front of [length, head_dim] of query, key and "
        "value must be equal; got shapes [2, 2, 3, 8], [1, 2, 3, 8] and "
        "[1, 2, 3, 8]. flash_attn_mps.scaled_dot_product_attention broadcasts."
    )


@pytest.mark.parametrize("is_fake", [False, True], ids=["operator", "fake"])
def test_output_mask_of_another_length_is_refused(
    is_fake: bool, device: torch.device
) -> None:
    """The backward operator wants one flag a gradient; its fake says the same."""
    query = torch.zeros(ROW, device="meta" if is_fake else device)
    with pytest.raises(RuntimeError) as caught:
        torch.ops.flash_attn_mps.backward(
            *[query] * 5, query[..., 0].contiguous(), False, None, False, [True, False]
        )
    assert str(caught.value) == (
        "flash_attn_mps::backward: output_mask must have 3 entries, for query, key "
        "and value; got 2."
    )
