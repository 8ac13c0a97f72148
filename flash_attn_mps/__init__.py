# SPDX-License-Identifier: MIT
"""Attention that trains on Apple GPUs with O(N) memory; public names only."""

__version__ = "0.1.0"
