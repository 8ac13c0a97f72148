# SPDX-License-Identifier: MIT
"""Tests of the demo's own judgement; the training itself is `make demo`."""
