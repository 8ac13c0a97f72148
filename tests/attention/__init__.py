# SPDX-License-Identifier: MIT
"""Tests of what the attention operators compute and return."""
