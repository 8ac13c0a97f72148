# SPDX-License-Identifier: MIT
"""Trains a small GPT twice: through this package's kernels and torch's own."""
