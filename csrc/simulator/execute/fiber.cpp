// SPDX-License-Identifier: MIT
// The two fiber back ends. The assembly switch saves the callee-saved registers
// of the System V ABI only; kernels do not change the floating-point control
// words.
#include "simulator/execute/fiber.h"

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace flash_attn_mps::simulator {
namespace {

#if defined(__x86_64__)
constexpr FiberBackEnd kDefaultBackEnd = FiberBackEnd::kAssembly;
#else
constexpr FiberBackEnd kDefaultBackEnd = FiberBackEnd::kUcontext;
#endif

FiberBackEnd selected_back_end = kDefaultBackEnd;

void* prepare_ucontext(void* stack_bottom, void* stack_top, void (*entry)()) {
  auto* top = static_cast<char*>(stack_top);
  constexpr std::size_t kContextBytes = (sizeof(ucontext_t) + 63) / 64 * 64;
  auto* context = new (top - kContextBytes) ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = stack_bottom;
  context->uc_stack.ss_size = static_cast<std::size_t>(
      reinterpret_cast<char*>(context) - static_cast<char*>(stack_bottom));
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}

// The context of a suspended fiber lies on its own stack, and is used only
// while the fiber is suspended here.
void switch_ucontext(void** saved, void* next) {
  ucontext_t context;
  *saved = &context;
  swapcontext(&context, static_cast<ucontext_t*>(next));
  *saved = nullptr;
}

}  // namespace

#if defined(__x86_64__)
extern "C" void flash_attn_mps_switch_stack(void** saved, void* next);
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden flash_attn_mps_switch_stack\n"
    ".globl flash_attn_mps_switch_stack\n"
    ".type flash_attn_mps_switch_stack,@function\n"
    "flash_attn_mps_switch_stack:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size flash_attn_mps_switch_stack,.-flash_attn_mps_switch_stack\n");

namespace {

// A `ret` into `entry` must leave the stack as a call would: 8 below a
// multiple of 16.
void* prepare_assembly(void* stack_top, void (*entry)()) {
  constexpr std::size_t kSavedRegisters = 6;
  auto* frame = static_cast<std::uintptr_t*>(stack_top) - 2 - kSavedRegisters;
  std::memset(frame, 0, (2 + kSavedRegisters) * sizeof *frame);
  frame[kSavedRegisters] = reinterpret_cast<std::uintptr_t>(entry);
  return frame;
}

}  // namespace
#endif

FiberBackEnd fiber_back_end() {
  return selected_back_end;
}

void set_fiber_back_end(FiberBackEnd back_end) {
#if defined(__x86_64__)
  selected_back_end = back_end;
#else
  static_cast<void>(back_end);
#endif
}

void* prepare_fiber(void* stack_bottom, void* stack_top, void (*entry)()) {
#if defined(__x86_64__)
  if (selected_back_end == FiberBackEnd::kAssembly) {
    return prepare_assembly(stack_top, entry);
  }
#endif
  return prepare_ucontext(stack_bottom, stack_top, entry);
}

void switch_fiber(void** saved, void* next) {
#if defined(__x86_64__)
  if (selected_back_end == FiberBackEnd::kAssembly) [[likely]] {
    flash_attn_mps_switch_stack(saved, next);
    return;
  }
#endif
  switch_ucontext(saved, next);
}

}  // namespace flash_attn_mps::simulator
