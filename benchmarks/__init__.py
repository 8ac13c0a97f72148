# SPDX-License-Identifier: MIT
"""Measures the figures that the documents show; no number is typed there."""
