// SPDX-License-Identifier: MIT
// What a compiled Metal kernel reads and calls while it runs on the simulated
// GPU. Included both by the metal headers (C++ for OpenCL) and by the runtime
// (C++20): plain types only, no library, no behaviour but the lane lookup.
//
// Note [Finding the lane]
// Every stack of a worker lies in one aligned region. The region starts with a
// dense array of lane contexts, so the stack pointer's bits select the context:
// no call, no thread-local variable, and the compiler may keep the result,
// since a fiber never leaves its stack.
//
// Note [Names in scope]
// The other headers of the runtime (barriers.h, simd_collectives.h,
// simdgroup_matrix.h, atomics.h, thread_positions.h) expect the macros device,
// constant, threadgroup and thread and the scalar and vector types of the
// front end to be defined before them. FLASH_ATTN_MPS_CHECKED is 1 in the
// checked build and 0 otherwise.
#pragma once

#ifndef FLASH_ATTN_MPS_CHECKED
#define FLASH_ATTN_MPS_CHECKED 0
#endif

namespace flash_attn_mps::simulator {

inline constexpr unsigned kSimdWidth = 32;
inline constexpr unsigned kMaxThreadsPerThreadgroup = 1024;
inline constexpr unsigned kMaxSimdgroups =
    kMaxThreadsPerThreadgroup / kSimdWidth;
inline constexpr unsigned kBufferSlots = 31;
inline constexpr unsigned kMatrixElements = 64;
inline constexpr unsigned kMatrixQueueLength = 64;
inline constexpr unsigned kExchangeBytes = 16;
inline constexpr unsigned long kStackBytesLog2 = 19;
inline constexpr unsigned long kRegionBytesLog2 = 30;
// The slots below this one hold the contexts and the simdgroups' queues.
inline constexpr unsigned kFirstStackSlot = 32;

struct GridPosition {
  unsigned x;
  unsigned y;
  unsigned z;
};

// One value of each lane, gathered by a rendezvous.
struct alignas(64) Exchange {
  unsigned char deposit[kSimdWidth * kExchangeBytes];
  unsigned char result[kSimdWidth * kExchangeBytes];
  unsigned char reduced[kExchangeBytes];
  unsigned active_lanes;  // bit mask of the lanes that take part
  unsigned is_reduced;    // the first lane to read computes for all
};

// Element types of the destination of a matrix product.
enum MatrixElement : unsigned char {
  kMatrixFloat = 0,
  kMatrixHalf = 1,
  kMatrixBfloat = 2,
};

// Note [Matrix queue]
// A product is not computed when a lane calls it: the lane writes its elements
// of A and B into the dense 8x8 tiles of entry posted[lane] and goes on. All
// posted products are computed when the lanes meet, or when an element of a
// result is read. An accumulator lives in a slot, the index of the entry that
// first wrote it, until the queue is drained; a later product that
// accumulates into the same object names the slot instead of posting C.
// An object is pending while its epoch equals the queue's.
struct alignas(64) MatrixQueue {
  unsigned epoch;
  unsigned drained;  // entries already computed in this epoch
  unsigned short posted[kSimdWidth];
  unsigned char element[kMatrixQueueLength];  // MatrixElement of D
  unsigned char operand[kMatrixQueueLength];  // MatrixElement of A, B (x 4)
  unsigned long site[kMatrixQueueLength];     // call site, checked build
  unsigned char slot[kMatrixQueueLength][kSimdWidth];
  void* destination[kMatrixQueueLength][kSimdWidth];
  alignas(64) float a[kMatrixQueueLength][kMatrixElements];
  alignas(64) float b[kMatrixQueueLength][kMatrixElements];
  alignas(64) float d[kMatrixQueueLength][kMatrixElements];
};

struct SimdgroupContext {
  MatrixQueue matrices;
  Exchange exchange;
};

// What all threads of one threadgroup share.
struct ThreadgroupContext {
  GridPosition threadgroup_position_in_grid;
  GridPosition threadgroups_per_grid;
  GridPosition threads_per_grid;
  GridPosition threads_per_threadgroup;  // smaller in a partial threadgroup
  GridPosition dispatch_threads_per_threadgroup;
  unsigned simdgroups_per_threadgroup;
  unsigned dispatch_simdgroups_per_threadgroup;
};

// The size is an odd number of cache lines: contexts of neighbouring lanes
// must not fall into the same cache set.
struct alignas(64) LaneContext {
  SimdgroupContext* simdgroup;
  ThreadgroupContext* group;
  void* stack_pointer;
  unsigned long site;  // where the lane waits; see CallSite
  GridPosition thread_position_in_grid;
  GridPosition thread_position_in_threadgroup;
  unsigned thread_index_in_threadgroup;
  unsigned simdgroup_index_in_threadgroup;
  unsigned thread_index_in_simdgroup;
  unsigned matrix_offset;  // of the lane's first element in an 8x8 tile
  unsigned wait_kind;      // RendezvousKind
  unsigned wait_flags;
  void* scheduler;  // the runtime's own state of this simdgroup
  unsigned char reserved[88];
};
static_assert(sizeof(LaneContext) == 192, "three cache lines");

// A call is its return address, with the line of the source above bit 48.
using CallSite = unsigned long;
inline constexpr unsigned kCallSiteLineShift = 48;

// Why a lane meets the others. The order is that of the counters.
enum RendezvousKind : unsigned {
  kThreadgroupBarrier = 0,
  kSimdgroupBarrier = 1,
  kReduction = 2,
  kVote = 3,
  kShuffle = 4,
  kMatrixRead = 5,
  kFilling = 6,       // the second exchange of a shuffle, not counted
  kMatrixMemory = 7,  // simdgroup_load and simdgroup_store, checked build
};

inline constexpr unsigned kRendezvousKinds = 8;

// What an atomic operation does to its object.
enum AtomicOperation : unsigned {
  kAtomicLoad = 0,
  kAtomicStore = 1,
  kAtomicUpdate = 2,
};

// Bits of metal::mem_flags as the barrier functions pass them.
enum MemoryFlags : unsigned {
  kMemoryNone = 0,
  kMemoryDevice = 1,
  kMemoryThreadgroup = 2,
  kMemoryTexture = 4,
};

inline __attribute__((always_inline)) LaneContext* lane_of_stack(
    unsigned long stack_pointer) {
  constexpr unsigned long kRegionMask = (1UL << kRegionBytesLog2) - 1;
  const unsigned long slot = (stack_pointer & kRegionMask) >> kStackBytesLog2;
  return reinterpret_cast<LaneContext*>((stack_pointer & ~kRegionMask) +
                                        slot * sizeof(LaneContext));
}

inline __attribute__((always_inline)) LaneContext* current_lane() {
  unsigned long stack_pointer;
#if defined(__x86_64__)
  __asm__("movq %%rsp, %0" : "=r"(stack_pointer));
#elif defined(__aarch64__)
  __asm__("mov %0, sp" : "=r"(stack_pointer));
#else
  stack_pointer = reinterpret_cast<unsigned long>(__builtin_frame_address(0));
#endif
  return lane_of_stack(stack_pointer);
}

}  // namespace flash_attn_mps::simulator

extern "C" {

// The entry that the front end generates into every compiled kernel; run once
// by every thread of the grid.
void flash_attn_mps_kernel_entry();

// Address bound to [[buffer(index)]], index < kBufferSlots. An unbound one has
// an address too, whose use is reported.
void* flash_attn_mps_buffer(unsigned index);

// Address of [[threadgroup(index)]], whose length the dispatch sets.
void* flash_attn_mps_threadgroup_argument(unsigned index);

// Storage of a `threadgroup` variable declared in a kernel: the same address
// for all threads of a threadgroup. `site` numbers the declarations of one
// kernel from 0; `name` is used in reports and must outlive the kernel.
void* flash_attn_mps_threadgroup_variable(unsigned site,
                                          unsigned long bytes,
                                          unsigned long alignment,
                                          const char* name);

// Waits until the lanes of the simdgroup (of the threadgroup, for a
// threadgroup barrier) have arrived at the same call. Posted matrix products
// are computed by then. Must be called from a function that is always inlined
// into the kernel: the return address identifies the call, together with its
// line, since the compiler may merge equal calls of two branches into one.
void flash_attn_mps_rendezvous(unsigned kind,
                               unsigned memory_flags,
                               unsigned line);

// Makes the elements of a pending matrix object readable; the object's epoch
// is the caller's to reset.
void flash_attn_mps_matrix_settle(unsigned slot);

// Called when a lane has posted kMatrixQueueLength products.
void flash_attn_mps_matrix_full();

// Reports that lanes call different matrix products as entry `entry` of the
// queue, and ends the dispatch.
void flash_attn_mps_matrix_mismatch(unsigned entry, unsigned long site);

// Reports (checked build): a shuffle that reads lane `lane`, which takes no
// part; an atomic operation on `bytes` bytes at `address`.
void flash_attn_mps_inactive_lane(unsigned lane);
void flash_attn_mps_atomic_access(void* address,
                                  unsigned bytes,
                                  unsigned operation);
// Ends the dispatch with a `limit` report, for what a header cannot do.
void flash_attn_mps_unsupported(const char* sentence);
}
