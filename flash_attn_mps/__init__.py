# SPDX-License-Identifier: MIT
"""Attention that trains on Apple GPUs with O(N) memory; public names only."""

from flash_attn_mps.attention import scaled_dot_product_attention
from flash_attn_mps.operators import PipelineCacheInfo, pipeline_cache_info

__version__ = "0.1.0"

__all__ = [
    "PipelineCacheInfo",
    "__version__",
    "pipeline_cache_info",
    "scaled_dot_product_attention",
]
