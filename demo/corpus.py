# SPDX-License-Identifier: MIT
"""The text that the demo learns: characters to numbers, and random batches.

It knows nothing of the model. Where the text comes from is in README.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

TEXT_FOLDER = Path(__file__).parent / "text"


@dataclass(frozen=True)
class Corpus:
    """A text as character numbers, with the alphabet that numbers them."""

    alphabet: str
    characters: Tensor  # [length], int64, on the CPU

    @classmethod
    def load(cls, folder: Path = TEXT_FOLDER) -> Corpus:
        """Reads every text of a folder, in the order of their names."""
        files = sorted(folder.glob("*.txt"))
        text = "\n".join(file.read_text(encoding="ascii") for file in files)
        alphabet = "".join(sorted(set(text)))
        return cls(alphabet, cls.numbers_of(text, alphabet))

    @staticmethod
    def numbers_of(text: str, alphabet: str) -> Tensor:
        """The place of every character in the alphabet."""
        places = {character: place for place, character in enumerate(alphabet)}
        return torch.tensor([places[character] for character in text])

    def encode(self, text: str) -> Tensor:
        """Text to numbers; every character must be in the alphabet."""
        return self.numbers_of(text, self.alphabet)

    def decode(self, numbers: Tensor) -> str:
        """Numbers back to text."""
        return "".join(self.alphabet[number] for number in numbers.tolist())

    def batch(
        self, batch_size: int, context: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Random excerpts and, for each place in them, the character that follows.

        Both are [batch_size, context]; the generator is the CPU's, so that every
        device trains on the same batches.
        """
        last_start = len(self.characters) - context
        starts = torch.randint(last_start, (batch_size, 1), generator=generator)
        excerpts = self.characters[starts + torch.arange(context + 1)]
        return excerpts[:, :-1], excerpts[:, 1:]
