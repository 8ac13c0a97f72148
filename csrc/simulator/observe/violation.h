// SPDX-License-Identifier: MIT
// What a checker reports: one structure, one readable paragraph. Does not find
// anything itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/metal_headers/runtime_abi.h"

namespace flash_attn_mps::simulator {

enum class ViolationKind {
  kBounds,
  kRace,
  kUninitialised,
  kDivergence,
  kInactiveLane,
  kAlignment,
  kLimit,
  kArithmetic,
};

// "bounds", "race", ...: the names of simulator.Violation.kind.
std::string kind_name(ViolationKind kind);

// A place in the Metal source. `address` is a return address in the compiled
// kernel; the file, and the line unless it is known already, are filled in when
// the report is handed out.
struct SourcePlace {
  std::uintptr_t address = 0;
  std::string file;
  int line = 0;

  bool operator==(const SourcePlace&) const = default;
};

SourcePlace place_of_call(CallSite call);

// One thread of the grid.
struct ThreadPlace {
  GridPosition threadgroup{};
  int simdgroup = -1;  // -1: not one thread's doing
  int lane = -1;
};

struct OtherAccess {
  SourcePlace place;
  ThreadPlace thread;
  std::string what;  // "written", "read"
};

struct Violation {
  ViolationKind kind = ViolationKind::kBounds;
  std::string what;  // one clause, no full stop
  std::string kernel;
  SourcePlace place;
  ThreadPlace thread;
  std::string buffer;     // empty: no memory is concerned
  int buffer_index = -1;  // -1: no buffer, or a threadgroup array
  std::int64_t offset = 0;
  std::optional<OtherAccess> other;

  std::string paragraph() const;
};

}  // namespace flash_attn_mps::simulator
