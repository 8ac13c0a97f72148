# SPDX-License-Identifier: MIT
"""Mutation test of the Metal kernels: changed texts must be caught by a problem."""
