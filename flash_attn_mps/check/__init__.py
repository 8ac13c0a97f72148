# SPDX-License-Identifier: MIT
"""python -m flash_attn_mps check: shows what works on a machine, step by step."""
