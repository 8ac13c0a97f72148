# SPDX-License-Identifier: MIT
"""Prints file and line of the Metal text for addresses in a compiled kernel.

A program, run by the simulator for its reports: arguments are the kernel's library
and addresses in it; one line "<line> <file>" is printed for each address. Inlined
calls are followed outwards to the first that is not in one of the simulator's own
headers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from elftools.dwarf.ranges import BaseAddressEntry, RangeEntry
from elftools.elf.elffile import ELFFile

# The simulator keeps its headers in <cache>/headers-<hash>/host.
SIMULATOR_FOLDER = re.compile(r"/headers-[0-9a-f]+/")


def die_ranges(die: Any, dwarf: Any, unit_base: int) -> Iterator[tuple[int, int]]:
    """Address ranges [first, end) of an entry of the debug information."""
    attributes = die.attributes
    if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        first = attributes["DW_AT_low_pc"].value
        high = attributes["DW_AT_high_pc"]
        is_offset = high.form != "DW_FORM_addr"
        yield first, first + high.value if is_offset else high.value
    elif "DW_AT_ranges" in attributes:
        base = unit_base
        lists = dwarf.range_lists()
        offset = attributes["DW_AT_ranges"].value
        for entry in lists.get_range_list_at_offset(offset, die.cu):
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
            elif isinstance(entry, RangeEntry):
                shift = 0 if entry.is_absolute else base
                yield shift + entry.begin_offset, shift + entry.end_offset


def file_names(dwarf: Any, unit: Any) -> dict[int, str]:
    """Path of each file number of a unit's line table."""
    program = dwarf.line_program_for_CU(unit)
    header = program.header
    names = {}
    first = 0 if header.version >= 5 else 1
    for number, entry in enumerate(header.file_entry, start=first):
        name = entry.name.decode()
        if entry.dir_index and not PurePosixPath(name).is_absolute():
            directories = header.include_directory
            index = entry.dir_index - (0 if header.version >= 5 else 1)
            folder = directories[index].decode()
            name = str(PurePosixPath(folder) / name)
        names[number] = name
    return names


def line_rows(dwarf: Any, unit: Any) -> list[tuple[int, int, int]]:
    """The rows (address, file number, line) of a unit's line table, in order."""
    entries = dwarf.line_program_for_CU(unit).get_entries()
    rows = [
        (e.state.address, e.state.file, 0 if e.state.end_sequence else e.state.line)
        for e in entries
        if e.state is not None
    ]
    return sorted(rows, key=lambda row: row[0])


def innermost_place(
    rows: list[tuple[int, int, int]], address: int
) -> tuple[int, int] | None:
    """File number and line of the instruction at an address.

    Line 0 is the compiler's for code it has moved: of the two places before it,
    the one further down the text stands in, since the other is often the head of
    the loop.
    """
    before = [(file, line) for first, file, line in rows if first <= address]
    if not before or before[-1][1]:
        return before[-1] if before else None
    known = [place for place in before if place[1]]
    return max(known[-2:], key=lambda place: place[1], default=None)


def inlined_calls(unit: Any, dwarf: Any, address: int) -> list[tuple[int, int]]:
    """File number and line of each inlined call around an address, inner first."""
    top = unit.get_top_DIE()
    base = (
        top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
    )
    calls: list[tuple[int, int]] = []
    pending = [top]
    while pending:
        die = pending.pop()
        for child in die.iter_children():
            ranges = list(die_ranges(child, dwarf, base))
            if ranges and not any(a <= address < b for a, b in ranges):
                continue
            if child.tag == "DW_TAG_inlined_subroutine" and ranges:
                file = child.attributes["DW_AT_call_file"].value
                line = child.attributes["DW_AT_call_line"].value
                calls.insert(0, (file, line))
            if child.has_children:
                pending.append(child)
    return calls


def is_of_simulator(path: str) -> bool:
    """Whether a file is one of the simulator's own headers."""
    return SIMULATOR_FOLDER.search(path) is not None


def find_place(dwarf: Any, address: int) -> tuple[str, int]:
    """File and line of the Metal text for one address; ("", 0) if unknown."""
    for unit in dwarf.iter_CUs():
        place = innermost_place(line_rows(dwarf, unit), address)
        if place is None:
            continue
        names = file_names(dwarf, unit)
        for file, line in [place, *inlined_calls(unit, dwarf, address)]:
            path = names.get(file, "")
            if path and line and not is_of_simulator(path):
                return path, line
    return "", 0


def main() -> None:
    """Reads the arguments and prints one line for each address."""
    with open(sys.argv[1], "rb") as library:
        dwarf = ELFFile(library).get_dwarf_info()
        for word in sys.argv[2:]:
            file, line = find_place(dwarf, int(word))
            print(line, file)


if __name__ == "__main__":
    main()
