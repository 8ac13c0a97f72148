// SPDX-License-Identifier: MIT
// The tile candidates and the estimate of registers that chooses among them.
#include "plan/tiling_plan.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace flash_attn_mps {
namespace {

// One way to cut the work: a candidate is taken when it fits the registers.
struct TileCandidate {
  int rows_per_simdgroup;
  int step_rows;
};

// In order of preference. Sixteen rows use every loaded fragment of the
// traversed side twice; long steps rescale accumulators less often. The order
// is assumed, not measured.
constexpr std::array<TileCandidate, 4> kTileCandidates = {{
    {.rows_per_simdgroup = 16, .step_rows = 32},
    {.rows_per_simdgroup = 16, .step_rows = 16},
    {.rows_per_simdgroup = 8, .step_rows = 32},
    {.rows_per_simdgroup = 8, .step_rows = 16},
}};
// attention_delta keeps one sum per row and traverses nothing.
constexpr TileCandidate kDeltaTile = {.rows_per_simdgroup = 8, .step_rows = 0};

constexpr int kSimdgroups = 4;

int padded(int64_t head_dim) {
  return static_cast<int>((head_dim + 7) / 8 * 8);
}

// Columns of all accumulators of a kernel, and how many score-like tiles (S or
// P, dP or dS) are alive together.
struct LiveTiles {
  int accumulator_columns;
  int score_tiles;
};

LiveTiles live_tiles(const AttentionProblem& problem,
                     KernelName kernel,
                     const RequestedGradients& gradients) {
  const int head_columns = padded(problem.head_dim);
  const int value_columns = padded(problem.value_head_dim);
  switch (kernel) {
    case KernelName::kForward:
      return {.accumulator_columns = value_columns, .score_tiles = 1};
    case KernelName::kDelta:
      break;
    case KernelName::kBackwardQuery:
      return {.accumulator_columns = head_columns, .score_tiles = 2};
    case KernelName::kBackwardKeyValue:
      return {.accumulator_columns = (gradients.key ? head_columns : 0) +
                                     (gradients.value ? value_columns : 0),
              .score_tiles = gradients.key ? 2 : 1};
  }
  return {.accumulator_columns = 0, .score_tiles = 0};
}

// kPanel of metal/tile/product.h.
constexpr int kPanelColumns = 32;

// Note [Registers]: a fragment holds 64 floats in 32 lanes, so a tile of R x C
// floats takes R * C / 8 bytes of a lane. Alive together are the accumulators
// and either all score tiles and the partial tile of a product of their shape,
// or one score tile and the partial panel of a product with it; one column of
// operand fragments of each side; and the 64-bit row pointers of a product, one
// for eight rows of its left side and two for eight rows of its right. The rest
// (row statistics, loop state) is assumed, not measured, to take 60 bytes and
// 12 for eight rows.
int register_bytes(const TileCandidate& tile, const LiveTiles& live) {
  const int rows = tile.rows_per_simdgroup;
  const int step = tile.step_rows;
  const int tile_columns =
      live.accumulator_columns +
      std::max((live.score_tiles + 1) * step, step + kPanelColumns);
  const int operand_fragments = rows + step;
  const int row_pointers = rows + 2 * step;
  return rows * tile_columns / 8 + operand_fragments + row_pointers + 60 +
         12 * rows / 8;
}

struct FittingTile {
  TileCandidate tile;
  bool fits;
};

FittingTile largest_fitting_tile(const LiveTiles& live,
                                 int register_budget_bytes) {
  for (const TileCandidate& tile : kTileCandidates) {
    if (register_bytes(tile, live) <= register_budget_bytes) {
      return {.tile = tile, .fits = true};
    }
  }
  return {.tile = kTileCandidates.back(), .fits = false};
}

TileCandidate choose_tile(const AttentionProblem& problem,
                          KernelName kernel,
                          const RequestedGradients& gradients,
                          const DeviceTraits& traits) {
  const int budget = traits.register_budget_bytes;
  if (kernel == KernelName::kDelta) {
    return kDeltaTile;
  }
  if (kernel == KernelName::kBackwardKeyValue) {
    // A single gradient takes the tile of both, so that it comes out of the
    // same operations as in a pass that computes both.
    const LiveTiles both =
        live_tiles(problem, kernel, {.key = true, .value = true});
    const FittingTile shared = largest_fitting_tile(both, budget);
    if (shared.fits) {
      return shared.tile;
    }
  }
  const LiveTiles live = live_tiles(problem, kernel, gradients);
  return largest_fitting_tile(live, budget).tile;
}

}  // namespace

std::string_view kernel_function_name(KernelName kernel) {
  switch (kernel) {
    case KernelName::kForward:
      return "attention_forward";
    case KernelName::kDelta:
      return "attention_delta";
    case KernelName::kBackwardQuery:
      return "attention_backward_query";
    case KernelName::kBackwardKeyValue:
      return "attention_backward_key_value";
  }
  return "unknown";
}

TilingPlan plan_tiling(const AttentionProblem& problem,
                       KernelName kernel,
                       const RequestedGradients& gradients,
                       const DeviceTraits& traits) {
  const LiveTiles live = live_tiles(problem, kernel, gradients);
  const TileCandidate tile = choose_tile(problem, kernel, gradients, traits);
  return {.kernel = kernel,
          .gradients = gradients,
          .rows_per_simdgroup = tile.rows_per_simdgroup,
          .simdgroups = kSimdgroups,
          .step_rows = tile.step_rows,
          .threadgroup_bytes = 0,
          .register_bytes = register_bytes(tile, live)};
}

std::string describe(const RequestedGradients& gradients) {
  std::string text;
  const std::array<std::pair<bool, const char*>, 3> names = {
      {{gradients.query, "query"},
       {gradients.key, "key"},
       {gradients.value, "value"}}};
  for (const auto& [is_requested, name] : names) {
    if (is_requested) {
      text += text.empty() ? "" : ", ";
      text += name;
    }
  }
  return text.empty() ? "none" : text;
}

std::string describe(const TilingPlan& plan) {
  std::ostringstream text;
  text << "kernel: " << kernel_function_name(plan.kernel) << "\n"
       << "gradients: " << describe(plan.gradients) << "\n"
       << "rows_per_simdgroup: " << plan.rows_per_simdgroup << "\n"
       << "simdgroups: " << plan.simdgroups << "\n"
       << "step_rows: " << plan.step_rows << "\n"
       << "threadgroup_bytes: " << plan.threadgroup_bytes << "\n"
       << "register_bytes: " << plan.register_bytes << "\n";
  return text.str();
}

}  // namespace flash_attn_mps
