# SPDX-License-Identifier: MIT
"""Options, environment and fixtures that every Python test shares.

The same suite runs on both devices: `--device cpu` is the simulated GPU on Linux
with every check on, `--device mps` the real one. It holds no reference values.
"""

from __future__ import annotations

import os
import sys
import zlib

# Read when the library is loaded, so set before anything imports the package.
os.environ.setdefault("FLASH_ATTN_MPS_SIMULATOR_CHECKS", "all")
os.environ.setdefault("FLASH_ATTN_MPS_POISON", "1")

import pytest
import torch

DEFAULT_DEVICE = "mps" if sys.platform == "darwin" else "cpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the device and the seed of the random problems."""
    parser.addoption(
        "--device",
        choices=("cpu", "mps"),
        default=DEFAULT_DEVICE,
        help="where the tensors live: cpu is the simulated GPU (Linux only)",
    )
    parser.addoption(
        "--seed",
        type=int,
        default=20_261_129,
        help="base seed; each test adds a number made from its own name",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave the cores to the simulator's workers and to the other processes."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> torch.device:
    """Give the device under test."""
    return torch.device(request.config.getoption("--device"))


@pytest.fixture
def simulated(device: torch.device) -> bool:
    """Whether the kernels run on the simulated GPU."""
    return device.type == "cpu"


@pytest.fixture
def fast_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the kernels of one test without checks: for inputs too large for them."""
    monkeypatch.setenv("FLASH_ATTN_MPS_SIMULATOR_CHECKS", "none")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Give the test's own seed; printed, so a failure's report shows it."""
    name = zlib.crc32(request.node.nodeid.encode())
    value = (request.config.getoption("--seed") + name) % 2**31
    print(f"seed {value} (base --seed={request.config.getoption('--seed')})")
    return value


@pytest.fixture
def generator(seed: int) -> torch.Generator:
    """Give a CPU generator, so both devices see the same numbers."""
    return torch.Generator().manual_seed(seed)
