# SPDX-License-Identifier: MIT
"""Builds and audits the macOS wheel on Linux."""
