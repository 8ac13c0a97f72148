// SPDX-License-Identifier: MIT
// Both back ends of fibers: two stacks that take turns, with registers and
// local variables kept across switches.
#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

#include "simulator/execute/fiber.h"

namespace {

using flash_attn_mps::simulator::fiber_back_end;
using flash_attn_mps::simulator::FiberBackEnd;
using flash_attn_mps::simulator::prepare_fiber;
using flash_attn_mps::simulator::set_fiber_back_end;
using flash_attn_mps::simulator::switch_fiber;

constexpr std::size_t kStackBytes = 65536;

struct Turns {
  void* main_fiber = nullptr;
  std::array<void*, 2> fibers{};
  std::string trace;
};

Turns turns;

template <int kNumber>
void take_turns() {
  double local = kNumber;
  for (int turn = 0; turn < 3; ++turn) {
    turns.trace += static_cast<char>('a' + kNumber);
    turns.trace += static_cast<char>('0' + static_cast<int>(local) - kNumber);
    local += 1.0;
    switch_fiber(&turns.fibers[kNumber], turns.main_fiber);
  }
  turns.trace += "!";
  switch_fiber(&turns.fibers[kNumber], turns.main_fiber);
}

std::string trace_of(FiberBackEnd back_end) {
  alignas(64) static std::array<std::array<char, kStackBytes>, 2> stacks;
  const FiberBackEnd usual = fiber_back_end();
  set_fiber_back_end(back_end);
  turns = Turns{};
  turns.fibers[0] = prepare_fiber(
      stacks[0].data(), stacks[0].data() + kStackBytes, take_turns<0>);
  turns.fibers[1] = prepare_fiber(
      stacks[1].data(), stacks[1].data() + kStackBytes, take_turns<1>);
  for (int turn = 0; turn < 4; ++turn) {
    switch_fiber(&turns.main_fiber, turns.fibers[0]);
    switch_fiber(&turns.main_fiber, turns.fibers[1]);
  }
  set_fiber_back_end(usual);
  return turns.trace;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fibers_of_the_usual_back_end_keep_their_locals) {
  BOOST_TEST(trace_of(fiber_back_end()) == "a0b0a1b1a2b2!!");
}

BOOST_AUTO_TEST_CASE(fibers_of_ucontext_keep_their_locals) {
  BOOST_TEST(trace_of(FiberBackEnd::kUcontext) == "a0b0a1b1a2b2!!");
}
