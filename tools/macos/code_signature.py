# SPDX-License-Identifier: MIT
"""Reads the code signature of a Mach-O library and checks its page hashes.

Layout: <kern/cs_blobs.h>; every number is a big-endian word. A signature whose
hashes do not match ends the process that loads the library on Apple silicon.
Certificates are not looked at: the package is signed ad hoc.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

SUPER_BLOB_MAGIC = 0xFADE0CC0
CODE_DIRECTORY_MAGIC = 0xFADE0C02
ADHOC_FLAG = 0x2
SHA256_HASH_TYPE = 2


@dataclass(frozen=True)
class CodeDirectory:
    """The part of a signature that holds the hashes."""

    flags: int
    code_limit: int
    page_bytes: int
    hash_type: int
    page_hashes: tuple[bytes, ...]

    @property
    def is_adhoc(self) -> bool:
        """Says whether the signature needs no certificate."""
        return bool(self.flags & ADHOC_FLAG)


def _word(blob: bytes, offset: int) -> int:
    return int.from_bytes(blob[offset : offset + 4], "big")


def read_code_directory(blob: bytes) -> CodeDirectory | None:
    """Returns the first code directory of a signature, if it holds one."""
    if _word(blob, 0) != SUPER_BLOB_MAGIC:
        return None
    for index in range(_word(blob, 8)):
        offset = _word(blob, 16 + 8 * index)
        if _word(blob, offset) == CODE_DIRECTORY_MAGIC:
            return _parse_code_directory(blob[offset:])
    return None


def _parse_code_directory(blob: bytes) -> CodeDirectory:
    hash_offset, hash_bytes = _word(blob, 16), blob[36]
    page_hashes = tuple(
        blob[hash_offset + hash_bytes * page :][:hash_bytes]
        for page in range(_word(blob, 28))
    )
    return CodeDirectory(
        flags=_word(blob, 12),
        code_limit=_word(blob, 32),
        page_bytes=1 << blob[39],
        hash_type=blob[37],
        page_hashes=page_hashes,
    )


def pages_match(directory: CodeDirectory, content: bytes) -> bool:
    """Says whether the hashes are those of the file's content."""
    if directory.hash_type != SHA256_HASH_TYPE:
        return False
    starts = range(0, directory.code_limit, directory.page_bytes)
    computed = []
    for start in starts:
        end = min(start + directory.page_bytes, directory.code_limit)
        computed.append(hashlib.sha256(content[start:end]).digest())
    return tuple(computed) == directory.page_hashes
