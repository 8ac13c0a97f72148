# SPDX-License-Identifier: MIT
"""Checks what no compiler checks: include edges, sizes, names, headers, text.

Prints "file:line: sentence" for each finding and returns 1 if there is one;
with --json it prints the measured sizes instead, for the generated tables.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

from tools.function_lengths import Function, functions_of
from tools.include_edges import check_include_edges
from tools.source_files import ROOT, repository_files
from tools.structure_finding import Finding

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_KERNEL_LINES = 80
MAX_MEDIAN_LINES = 10

SOURCE_SUFFIXES = (".cpp", ".h", ".metal", ".S", ".py", ".mk")
SOURCE_NAMES = ("Makefile", "run")
BINARY_SUFFIXES = (".png",)
# Folders whose functions make up the product; the median is theirs.
PRODUCT_FOLDERS = ("csrc", "metal", "flash_attn_mps")

FORBIDDEN_STEM = re.compile(r"(?:^|_)(?:utils?|helpers?|common|misc|impl|base)(?:_|$)")
FORBIDDEN_TEXT = (
    (re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b"), "a note to oneself"),
    (re.compile(r"(?<![\w.])/(?:work/|tmp/|root/|opt/[v]env)"), "one machine's path"),
    (re.compile(r"\b[Ii]ssue #?[0-9]"), "a number that only a tracker knows"),
    (re.compile(r"\bdesign/[\w-]+\.md\b"), "a document that is not here"),
)
MARKDOWN_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def is_source(file: Path) -> bool:
    """Whether a file is program text, as opposed to prose or data."""
    return file.suffix in SOURCE_SUFFIXES or file.name in SOURCE_NAMES


def check_name(file: Path) -> list[Finding]:
    """A file is named by the noun that it holds."""
    if FORBIDDEN_STEM.search(file.stem):
        return [Finding(file, 1, f"the name {file.name!r} says nothing of its content")]
    return []


def check_text(file: Path, text: str) -> list[Finding]:
    """Plain ASCII, nothing that only one machine or one person understands."""
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.isascii():
            findings.append(Finding(file, number, "a character is not ASCII"))
        for pattern, what in FORBIDDEN_TEXT:
            if pattern.search(line):
                findings.append(Finding(file, number, f"the text holds {what}"))
        if line != line.rstrip() and file.parts[0] != "demo":
            findings.append(Finding(file, number, "the line ends in white space"))
    return findings


def check_header(file: Path, text: str) -> list[Finding]:
    """The licence in one line, then what the file is responsible for."""
    lines = [line for line in text.splitlines() if not line.startswith("#!")][:2]
    if not lines or "SPDX-License-Identifier: MIT" not in lines[0]:
        return [Finding(file, 1, "the first line must be the SPDX licence line")]
    says_something = len(lines) > 1 and re.match(r'(//|#|"""|r""")', lines[1])
    if not says_something:
        sentence = "the second line must begin to say what the file is responsible for"
        return [Finding(file, 2, sentence)]
    return []


def check_file_length(file: Path, text: str) -> list[Finding]:
    """No program text over the limit; a long file holds more than one noun."""
    lines = text.count("\n")
    if lines <= MAX_FILE_LINES:
        return []
    return [Finding(file, lines, f"{lines} lines; at most {MAX_FILE_LINES}")]


def check_links(root: Path, file: Path, text: str) -> list[Finding]:
    """A relative link of a document must reach a file of the repository."""
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        for target in MARKDOWN_LINK.findall(line):
            if "://" in target or target.startswith("mailto:"):
                continue
            place = (root / file.parent / target).resolve()
            if not (place.exists() and place.is_relative_to(root.resolve())):
                findings.append(Finding(file, number, f"the link {target} is dead"))
    return findings


def check_metal_knows_no_simulator(file: Path, text: str) -> list[Finding]:
    """The kernels do not know that a simulator exists."""
    if file.parts[0] != "metal" or file.suffix == ".md":
        return []
    return [
        Finding(file, number, "metal/ must not mention the simulator")
        for number, line in enumerate(text.splitlines(), 1)
        if "simulator" in line.lower()
    ]


def check_one_file(root: Path, file: Path) -> list[Finding]:
    """All rules that look at one file alone."""
    findings = check_name(file)
    if file.suffix in BINARY_SUFFIXES:
        return findings
    text = (root / file).read_text(encoding="utf-8")
    findings += check_text(file, text) + check_metal_knows_no_simulator(file, text)
    if is_source(file):
        findings += check_header(file, text) + check_file_length(file, text)
    if file.suffix == ".md":
        findings += check_links(root, file, text)
    return findings


def check_functions(functions: list[Function]) -> list[Finding]:
    """Each function within its limit."""
    findings = []
    for function in functions:
        limit = MAX_KERNEL_LINES if function.is_kernel else MAX_FUNCTION_LINES
        if function.lines > limit:
            sentence = f"{function.name} has {function.lines} lines; at most {limit}"
            findings.append(Finding(function.file, function.line, sentence))
    return findings


def check_median(functions: list[Function]) -> list[Finding]:
    """The product's functions are short, not only below the limit."""
    lengths = [f.lines for f in functions if f.file.parts[0] in PRODUCT_FOLDERS]
    median = statistics.median(lengths) if lengths else 0
    if median <= MAX_MEDIAN_LINES:
        return []
    sentence = f"the median function has {median} lines; at most {MAX_MEDIAN_LINES}"
    return [Finding(Path("."), 1, sentence)]


def all_functions(root: Path, files: list[Path]) -> list[Function]:
    """Every function of the repository."""
    return [function for file in files for function in functions_of(root, file)]


def check_repository(root: Path, files: list[Path]) -> list[Finding]:
    """Every rule over every file."""
    functions = all_functions(root, files)
    findings = check_include_edges(root, files)
    findings += check_functions(functions) + check_median(functions)
    for file in files:
        findings += check_one_file(root, file)
    return findings


def measured_sizes(root: Path, files: list[Path]) -> dict[str, float]:
    """The figures that the generated tables show."""
    functions = all_functions(root, files)
    product = [f.lines for f in functions if f.file.parts[0] in PRODUCT_FOLDERS]
    kernels = [f.lines for f in functions if f.is_kernel and f.file.parts[0] == "metal"]
    lines = [(root / f).read_text("utf-8").count("\n") for f in files if is_source(f)]
    return {
        "functions": len(product),
        "median_function_lines": statistics.median(product),
        "longest_function_lines": max(f.lines for f in functions if not f.is_kernel),
        "longest_kernel_lines": max(kernels, default=0),
        "longest_file_lines": max(lines),
    }


def main() -> int:
    """Prints findings or sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print measured sizes")
    arguments = parser.parse_args()
    files = repository_files(ROOT)
    if arguments.json:
        print(json.dumps(measured_sizes(ROOT, files), indent=1))
        return 0
    findings = check_repository(ROOT, files)
    for finding in findings:
        print(finding)
    print(f"structure: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
