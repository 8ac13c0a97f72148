// SPDX-License-Identifier: MIT
// metal::atomic<T> and the functions on it, for device and threadgroup memory.
// Threadgroups run on several cores, so device atomics are real ones.
#pragma once

#include "barriers.h"
#include "runtime_abi.h"
#include "type_traits.h"

// OpenCL predefines these names with another meaning.
#define atomic_int metal_host_atomic_int
#define atomic_uint metal_host_atomic_uint
#define atomic_float metal_host_atomic_float
#define atomic_long metal_host_atomic_long
#define atomic_ulong metal_host_atomic_ulong

namespace metal {

enum memory_order : int {
  memory_order_relaxed = 0,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5,
};

enum thread_scope {
  thread_scope_thread = 0,
  thread_scope_simdgroup = 1,
  thread_scope_threadgroup = 2,
  thread_scope_device = 3,
  thread_scope_system = 4,
};

template <typename T>
struct atomic {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 1,
                "an atomic holds a bool, int, uint, float, long or ulong");
  T value;
};

// The name behind `atomic` in Apple's header, which some texts use.
template <typename T>
using _atomic = atomic<T>;

using atomic_int = atomic<int>;
using atomic_uint = atomic<uint>;
using atomic_bool = atomic<bool>;
using atomic_float = atomic<float>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<ulong>;

// A fence orders what one thread does; on fibers that run in turn that holds.
METAL_HOST_INLINE void atomic_thread_fence(mem_flags,
                                           memory_order,
                                           thread_scope = thread_scope_device) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace atomic_operation {

template <typename T>
METAL_HOST_INLINE void announce(
    const volatile T* address,
    flash_attn_mps::simulator::AtomicOperation operation) {
#if FLASH_ATTN_MPS_CHECKED
  flash_attn_mps_atomic_access(
      const_cast<void*>(reinterpret_cast<const volatile void*>(address)),
      sizeof(T),
      operation);
#else
  (void)address;
  (void)operation;
#endif
}

// The integer that carries the bits of T.
template <typename T>
using carrier = conditional_t<sizeof(T) == 8,
                              ulong,
                              conditional_t<sizeof(T) == 4, uint, uchar>>;

template <typename T>
METAL_HOST_INLINE volatile carrier<T>* bits_of(const volatile T* address) {
  return const_cast<volatile carrier<T>*>(
      reinterpret_cast<const volatile carrier<T>*>(address));
}

// Replaces the value by update(value) in one step; returns the old one.
template <typename T, typename Update>
METAL_HOST_INLINE T fetch_update(volatile T* address, Update update) {
  announce(address, flash_attn_mps::simulator::kAtomicUpdate);
  volatile carrier<T>* bits = bits_of(address);
  carrier<T> old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  carrier<T> wanted;
  do {
    wanted = __builtin_bit_cast(
        carrier<T>, static_cast<T>(update(__builtin_bit_cast(T, old))));
  } while (!__atomic_compare_exchange_n(
      bits, &old, wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return __builtin_bit_cast(T, old);
}

template <typename T>
METAL_HOST_INLINE bool compare_exchange(volatile T* address,
                                        T* expected,
                                        T desired) {
  announce(address, flash_attn_mps::simulator::kAtomicUpdate);
  carrier<T> old = __builtin_bit_cast(carrier<T>, *expected);
  const bool is_exchanged =
      __atomic_compare_exchange_n(bits_of(address),
                                  &old,
                                  __builtin_bit_cast(carrier<T>, desired),
                                  false,
                                  __ATOMIC_SEQ_CST,
                                  __ATOMIC_RELAXED);
  *expected = __builtin_bit_cast(T, old);
  return is_exchanged;
}

}  // namespace atomic_operation

// One definition for each address space: Metal has no generic pointer.
#define METAL_HOST_ATOMIC_FETCH(SPACE, NAME, EXPRESSION)                 \
  template <typename T, typename U>                                      \
  METAL_HOST_INLINE T atomic_fetch_##NAME##_explicit(                    \
      volatile SPACE atomic<T>* object, U operand_given, memory_order) { \
    const T operand = static_cast<T>(operand_given);                     \
    return atomic_operation::fetch_update<T>(                            \
        &object->value, [operand](T value) { return EXPRESSION; });      \
  }

#define METAL_HOST_ATOMICS(SPACE)                                              \
  METAL_HOST_ATOMIC_FETCH(SPACE, add, value + operand)                         \
  METAL_HOST_ATOMIC_FETCH(SPACE, sub, value - operand)                         \
  METAL_HOST_ATOMIC_FETCH(SPACE, min, operand < value ? operand : value)       \
  METAL_HOST_ATOMIC_FETCH(SPACE, max, value < operand ? operand : value)       \
  METAL_HOST_ATOMIC_FETCH(SPACE, and, value& operand)                          \
  METAL_HOST_ATOMIC_FETCH(SPACE, or, value | operand)                          \
  METAL_HOST_ATOMIC_FETCH(SPACE, xor, value ^ operand)                         \
  template <typename T>                                                        \
  METAL_HOST_INLINE T atomic_load_explicit(                                    \
      const volatile SPACE atomic<T>* object, memory_order) {                  \
    atomic_operation::announce(static_cast<const volatile T*>(&object->value), \
                               flash_attn_mps::simulator::kAtomicLoad);        \
    return __builtin_bit_cast(                                                 \
        T,                                                                     \
        __atomic_load_n(atomic_operation::bits_of<T>(&object->value),          \
                        __ATOMIC_SEQ_CST));                                    \
  }                                                                            \
  template <typename T, typename U>                                            \
  METAL_HOST_INLINE void atomic_store_explicit(                                \
      volatile SPACE atomic<T>* object, U desired, memory_order) {             \
    atomic_operation::announce(static_cast<const volatile T*>(&object->value), \
                               flash_attn_mps::simulator::kAtomicStore);       \
    __atomic_store_n(atomic_operation::bits_of<T>(&object->value),             \
                     __builtin_bit_cast(atomic_operation::carrier<T>,          \
                                        static_cast<T>(desired)),              \
                     __ATOMIC_SEQ_CST);                                        \
  }                                                                            \
  template <typename T, typename U>                                            \
  METAL_HOST_INLINE void atomic_min_explicit(                                  \
      volatile SPACE atomic<T>* object, U operand, memory_order order) {       \
    atomic_fetch_min_explicit(object, operand, order);                         \
  }                                                                            \
  template <typename T, typename U>                                            \
  METAL_HOST_INLINE void atomic_max_explicit(                                  \
      volatile SPACE atomic<T>* object, U operand, memory_order order) {       \
    atomic_fetch_max_explicit(object, operand, order);                         \
  }                                                                            \
  template <typename T, typename U>                                            \
  METAL_HOST_INLINE T atomic_exchange_explicit(                                \
      volatile SPACE atomic<T>* object, U desired_given, memory_order) {       \
    const T desired = static_cast<T>(desired_given);                           \
    return atomic_operation::fetch_update<T>(                                  \
        &object->value, [desired](T) { return desired; });                     \
  }                                                                            \
  template <typename T, typename U>                                            \
  METAL_HOST_INLINE bool atomic_compare_exchange_weak_explicit(                \
      volatile SPACE atomic<T>* object,                                        \
      thread T* expected,                                                      \
      U desired,                                                               \
      memory_order,                                                            \
      memory_order) {                                                          \
    return atomic_operation::compare_exchange<T>(                              \
        &object->value, expected, static_cast<T>(desired));                    \
  }

METAL_HOST_ATOMICS(device)
METAL_HOST_ATOMICS(threadgroup)
#undef METAL_HOST_ATOMICS
#undef METAL_HOST_ATOMIC_FETCH

}  // namespace metal
