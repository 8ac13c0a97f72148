# SPDX-License-Identifier: MIT
"""A GPT in plain torch whose attention function is an argument.

The attention function is the only thing in which the two trainings differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# query, key, value [batch, heads, length, head_dim] -> output, causal.
AttentionFunction = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class GptSize:
    """The sizes of a model; head_dim is width / heads."""

    alphabet: int
    context: int = 64
    layers: int = 2
    heads: int = 4
    width: int = 128


class SelfAttention(nn.Module):
    """Causal attention of a sequence to itself, in several heads."""

    def __init__(self, size: GptSize, attention: AttentionFunction) -> None:
        super().__init__()
        self.heads = size.heads
        self.attention = attention
        # No bias: softmax does not see a key's bias, so its true gradient is zero
        # and AdamW would turn the rounding error of that zero into whole steps.
        self.query_key_value = nn.Linear(size.width, 3 * size.width, bias=False)
        self.projection = nn.Linear(size.width, size.width, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """[batch, length, width] to the same."""
        batch, length, width = tokens.shape
        heads = self.query_key_value(tokens).view(batch, length, 3, self.heads, -1)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        output = self.attention(query, key, value)
        joined: Tensor = self.projection(
            output.transpose(1, 2).reshape(batch, length, width)
        )
        return joined


class Block(nn.Module):
    """Attention, then a perceptron, each added to its normalised input."""

    def __init__(self, size: GptSize, attention: AttentionFunction) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(size.width)
        self.attention = SelfAttention(size, attention)
        self.perceptron_norm = nn.LayerNorm(size.width)
        self.perceptron = nn.Sequential(
            nn.Linear(size.width, 4 * size.width),
            nn.GELU(),
            nn.Linear(4 * size.width, size.width),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """[batch, length, width] to the same."""
        tokens = tokens + self.attention(self.attention_norm(tokens))
        added: Tensor = tokens + self.perceptron(self.perceptron_norm(tokens))
        return added


class Gpt(nn.Module):
    """Characters in, scores of the next character out."""

    def __init__(self, size: GptSize, attention: AttentionFunction) -> None:
        super().__init__()
        self.size = size
        self.token_embedding = nn.Embedding(size.alphabet, size.width)
        self.position_embedding = nn.Embedding(size.context, size.width)
        self.blocks = nn.Sequential(
            *(Block(size, attention) for _ in range(size.layers))
        )
        self.norm = nn.LayerNorm(size.width)
        self.scores = nn.Linear(size.width, size.alphabet, bias=False)

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all weights on the CPU, so that every device begins the same."""
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                # 0.06 learned fastest of 0.02 to 0.08 at this size.
                nn.init.normal_(module.weight, std=0.06, generator=generator)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, characters: Tensor) -> Tensor:
        """[batch, length] numbers to [batch, length, alphabet] scores."""
        places = torch.arange(characters.shape[1], device=characters.device)
        tokens = self.token_embedding(characters) + self.position_embedding(places)
        scores: Tensor = self.scores(self.norm(self.blocks(tokens)))
        return scores

    def loss(self, characters: Tensor, following: Tensor) -> Tensor:
        """Mean cross entropy of the characters that really follow."""
        scores = self(characters)
        return F.cross_entropy(scores.flatten(0, 1), following.flatten())

    @torch.no_grad()
    def continued(
        self, characters: Tensor, count: int, generator: torch.Generator
    ) -> Tensor:
        """Draws `count` more characters after [length] given ones."""
        for _ in range(count):
            seen = characters[-self.size.context :].unsqueeze(0)
            probabilities = self(seen)[0, -1].softmax(dim=-1)
            drawn = torch.multinomial(probabilities.cpu(), 1, generator=generator)
            characters = torch.cat([characters, drawn.to(characters.device)])
        return characters
