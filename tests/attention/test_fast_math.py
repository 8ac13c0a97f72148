# SPDX-License-Identifier: MIT
"""Runs our kernels in a build with fast math's freedoms, as Metal's default has.

The compiler may then reorder sums, drop a compensation and assume that there is no
infinity and no NaN; what it makes of that on a Mac is its own affair, but none of
the kernels may depend on what fast math gives up.
"""

from __future__ import annotations

import pytest

from flash_attn_mps import simulator
from tools.mutation.evaluation import make_case
from tools.mutation.problems import PROBLEMS, Problem, Run


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
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
