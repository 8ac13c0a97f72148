// SPDX-License-Identifier: MIT
// The simulated device's command block and encoder over plain memory: the
// order in which calls are allowed, bindings, dispatches. The file that
// defines torch's C shim translates tensors to and from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/execute/dispatch.h"
#include "simulator/execute/loaded_kernel.h"

namespace flash_attn_mps::simulator {

// A call that the real device refuses; the message is one sentence.
class EncoderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A kernel together with what is bound to it in the current command block.
class KernelFunction {
 public:
  explicit KernelFunction(std::shared_ptr<const LoadedKernel> kernel);

  void start_encoding();
  void bind_memory(unsigned index, void* address, std::size_t bytes);
  // The bytes are copied now, as the real device does.
  void bind_bytes(unsigned index, const void* data, std::size_t bytes);
  // Runs at once; throws EncoderError with the reports' paragraphs.
  void dispatch(const GridPosition& threads, const GridPosition& group);
  unsigned max_threads() const;

 private:
  void check_can_bind(unsigned index) const;
  void check_is_encoding(const char* call) const;

  std::shared_ptr<const LoadedKernel> kernel_;
  DispatchRequest request_;
  std::array<std::vector<std::byte>, kBufferSlots> bytes_;
};

// The calling thread's command block. Blocks of different threads run one
// after another, as on a stream's serial queue.
class CommandBlock {
 public:
  CommandBlock();
  ~CommandBlock();
  CommandBlock(const CommandBlock&) = delete;
  CommandBlock& operator=(const CommandBlock&) = delete;
};

// Throws unless the calling thread is outside of any command block.
void check_outside_command_block(const char* call);

// Memory that the next command block of this thread must write before it
// reads it. Ignored unless checks are on.
void announce_uninitialised(const void* data, std::size_t bytes);

// Takes back what this thread announced since its last command block.
void forget_announcements();

// FLASH_ATTN_MPS_SIMULATOR_CHECKS: all or none. Throws on another value.
bool checks_are_on();

}  // namespace flash_attn_mps::simulator
