// SPDX-License-Identifier: MIT
// Collects the reports of all workers of one dispatch: the first of each kind
// at each place, up to a limit. Decides nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "simulator/observe/violation.h"

namespace flash_attn_mps::simulator {

class ReportSink {
 public:
  void add_violation(Violation violation);
  void add_note(Violation note);
  // False once the place has been reported: lets a checker save the work of
  // composing a report that would be dropped.
  bool is_new(ViolationKind kind, std::uintptr_t address, bool is_note) const;

  // Asks all workers to stop before their next threadgroup.
  void stop() { is_stopped_.store(true, std::memory_order_relaxed); }
  bool is_stopped() const {
    return is_stopped_.load(std::memory_order_relaxed);
  }

  std::vector<Violation> take_violations() { return std::move(violations_); }
  std::vector<Violation> take_notes() { return std::move(notes_); }

 private:
  using Key = std::tuple<ViolationKind, std::uintptr_t, int, bool>;
  bool insert(const Violation& report, bool is_note);

  mutable std::mutex mutex_;
  std::set<Key> seen_;
  std::vector<Violation> violations_;
  std::vector<Violation> notes_;
  std::atomic<bool> is_stopped_{false};
};

}  // namespace flash_attn_mps::simulator
