# SPDX-License-Identifier: MIT
"""Runs our kernels in a build with fast math's freedoms, as Metal's default has.

The compiler may then reorder sums, drop a compensation and assume that there is no
infinity and no NaN; what it makes of that on a Mac is its own affair, but no result
may depend on what fast math gives up by more than the rounding of ordinary sums.
"""

from __future__ import annotations

import pytest

from flash_attn_mps import simulator
from tools.mutation.evaluation import make_case
from tools.mutation.problems import PROBLEMS, Problem, Run

# Their error is that of a compensation, or of a constant in two parts: with fast
# math both may be gone, and docs/numerics.md promises nothing then.
COMPENSATED = (
    "float32_exact_log_sum_exp",
    "float32_cancelling_sums",
    "float32_cancelling_products",
)
ORDINARY = [problem for problem in PROBLEMS if problem.name not in COMPENSATED]


def test_problems_that_need_compensation_are_known() -> None:
    assert len(ORDINARY) == len(PROBLEMS) - len(COMPENSATED)


@pytest.mark.parametrize("problem", ORDINARY, ids=lambda problem: problem.name)
def test_kernels_are_right_with_fast_math(problem: Problem) -> None:
    case = make_case(problem)
    assert case.kernels
    for kernel in case.kernels:
        run = Run(problem, case.answers, kernel.name)
        library = simulator.Library(kernel.text, checks="none", fast_math=True)
        library.kernel(kernel.name).dispatch(
            threads=(kernel.threads, 1, 1),
            group=(kernel.group, 1, 1),
            buffers=run.arguments(),
        )
        assert run.fault() is None, kernel.name
