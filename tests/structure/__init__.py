# SPDX-License-Identifier: MIT
"""Tests of the repository's own checks and documents."""
