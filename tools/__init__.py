# SPDX-License-Identifier: MIT
"""Commands of the repository that are not part of the package."""
