// SPDX-License-Identifier: MIT
// The state machine behind the C shim.
#include "simulator/execute/command_encoder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <mutex>
#include <string_view>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

struct UninitialisedMemory {
  const char* data;
  std::vector<std::uint8_t> initialised;
};

// Of one thread. A list, because bindings point to its elements.
struct BlockState {
  bool is_open = false;
  const KernelFunction* encoding = nullptr;
  std::list<UninitialisedMemory> uninitialised;
};

thread_local BlockState block_state;

std::mutex& stream_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

// Announced memory counts for the binding that covers it exactly or a part of
// it from its start on.
std::uint8_t* shadow_of(const void* address, std::size_t bytes) {
  for (UninitialisedMemory& memory : block_state.uninitialised) {
    if (memory.data == address && bytes <= memory.initialised.size()) {
      return memory.initialised.data();
    }
  }
  return nullptr;
}

std::string paragraphs(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    text += (text.empty() ? "" : "\n") + violation.paragraph();
  }
  return text;
}

void check_full_groups(const GridPosition& threads, const GridPosition& group) {
  const bool is_empty = group.x == 0 || group.y == 0 || group.z == 0;
  if (is_empty || threads.x % group.x != 0 || threads.y % group.y != 0 ||
      threads.z % group.z != 0) {
    throw EncoderError(
        "dispatch: the number of threads must be a full multiple of the "
        "threadgroup size in every dimension; got threads (" +
        std::to_string(threads.x) + ", " + std::to_string(threads.y) + ", " +
        std::to_string(threads.z) + ") and group (" + std::to_string(group.x) +
        ", " + std::to_string(group.y) + ", " + std::to_string(group.z) + ")");
  }
}

}  // namespace

KernelFunction::KernelFunction(std::shared_ptr<const LoadedKernel> kernel)
    : kernel_(std::move(kernel)) {
  request_.kernel = kernel_.get();
}

void KernelFunction::start_encoding() {
  if (!block_state.is_open) {
    throw EncoderError(
        "start_encoding: must be called inside a command block; got a call "
        "outside");
  }
  block_state.encoding = this;
  request_.buffers.fill(std::nullopt);
}

void KernelFunction::check_is_encoding(const char* call) const {
  if (block_state.encoding != this) {
    throw EncoderError(std::string(call) +
                       ": start_encoding of the same kernel must come first, "
                       "inside the command block");
  }
}

void KernelFunction::check_can_bind(unsigned index) const {
  check_is_encoding("set_arg");
  if (index >= kBufferSlots) {
    throw EncoderError("set_arg: the buffer index must be at most " +
                       std::to_string(kBufferSlots - 1) + "; got " +
                       std::to_string(index));
  }
}

void KernelFunction::bind_memory(unsigned index,
                                 void* address,
                                 std::size_t bytes) {
  check_can_bind(index);
  request_.buffers[index] =
      BufferBinding{.address = address,
                    .bytes = bytes,
                    .is_writable = true,
                    .initialised = shadow_of(address, bytes)};
}

void KernelFunction::bind_bytes(unsigned index,
                                const void* data,
                                std::size_t bytes) {
  check_can_bind(index);
  if (data == nullptr || bytes == 0 || bytes > kMaxSetBytes) {
    throw EncoderError("set_arg_bytes: 1 to " + std::to_string(kMaxSetBytes) +
                       " bytes must be given; got " + std::to_string(bytes));
  }
  bytes_[index].resize(bytes);
  std::memcpy(bytes_[index].data(), data, bytes);
  request_.buffers[index] = BufferBinding{.address = bytes_[index].data(),
                                          .bytes = bytes,
                                          .is_writable = false,
                                          .is_set_bytes = true,
                                          .initialised = nullptr};
}

unsigned KernelFunction::max_threads() const {
  const int limit = kernel_->declaration().max_total_threads;
  return limit > 0 ? static_cast<unsigned>(limit) : kMaxThreadsPerThreadgroup;
}

void KernelFunction::dispatch(const GridPosition& threads,
                              const GridPosition& group) {
  check_is_encoding("dispatch");
  check_full_groups(threads, group);
  request_.threads = threads;
  request_.group = group;
  const DispatchReport report = run_dispatch(request_);
  if (!report.violations.empty()) {
    throw EncoderError(paragraphs(report.violations));
  }
}

CommandBlock::CommandBlock() {
  check_outside_command_block("run_command_block");
  stream_mutex().lock();
  block_state.is_open = true;
  block_state.encoding = nullptr;
}

CommandBlock::~CommandBlock() {
  block_state.is_open = false;
  block_state.encoding = nullptr;
  block_state.uninitialised.clear();
  stream_mutex().unlock();
}

void check_outside_command_block(const char* call) {
  if (block_state.is_open) {
    throw EncoderError(std::string(call) +
                       ": must not be called inside a command block, whose "
                       "queue it would wait for");
  }
}

void announce_uninitialised(const void* data, std::size_t bytes) {
  if (data != nullptr && bytes > 0 && checks_are_on()) {
    block_state.uninitialised.push_back(
        {static_cast<const char*>(data), std::vector<std::uint8_t>(bytes, 0)});
  }
}

void forget_announcements() {
  block_state.uninitialised.clear();
}

bool checks_are_on() {
  const char* value = std::getenv("FLASH_ATTN_MPS_SIMULATOR_CHECKS");
  const std::string_view text = value == nullptr ? "none" : value;
  if (text != "all" && text != "none") {
    throw EncoderError(
        "FLASH_ATTN_MPS_SIMULATOR_CHECKS must be all or none; got " +
        std::string(text));
  }
  return text == "all";
}

}  // namespace flash_attn_mps::simulator
