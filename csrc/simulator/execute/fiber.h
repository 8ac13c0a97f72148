// SPDX-License-Identifier: MIT
// Cooperative fibers: prepare a stack, switch between two of them. Knows
// nothing of lanes or scheduling.
#pragma once

namespace flash_attn_mps::simulator {

enum class FiberBackEnd {
  kAssembly,  // x86-64 only
  kUcontext,  // everywhere; a system call per switch
};

// The back end that new fibers and switches use. A test sets the slow one; it
// must not change while a dispatch runs.
FiberBackEnd fiber_back_end();
void set_fiber_back_end(FiberBackEnd back_end);

// Makes a suspended fiber that will call `entry`, which must never return.
// `stack_top` is a multiple of 16; returns what switch_fiber takes as `next`.
void* prepare_fiber(void* stack_bottom, void* stack_top, void (*entry)());

// Stores the running fiber in *saved and continues `next`.
void switch_fiber(void** saved, void* next);

}  // namespace flash_attn_mps::simulator
