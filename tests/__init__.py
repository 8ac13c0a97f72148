# SPDX-License-Identifier: MIT
"""Tests of the package and of its tools."""
