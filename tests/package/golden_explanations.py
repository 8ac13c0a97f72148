# SPDX-License-Identifier: MIT
"""The problems whose explanation is kept as a golden text, and how to renew them.

`python -m tests.package.golden_explanations` rewrites the files; a difference has
to be explained in the commit.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from flash_attn_mps.__main__ import main

FOLDER = Path(__file__).parent / "golden"
# File name without suffix, and the arguments of `explain`.
PROBLEMS = {
    "square_float32": ["--shape", "1,4,512,512,64"],
    "grouped_causal_float16": [
        *("--shape", "2,8,130,200,128", "--dtype", "float16"),
        *("--kv-heads", "2", "--causal"),
    ],
    "odd_head_dim_bfloat16": ["--shape", "1,1,1,70,61", "--dtype", "bfloat16"],
    "no_keys": ["--shape", "2,3,5,0,8"],
}


def path_of(name: str) -> Path:
    """File of a golden text."""
    return FOLDER / f"explain_{name}.txt"


def explanation(arguments: list[str]) -> str:
    """What `python -m flash_attn_mps explain` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main(["explain", *arguments])
    if code != 0:
        raise RuntimeError(f"explain {arguments} ended with {code}")
    return printed.getvalue()


def without_source_size(text: str) -> str:
    """The text without the size of the Metal source, which any comment changes."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "characters:" not in line)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for problem, options in PROBLEMS.items():
        path_of(problem).write_text(without_source_size(explanation(options)))
