# SPDX-License-Identifier: MIT
"""Tests of the command check, of its probes and of the fallback to torch."""
