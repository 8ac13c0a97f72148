# SPDX-License-Identifier: MIT
"""What the tests of this folder share."""

from __future__ import annotations

import pytest


@pytest.fixture
def simulator_only(simulated: bool) -> None:
    """Leaves a test out on a Mac, whose GPU no fault can be injected into."""
    if not simulated:
        pytest.skip("injects faults into the simulated GPU")
