# SPDX-License-Identifier: MIT
# The public names, for type checkers; their types are in the modules.
from flash_attn_mps.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from flash_attn_mps.operators import PipelineCacheInfo as PipelineCacheInfo
from flash_attn_mps.operators import pipeline_cache_info as pipeline_cache_info

__version__: str

__all__ = [
    "PipelineCacheInfo",
    "__version__",
    "pipeline_cache_info",
    "scaled_dot_product_attention",
]
