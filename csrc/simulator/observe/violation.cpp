// SPDX-License-Identifier: MIT
// The words of a report.
#include "simulator/observe/violation.h"

#include <sstream>

namespace flash_attn_mps::simulator {
namespace {

std::string describe(const SourcePlace& place) {
  if (place.file.empty()) {
    return "an unknown line";
  }
  return place.file + ":" + std::to_string(place.line);
}

std::string describe(const ThreadPlace& thread) {
  std::ostringstream text;
  text << "threadgroup (" << thread.threadgroup.x << ", "
       << thread.threadgroup.y << ", " << thread.threadgroup.z << ")";
  if (thread.simdgroup >= 0) {
    text << ", simdgroup " << thread.simdgroup;
  }
  if (thread.lane >= 0) {
    text << ", lane " << thread.lane;
  }
  return text.str();
}

}  // namespace

std::string kind_name(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::kBounds:
      return "bounds";
    case ViolationKind::kRace:
      return "race";
    case ViolationKind::kUninitialised:
      return "uninitialised";
    case ViolationKind::kDivergence:
      return "divergence";
    case ViolationKind::kInactiveLane:
      return "inactive-lane";
    case ViolationKind::kAlignment:
      return "alignment";
    case ViolationKind::kLimit:
      return "limit";
    case ViolationKind::kArithmetic:
      return "arithmetic";
  }
  return "unknown";
}

SourcePlace place_of_call(CallSite call) {
  constexpr CallSite kAddressMask = (CallSite{1} << kCallSiteLineShift) - 1;
  return {.address = call & kAddressMask,
          .file = {},
          .line = static_cast<int>(call >> kCallSiteLineShift)};
}

std::string Violation::paragraph() const {
  std::ostringstream text;
  text << kind_name(kind) << " violation in kernel " << kernel << " at "
       << describe(place) << ": " << what;
  if (!buffer.empty()) {
    text << " (" << buffer << ", byte offset " << offset << ")";
  }
  text << ", by " << describe(thread);
  if (other.has_value()) {
    text << "; " << other->what << " at " << describe(other->place) << " by "
         << describe(other->thread);
  }
  text << ".";
  return text.str();
}

}  // namespace flash_attn_mps::simulator
