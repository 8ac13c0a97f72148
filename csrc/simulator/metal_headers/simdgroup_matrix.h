// SPDX-License-Identifier: MIT
// simdgroup_matrix<T, 8, 8> and the functions on it. Products are posted, not
// computed (Note [Matrix queue] in runtime_abi.h). Each lane holds two
// neighbours of a row, in the layout that public kernels rely on.
#pragma once

#include "runtime_abi.h"
#include "type_traits.h"
#include "unobserved.h"
#include "vector_types.h"

namespace metal {

template <typename T, int kColumns, int kRows = kColumns>
struct simdgroup_matrix;

template <typename T>
struct matrix_element;
template <>
struct matrix_element<float> {
  static constexpr uchar code = flash_attn_mps::simulator::kMatrixFloat;
};
template <>
struct matrix_element<half> {
  static constexpr uchar code = flash_attn_mps::simulator::kMatrixHalf;
};
template <>
struct matrix_element<bfloat> {
  static constexpr uchar code = flash_attn_mps::simulator::kMatrixBfloat;
};

// All bits set: a NaN.
template <typename T>
METAL_HOST_INLINE auto unset_bits() {
  return static_cast<conditional_t<sizeof(T) == 4, uint, ushort>>(~0U);
}

struct matrix_position {
  uint row;
  uint column;
};

METAL_HOST_INLINE matrix_position matrix_position_of_lane() {
  const uint offset = metal_host::unobserved_load(
      &flash_attn_mps::simulator::current_lane()->matrix_offset);
  return matrix_position{offset / 8, offset % 8};
}

template <typename T>
struct simdgroup_matrix<T, 8, 8> {
  static_assert(is_floating_point_v<T>,
                "simdgroup_matrix holds float, half or bfloat");

  METAL_HOST_INLINE simdgroup_matrix() {
    forget_product();
#if FLASH_ATTN_MPS_CHECKED
    // What the compiler puts into every variable, but unobserved.
    const T unset = __builtin_bit_cast(T, unset_bits<T>());
    put_elements(unset, unset);
    metal_host::unobserved_store(&slot_, 0U);
#endif
  }
  METAL_HOST_INLINE explicit simdgroup_matrix(T value) {
    forget_product();
    const matrix_position at = matrix_position_of_lane();
    put_elements(at.row == at.column ? T(value) : T(0.0f),
                 at.row == at.column + 1 ? T(value) : T(0.0f));
  }
  METAL_HOST_INLINE simdgroup_matrix(const simdgroup_matrix& other) {
    forget_product();
    other.settle();
    put_elements(other.element(0), other.element(1));
  }
  METAL_HOST_INLINE simdgroup_matrix& operator=(const simdgroup_matrix& other) {
    other.settle();
    assign(other.element(0), other.element(1));
    return *this;
  }
  METAL_HOST_INLINE ~simdgroup_matrix() { release(); }

  METAL_HOST_INLINE thread vec<T, 2>& thread_elements() thread {
    settle();
    return elements_;
  }
  METAL_HOST_INLINE vec<T, 2>& thread_elements() {
    settle();
    return elements_;
  }
  METAL_HOST_INLINE const vec<T, 2>& thread_elements() const {
    settle();
    return elements_;
  }

  // The elements are about to be overwritten: what is pending is dropped.
  METAL_HOST_INLINE void assign(T element0, T element1) {
    release();
    put_elements(element0, element1);
  }

  // An epoch is never 0, so the compiler can drop what concerns a matrix that
  // no product writes to.
  METAL_HOST_INLINE bool is_pending() const {
    const uint epoch = metal_host::unobserved_load(&epoch_);
    return epoch != 0 && epoch == current_epoch();
  }
  METAL_HOST_INLINE void settle() const {
    if (is_pending()) {
      flash_attn_mps_matrix_settle(metal_host::unobserved_load(&slot_));
    }
    forget_product();
  }
  METAL_HOST_INLINE void release() {
    if (is_pending()) {
      forget_destination(metal_host::unobserved_load(&slot_));
    }
    forget_product();
  }

  METAL_HOST_INLINE static uint current_epoch() {
    const auto* lane = flash_attn_mps::simulator::current_lane();
    const auto* simdgroup = metal_host::unobserved_load(&lane->simdgroup);
    return metal_host::unobserved_load(&simdgroup->matrices.epoch);
  }
  FLASH_ATTN_MPS_UNOBSERVED static void forget_destination(uint slot) {
    auto* lane = flash_attn_mps::simulator::current_lane();
    lane->simdgroup->matrices
        .destination[slot][lane->thread_index_in_simdgroup] = nullptr;
  }

  // Of a matrix that is not pending.
  METAL_HOST_INLINE T element(int index) const {
    return metal_host::unobserved_load(elements() + index);
  }

  METAL_HOST_INLINE void put_elements(T element0, T element1) {
    metal_host::unobserved_store(elements() + 0, element0);
    metal_host::unobserved_store(elements() + 1, element1);
  }
  METAL_HOST_INLINE void forget_product() const {
    metal_host::unobserved_store(&epoch_, 0U);
  }

  METAL_HOST_INLINE T* elements() { return reinterpret_cast<T*>(&elements_); }
  METAL_HOST_INLINE const T* elements() const {
    return reinterpret_cast<const T*>(&elements_);
  }

  vec<T, 2> elements_;
  mutable uint epoch_;
  uint slot_;
};

using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;
using simdgroup_bfloat8x8 = simdgroup_matrix<bfloat, 8, 8>;

template <typename T, int kColumns, int kRows = kColumns>
METAL_HOST_INLINE simdgroup_matrix<T, kColumns, kRows>
make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, kColumns, kRows> filled;
  filled.assign(value, value);
  return filled;
}

template <typename T>
METAL_HOST_INLINE simdgroup_matrix<T, 8, 8> make_diagonal_simdgroup_matrix(
    T value) {
  return simdgroup_matrix<T, 8, 8>(value);
}

// All lanes take part in a load or store, though each handles only its own
// elements: the checked build proves it.
METAL_HOST_INLINE void meet_at_matrix_access(uint line) {
#if FLASH_ATTN_MPS_CHECKED
  flash_attn_mps_rendezvous(flash_attn_mps::simulator::kMatrixMemory, 0, line);
#else
  (void)line;
#endif
}

template <typename T, typename Pointer>
METAL_HOST_INLINE void load_elements(thread simdgroup_matrix<T, 8, 8>& matrix,
                                     Pointer source,
                                     ulong elements_per_row,
                                     ulong2 origin,
                                     bool is_transposed) {
  const matrix_position at = matrix_position_of_lane();
  Pointer first = source + origin.data[1] * elements_per_row + origin.data[0];
  const ulong row = at.row;
  const ulong column = at.column;
  if (is_transposed) {
    matrix.assign(first[column * elements_per_row + row],
                  first[(column + 1) * elements_per_row + row]);
  } else {
    matrix.assign(first[row * elements_per_row + column],
                  first[row * elements_per_row + column + 1]);
  }
}

template <typename T>
METAL_HOST_INLINE void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& matrix,
                                      const device T* source,
                                      ulong elements_per_row = 8,
                                      ulong2 matrix_origin = ulong2(0),
                                      bool transpose_matrix = false,
                                      uint line = __builtin_LINE()) {
  meet_at_matrix_access(line);
  load_elements(
      matrix, source, elements_per_row, matrix_origin, transpose_matrix);
}
template <typename T>
METAL_HOST_INLINE void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& matrix,
                                      const threadgroup T* source,
                                      ulong elements_per_row = 8,
                                      ulong2 matrix_origin = ulong2(0),
                                      bool transpose_matrix = false,
                                      uint line = __builtin_LINE()) {
  meet_at_matrix_access(line);
  load_elements(
      matrix, source, elements_per_row, matrix_origin, transpose_matrix);
}

template <typename T, typename Pointer>
METAL_HOST_INLINE void store_elements(const simdgroup_matrix<T, 8, 8>& matrix,
                                      Pointer destination,
                                      ulong elements_per_row,
                                      ulong2 origin,
                                      bool is_transposed) {
  const matrix_position at = matrix_position_of_lane();
  matrix.settle();
  const T element0 = matrix.element(0);
  const T element1 = matrix.element(1);
  Pointer first =
      destination + origin.data[1] * elements_per_row + origin.data[0];
  const ulong row = at.row;
  const ulong column = at.column;
  if (is_transposed) {
    first[column * elements_per_row + row] = element0;
    first[(column + 1) * elements_per_row + row] = element1;
  } else {
    first[row * elements_per_row + column] = element0;
    first[row * elements_per_row + column + 1] = element1;
  }
}

template <typename T>
METAL_HOST_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& matrix,
                                       device T* destination,
                                       ulong elements_per_row = 8,
                                       ulong2 matrix_origin = ulong2(0),
                                       bool transpose_matrix = false,
                                       uint line = __builtin_LINE()) {
  meet_at_matrix_access(line);
  store_elements(
      matrix, destination, elements_per_row, matrix_origin, transpose_matrix);
}
template <typename T>
METAL_HOST_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& matrix,
                                       threadgroup T* destination,
                                       ulong elements_per_row = 8,
                                       ulong2 matrix_origin = ulong2(0),
                                       bool transpose_matrix = false,
                                       uint line = __builtin_LINE()) {
  meet_at_matrix_access(line);
  store_elements(
      matrix, destination, elements_per_row, matrix_origin, transpose_matrix);
}

METAL_HOST_INLINE bool is_queue_full() {
  const auto* lane = flash_attn_mps::simulator::current_lane();
  const auto* simdgroup = metal_host::unobserved_load(&lane->simdgroup);
  const uint number =
      metal_host::unobserved_load(&lane->thread_index_in_simdgroup);
  return metal_host::unobserved_load(simdgroup->matrices.posted + number) ==
         flash_attn_mps::simulator::kMatrixQueueLength;
}

// Writes the lane's part of a product into the next entry of the queue. C is
// not used when the lane accumulates into a pending D. Scalars, not vectors: a
// vector argument would pass through memory.
template <typename T>
FLASH_ATTN_MPS_UNOBSERVED void post_product(thread simdgroup_matrix<T, 8, 8>& d,
                                            bool accumulates_in_place,
                                            uchar operand_types,
                                            float a0,
                                            float a1,
                                            float b0,
                                            float b1,
                                            float c0,
                                            float c1) {
  auto* lane = flash_attn_mps::simulator::current_lane();
  auto* queue = &lane->simdgroup->matrices;
  const uint number = lane->thread_index_in_simdgroup;
  const uint offset = lane->matrix_offset;
  const uint entry = queue->posted[number];
  const uint epoch = queue->epoch;
  queue->a[entry][offset] = a0;
  queue->a[entry][offset + 1] = a1;
  queue->b[entry][offset] = b0;
  queue->b[entry][offset + 1] = b1;
  queue->operand[entry] = operand_types;
  if (!(accumulates_in_place && d.epoch_ == epoch)) {
    if (d.epoch_ == epoch) {
      queue->destination[d.slot_][number] = nullptr;
    }
    queue->d[entry][offset] = c0;
    queue->d[entry][offset + 1] = c1;
    queue->destination[entry][number] = &d.elements_;
    d.epoch_ = epoch;
    d.slot_ = entry;
  }
  queue->slot[entry][number] = static_cast<uchar>(d.slot_);
  queue->element[entry] = matrix_element<T>::code;
#if FLASH_ATTN_MPS_CHECKED
  const ulong site = reinterpret_cast<ulong>(__builtin_return_address(0));
  if (queue->site[entry] != 0 && queue->site[entry] != site) {
    flash_attn_mps_matrix_mismatch(entry, site);
  }
  queue->site[entry] = site;
#endif
  queue->posted[number] = static_cast<ushort>(entry + 1);
}

// Of operands that are not pending.
template <typename D, typename A, typename B>
METAL_HOST_INLINE void post_settled(thread simdgroup_matrix<D, 8, 8>& d,
                                    bool accumulates_in_place,
                                    const simdgroup_matrix<A, 8, 8>& a,
                                    const simdgroup_matrix<B, 8, 8>& b,
                                    float c0,
                                    float c1) {
  post_product(
      d,
      accumulates_in_place,
      static_cast<uchar>(matrix_element<A>::code + 4 * matrix_element<B>::code),
      static_cast<float>(a.element(0)),
      static_cast<float>(a.element(1)),
      static_cast<float>(b.element(0)),
      static_cast<float>(b.element(1)),
      c0,
      c1);
}

// Operands become readable, and the queue has room for one more product.
template <typename A, typename B>
METAL_HOST_INLINE void prepare_product(const simdgroup_matrix<A, 8, 8>& a,
                                       const simdgroup_matrix<B, 8, 8>& b) {
  a.settle();
  b.settle();
  if (is_queue_full()) {
    flash_attn_mps_matrix_full();
  }
}

template <typename D, typename A, typename B>
METAL_HOST_INLINE void simdgroup_multiply(thread simdgroup_matrix<D, 8, 8>& d,
                                          const simdgroup_matrix<A, 8, 8>& a,
                                          const simdgroup_matrix<B, 8, 8>& b) {
  prepare_product(a, b);
  post_settled(d, /*accumulates_in_place=*/false, a, b, 0.0f, 0.0f);
}

template <typename D, typename A, typename B, typename C>
METAL_HOST_INLINE void simdgroup_multiply_accumulate(
    thread simdgroup_matrix<D, 8, 8>& d,
    const simdgroup_matrix<A, 8, 8>& a,
    const simdgroup_matrix<B, 8, 8>& b,
    const simdgroup_matrix<C, 8, 8>& c) {
  bool accumulates_in_place = false;
  if constexpr (is_same_v<D, C>) {
    accumulates_in_place = &d == &c;
  }
  if (!accumulates_in_place) {
    c.settle();
  }
  prepare_product(a, b);
  float c0 = 0.0f;
  float c1 = 0.0f;
  if (!(accumulates_in_place && d.is_pending())) {
    c0 = static_cast<float>(c.element(0));
    c1 = static_cast<float>(c.element(1));
  }
  post_settled(d, accumulates_in_place, a, b, c0, c1);
}

template <typename T>
METAL_HOST_INLINE simdgroup_matrix<T, 8, 8> operator*(
    const simdgroup_matrix<T, 8, 8>& a,
    const simdgroup_matrix<T, 8, 8>& b) {
  simdgroup_matrix<T, 8, 8> d;
  simdgroup_multiply(d, a, b);
  return d;
}

}  // namespace metal
