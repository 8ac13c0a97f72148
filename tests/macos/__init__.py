# SPDX-License-Identifier: MIT
"""Tests of the macOS build, its lists and its audit; they run on Linux."""
