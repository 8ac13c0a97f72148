# SPDX-License-Identifier: MIT
"""Tests of the package as a process sees it: import, command line, caches."""
