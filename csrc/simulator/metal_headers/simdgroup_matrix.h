// SPDX-License-Identifier: MIT
// simdgroup_matrix<T, 8, 8> and the functions on it. Products are posted, not
// computed (Note [Matrix queue] in runtime_abi.h). Each lane holds two
// neighbours of a row, in the layout that public kernels rely on.
#pragma once

#include "runtime_abi.h"
#include "type_traits.h"
#include "vector_types.h"

// Code that works on the runtime's own memory: must not report its accesses.
#if FLASH_ATTN_MPS_CHECKED
#define FLASH_ATTN_MPS_UNOBSERVED \
  inline __attribute__((noinline, no_sanitize("thread", "alignment")))
#else
#define FLASH_ATTN_MPS_UNOBSERVED METAL_HOST_INLINE
#endif

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

struct matrix_position {
  uint row;
  uint column;
};

METAL_HOST_INLINE matrix_position matrix_position_of_lane() {
  const uint offset = flash_attn_mps::simulator::current_lane()->matrix_offset;
  return matrix_position{offset / 8, offset % 8};
}

template <typename T>
struct simdgroup_matrix<T, 8, 8> {
  static_assert(is_floating_point_v<T>,
                "simdgroup_matrix holds float, half or bfloat");
  using pair = host_vector<float, 2>;

  METAL_HOST_INLINE simdgroup_matrix() : epoch_(0) {}
  METAL_HOST_INLINE explicit simdgroup_matrix(T value) : epoch_(0) {
    const matrix_position at = matrix_position_of_lane();
    elements_ = vec<T, 2>(at.row == at.column ? value : T(0.0f),
                          at.row == at.column + 1 ? value : T(0.0f));
  }
  METAL_HOST_INLINE simdgroup_matrix(const simdgroup_matrix& other)
      : elements_(other.thread_elements()), epoch_(0) {}
  METAL_HOST_INLINE simdgroup_matrix& operator=(const simdgroup_matrix& other) {
    const vec<T, 2> elements = other.thread_elements();
    release();
    elements_ = elements;
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
  METAL_HOST_INLINE void assign(vec<T, 2> elements) {
    release();
    elements_ = elements;
  }

  FLASH_ATTN_MPS_UNOBSERVED bool is_pending() const {
    return epoch_ ==
           flash_attn_mps::simulator::current_lane()->simdgroup->matrices.epoch;
  }
  METAL_HOST_INLINE void settle() const {
    if (is_pending()) {
      flash_attn_mps_matrix_settle(slot_);
      epoch_ = 0;
    }
  }
  FLASH_ATTN_MPS_UNOBSERVED void release() {
    auto* lane = flash_attn_mps::simulator::current_lane();
    if (epoch_ == lane->simdgroup->matrices.epoch) {
      lane->simdgroup->matrices
          .destination[slot_][lane->thread_index_in_simdgroup] = nullptr;
    }
    epoch_ = 0;
  }

  METAL_HOST_INLINE pair operand() const {
    settle();
    return pair{static_cast<float>(elements_.data[0]),
                static_cast<float>(elements_.data[1])};
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
  filled.elements_ = vec<T, 2>(value, value);
  return filled;
}

template <typename T>
METAL_HOST_INLINE simdgroup_matrix<T, 8, 8> make_diagonal_simdgroup_matrix(
    T value) {
  return simdgroup_matrix<T, 8, 8>(value);
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
    matrix.assign(vec<T, 2>(first[column * elements_per_row + row],
                            first[(column + 1) * elements_per_row + row]));
  } else {
    matrix.assign(vec<T, 2>(first[row * elements_per_row + column],
                            first[row * elements_per_row + column + 1]));
  }
}

template <typename T>
METAL_HOST_INLINE void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& matrix,
                                      const device T* source,
                                      ulong elements_per_row = 8,
                                      ulong2 matrix_origin = ulong2(0),
                                      bool transpose_matrix = false) {
  load_elements(
      matrix, source, elements_per_row, matrix_origin, transpose_matrix);
}
template <typename T>
METAL_HOST_INLINE void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& matrix,
                                      const threadgroup T* source,
                                      ulong elements_per_row = 8,
                                      ulong2 matrix_origin = ulong2(0),
                                      bool transpose_matrix = false) {
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
  const vec<T, 2> elements = matrix.thread_elements();
  Pointer first =
      destination + origin.data[1] * elements_per_row + origin.data[0];
  const ulong row = at.row;
  const ulong column = at.column;
  if (is_transposed) {
    first[column * elements_per_row + row] = elements.data[0];
    first[(column + 1) * elements_per_row + row] = elements.data[1];
  } else {
    first[row * elements_per_row + column] = elements.data[0];
    first[row * elements_per_row + column + 1] = elements.data[1];
  }
}

template <typename T>
METAL_HOST_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& matrix,
                                       device T* destination,
                                       ulong elements_per_row = 8,
                                       ulong2 matrix_origin = ulong2(0),
                                       bool transpose_matrix = false) {
  store_elements(
      matrix, destination, elements_per_row, matrix_origin, transpose_matrix);
}
template <typename T>
METAL_HOST_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& matrix,
                                       threadgroup T* destination,
                                       ulong elements_per_row = 8,
                                       ulong2 matrix_origin = ulong2(0),
                                       bool transpose_matrix = false) {
  store_elements(
      matrix, destination, elements_per_row, matrix_origin, transpose_matrix);
}

// What a lane adds to the queue for one product. C is not read when the lane
// accumulates into a pending D.
struct posted_product {
  host_vector<float, 2> a;
  host_vector<float, 2> b;
  host_vector<float, 2> c;
  uchar operands;  // matrix_element of A, and of B times 4
  bool accumulates_in_place;
};

FLASH_ATTN_MPS_UNOBSERVED bool is_queue_full() {
  auto* lane = flash_attn_mps::simulator::current_lane();
  return lane->simdgroup->matrices.posted[lane->thread_index_in_simdgroup] ==
         flash_attn_mps::simulator::kMatrixQueueLength;
}

METAL_HOST_INLINE void write_pair(float* tile, host_vector<float, 2> value) {
  *reinterpret_cast<host_vector<float, 2>*>(tile) = value;
}

template <typename T>
FLASH_ATTN_MPS_UNOBSERVED void post_product(thread simdgroup_matrix<T, 8, 8>& d,
                                            posted_product product) {
  auto* lane = flash_attn_mps::simulator::current_lane();
  auto* queue = &lane->simdgroup->matrices;
  const uint number = lane->thread_index_in_simdgroup;
  const uint offset = lane->matrix_offset;
  const uint entry = queue->posted[number];
  const bool is_pending = d.epoch_ == queue->epoch;
  write_pair(queue->a[entry] + offset, product.a);
  write_pair(queue->b[entry] + offset, product.b);
  if (!(is_pending && product.accumulates_in_place)) {
    if (is_pending) {
      queue->destination[d.slot_][number] = nullptr;
    }
    write_pair(queue->d[entry] + offset, product.c);
    queue->destination[entry][number] = &d.elements_;
    d.epoch_ = queue->epoch;
    d.slot_ = entry;
  }
  queue->slot[entry][number] = static_cast<uchar>(d.slot_);
  queue->element[entry] = matrix_element<T>::code;
  queue->operand[entry] = product.operands;
#if FLASH_ATTN_MPS_CHECKED
  const ulong site = reinterpret_cast<ulong>(__builtin_return_address(0));
  if (queue->site[entry] != 0 && queue->site[entry] != site) {
    flash_attn_mps_matrix_mismatch(entry, site);
  }
  queue->site[entry] = site;
#endif
  queue->posted[number] = static_cast<ushort>(entry + 1);
}

template <typename A, typename B>
constant constexpr uchar operand_codes =
    static_cast<uchar>(matrix_element<A>::code + 4 * matrix_element<B>::code);

template <typename D, typename A, typename B>
METAL_HOST_INLINE void simdgroup_multiply(thread simdgroup_matrix<D, 8, 8>& d,
                                          const
                                          thread simdgroup_matrix<A, 8, 8>& a,
                                          const
                                          thread simdgroup_matrix<B, 8, 8>& b) {
  const posted_product product{a.operand(),
                               b.operand(),
                               host_vector<float, 2>{0.0f, 0.0f},
                               operand_codes<A, B>,
                               false};
  if (is_queue_full()) {
    flash_attn_mps_matrix_full();
  }
  post_product(d, product);
}

template <typename D, typename A, typename B, typename C>
METAL_HOST_INLINE void simdgroup_multiply_accumulate(
    thread simdgroup_matrix<D, 8, 8>& d,
    const thread simdgroup_matrix<A, 8, 8>& a,
    const thread simdgroup_matrix<B, 8, 8>& b,
    const thread simdgroup_matrix<C, 8, 8>& c) {
  posted_product product{a.operand(),
                         b.operand(),
                         host_vector<float, 2>{0.0f, 0.0f},
                         operand_codes<A, B>,
                         false};
  if (is_queue_full()) {
    flash_attn_mps_matrix_full();
  }
  if constexpr (is_same_v<D, C>) {
    product.accumulates_in_place = &d == &c;
  }
  if (!product.accumulates_in_place) {
    product.c = c.operand();
  } else if (!d.is_pending()) {
    product.c = d.operand();
  }
  post_product(d, product);
}

template <typename T>
METAL_HOST_INLINE simdgroup_matrix<T, 8, 8> operator*(
    const thread simdgroup_matrix<T, 8, 8>& a,
    const thread simdgroup_matrix<T, 8, 8>& b) {
  simdgroup_matrix<T, 8, 8> d;
  simdgroup_multiply(d, a, b);
  return d;
}

}  // namespace metal
