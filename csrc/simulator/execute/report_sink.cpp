// SPDX-License-Identifier: MIT
// Thread-safe collection of reports.
#include "simulator/execute/report_sink.h"

#include <utility>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::size_t kMaxReports = 256;

}  // namespace

bool ReportSink::insert(const Violation& report, bool is_note) {
  const Key key{report.kind, report.place.address, report.place.line, is_note};
  return seen_.size() < kMaxReports && seen_.insert(key).second;
}

void ReportSink::add_violation(Violation violation) {
  const std::lock_guard lock(mutex_);
  if (insert(violation, /*is_note=*/false)) {
    violations_.push_back(std::move(violation));
  }
}

void ReportSink::add_note(Violation note) {
  const std::lock_guard lock(mutex_);
  if (insert(note, /*is_note=*/true)) {
    notes_.push_back(std::move(note));
  }
}

bool ReportSink::is_new(ViolationKind kind,
                        std::uintptr_t address,
                        bool is_note) const {
  const std::lock_guard lock(mutex_);
  return seen_.size() < kMaxReports &&
         !seen_.contains(Key{kind, address, 0, is_note});
}

}  // namespace flash_attn_mps::simulator
