# SPDX-License-Identifier: MIT
"""Inputs that broke other attention implementations, one fault a file."""
