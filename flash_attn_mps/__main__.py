# SPDX-License-Identifier: MIT
"""python -m flash_attn_mps: the commands, their arguments and their exit codes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from flash_attn_mps import check_metal, explain
from flash_attn_mps.check import command as check

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m flash_attn_mps",
        description="Attention kernels for Apple GPUs: what runs here, and how.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_info(commands)
    _add_explain(commands)
    _add_check(commands)
    _add_check_metal(commands)
    options = parser.parse_args(arguments)
    return int(options.run(options))


def _add_info(commands: Commands) -> None:
    parser = commands.add_parser("info", help="versions, device and toolchain")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_info)


def _run_info(options: argparse.Namespace) -> int:
    _print_section(explain.information(), as_json=options.json)
    return 0


def _add_explain(commands: Commands) -> None:
    parser = commands.add_parser(
        "explain", help="every value from a problem to its dispatch"
    )
    parser.add_argument(
        "--shape",
        required=True,
        type=_shape,
        metavar="B,H,Sq,Sk,D",
        help="batch, query heads, query length, key length, head dimension",
    )
    parser.add_argument(
        "--dtype", default="float32", help="float32, float16 or bfloat16"
    )
    parser.add_argument(
        "--kv-heads", type=int, metavar="N", help="heads of key and value"
    )
    parser.add_argument("--causal", action="store_true", help="hide later keys")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_explain)


def _add_check(commands: Commands) -> None:
    parser = commands.add_parser(
        "check", help="what works on this machine, step by step"
    )
    check.add_arguments(parser)
    parser.set_defaults(run=check.run)


def _add_check_metal(commands: Commands) -> None:
    parser = commands.add_parser(
        "check-metal", help="what Apple's compiler would refuse in Metal files"
    )
    check_metal.add_arguments(parser)
    parser.set_defaults(run=check_metal.run)


def _shape(text: str) -> tuple[int, int, int, int, int]:
    """Reads "B,H,Sq,Sk,D"; argparse turns the error into a usage message."""
    try:
        batch, heads, query_length, key_length, head_dim = map(int, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be five whole numbers B,H,Sq,Sk,D; got {text!r}"
        ) from None
    return batch, heads, query_length, key_length, head_dim


def _run_explain(options: argparse.Namespace) -> int:
    try:
        section = explain.explanation(
            options.shape,
            dtype=options.dtype,
            key_value_heads=options.kv_heads,
            is_causal=options.causal,
        )
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    _print_section(section, as_json=options.json)
    return 0


def _print_section(section: explain.Section, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(section, indent=2))
    else:
        print("\n".join(explain.lines(section)))


if __name__ == "__main__":
    sys.exit(main())
