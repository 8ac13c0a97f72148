// SPDX-License-Identifier: MIT
// <metal_matrix>: float4x4 and its kin, column by column. Not to be confused
// with simdgroup_matrix, whose elements are spread over the lanes.
#pragma once

#include "geometric_functions.h"

namespace metal {

template <typename T, int kColumns, int kRows>
struct matrix {
  using column_type = vec<T, kRows>;
  column_type columns[kColumns];

  matrix() = default;
  METAL_HOST_INLINE explicit matrix(T diagonal) {
    for (int i = 0; i < kColumns; ++i) {
      columns[i] = column_type(T(0));
      columns[i].put_lane_at(i, diagonal);
    }
  }
  template <typename... Columns,
            enable_if_t<sizeof...(Columns) + 1 == kColumns, int> = 0>
  METAL_HOST_INLINE matrix(column_type first, Columns... rest)
      : columns{first, column_type(rest)...} {}
  template <typename... Scalars,
            enable_if_t<sizeof...(Scalars) == kColumns * kRows &&
                            (is_arithmetic_v<Scalars> && ...),
                        int> = 0>
  METAL_HOST_INLINE matrix(Scalars... scalars) {
    const T all[kColumns * kRows] = {static_cast<T>(scalars)...};
    for (int i = 0; i < kColumns * kRows; ++i) {
      columns[i / kRows].put_lane_at(i % kRows, all[i]);
    }
  }
  template <typename U, enable_if_t<!is_same_v<U, T>, int> = 0>
  METAL_HOST_INLINE explicit matrix(const matrix<U, kColumns, kRows>& other) {
    for (int i = 0; i < kColumns; ++i) {
      columns[i] = column_type(other.columns[i]);
    }
  }
  template <typename M, enable_if_t<is_same_v<M, matrix>, int> = 0>
  METAL_HOST_INLINE matrix(const constant M& other) {
    for (int i = 0; i < kColumns; ++i) {
      columns[i] = other.columns[i];
    }
  }

  // An array of vectors has no implicit assignment: a vector has several.
  METAL_HOST_INLINE matrix& operator=(const matrix& other) {
    for (int i = 0; i < kColumns; ++i) {
      columns[i] = column_type(other.columns[i]);
    }
    return *this;
  }

  METAL_HOST_INLINE thread column_type& operator[](size_t column) thread {
    return columns[column];
  }
  METAL_HOST_INLINE device column_type& operator[](size_t column) device {
    return columns[column];
  }
  METAL_HOST_INLINE threadgroup column_type& operator[](size_t column)
      threadgroup {
    return columns[column];
  }
  METAL_HOST_INLINE column_type operator[](size_t column) const {
    return columns[column];
  }
  METAL_HOST_INLINE column_type operator[](size_t column) const constant {
    return columns[column];
  }

  METAL_HOST_INLINE friend matrix operator+(matrix a, matrix b) {
    for (int i = 0; i < kColumns; ++i) {
      a.columns[i] += b.columns[i];
    }
    return a;
  }
  METAL_HOST_INLINE friend matrix operator-(matrix a, matrix b) {
    for (int i = 0; i < kColumns; ++i) {
      a.columns[i] -= b.columns[i];
    }
    return a;
  }
  METAL_HOST_INLINE friend matrix operator*(matrix a, T b) {
    for (int i = 0; i < kColumns; ++i) {
      a.columns[i] *= b;
    }
    return a;
  }
  METAL_HOST_INLINE friend matrix operator*(T a, matrix b) { return b * a; }
  METAL_HOST_INLINE friend column_type operator*(matrix a, vec<T, kColumns> b) {
    column_type sum = a.columns[0] * b.lane_at(0);
    for (int i = 1; i < kColumns; ++i) {
      sum += a.columns[i] * b.lane_at(i);
    }
    return sum;
  }
  METAL_HOST_INLINE friend vec<T, kColumns> operator*(column_type a, matrix b) {
    vec<T, kColumns> result;
    for (int i = 0; i < kColumns; ++i) {
      result.put_lane_at(i, dot(a, b.columns[i]));
    }
    return result;
  }
  METAL_HOST_INLINE matrix& operator+=(matrix other) & {
    return *this = matrix(*this) + other;
  }
  METAL_HOST_INLINE matrix& operator-=(matrix other) & {
    return *this = matrix(*this) - other;
  }
  METAL_HOST_INLINE matrix& operator*=(T factor) & {
    return *this = matrix(*this) * factor;
  }
};

template <typename T, int kInner, int kRows, int kColumns>
METAL_HOST_INLINE matrix<T, kColumns, kRows> operator*(
    matrix<T, kInner, kRows> a,
    matrix<T, kColumns, kInner> b) {
  matrix<T, kColumns, kRows> result;
  for (int i = 0; i < kColumns; ++i) {
    result.columns[i] = a * b.columns[i];
  }
  return result;
}
template <typename T, int kColumns, int kRows>
METAL_HOST_INLINE matrix<T, kRows, kColumns> transpose(
    matrix<T, kColumns, kRows> m) {
  matrix<T, kRows, kColumns> result;
  for (int i = 0; i < kColumns * kRows; ++i) {
    result.columns[i % kRows].data[i / kRows] =
        m.columns[i / kRows].data[i % kRows];
  }
  return result;
}

}  // namespace metal

#define METAL_HOST_MATRIX_NAME(T, C, R)      \
  typedef metal::matrix<T, C, R> T##C##x##R; \
  namespace metal {                          \
  using ::T##C##x##R;                        \
  }
#define METAL_HOST_MATRIX_NAMES(T) \
  METAL_HOST_MATRIX_NAME(T, 2, 2)  \
  METAL_HOST_MATRIX_NAME(T, 2, 3)  \
  METAL_HOST_MATRIX_NAME(T, 2, 4)  \
  METAL_HOST_MATRIX_NAME(T, 3, 2)  \
  METAL_HOST_MATRIX_NAME(T, 3, 3)  \
  METAL_HOST_MATRIX_NAME(T, 3, 4)  \
  METAL_HOST_MATRIX_NAME(T, 4, 2)  \
  METAL_HOST_MATRIX_NAME(T, 4, 3)  \
  METAL_HOST_MATRIX_NAME(T, 4, 4)
METAL_HOST_MATRIX_NAMES(float)
METAL_HOST_MATRIX_NAMES(half)
METAL_HOST_MATRIX_NAMES(bfloat)
