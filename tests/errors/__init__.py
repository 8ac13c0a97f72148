# SPDX-License-Identifier: MIT
"""Tests of every refusal: class, text and what it leaves behind."""
