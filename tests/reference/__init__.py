# SPDX-License-Identifier: MIT
"""Tests of the reference, the baseline and the error rule."""
