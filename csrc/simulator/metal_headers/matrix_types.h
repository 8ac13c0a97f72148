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
  METAL_HOST_INLINE explicit constexpr matrix(T diagonal)
      : matrix(make_index_sequence<kColumns>(), diagonal) {}
  template <typename... Columns,
            enable_if_t<sizeof...(Columns) + 1 == kColumns, int> = 0>
  METAL_HOST_INLINE constexpr matrix(column_type first, Columns... rest)
      : columns{first, column_type(rest)...} {}
  template <typename... Scalars,
            enable_if_t<sizeof...(Scalars) == kColumns * kRows &&
                            (is_arithmetic_v<Scalars> && ...),
                        int> = 0>
  METAL_HOST_INLINE constexpr matrix(Scalars... scalars)
      : matrix(make_index_sequence<kColumns>(),
               scalar_list{{static_cast<T>(scalars)...}}) {}
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

  METAL_HOST_INLINE thread column_type& operator[](size_t column) thread& {
    return columns[column];
  }
  METAL_HOST_INLINE device column_type& operator[](size_t column) device& {
    return columns[column];
  }
  METAL_HOST_INLINE threadgroup column_type& operator[](size_t column)
      threadgroup& {
    return columns[column];
  }
  METAL_HOST_INLINE column_type operator[](size_t column) const& {
    return columns[column];
  }
  METAL_HOST_INLINE column_type operator[](size_t column) const constant& {
    return columns[column];
  }
  METAL_HOST_INLINE column_type operator[](size_t column) const&& {
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
  METAL_HOST_INLINE friend matrix operator-(matrix a) { return a * T(-1); }
  METAL_HOST_INLINE friend matrix operator*(matrix a, T b) {
    for (int i = 0; i < kColumns; ++i) {
      a.columns[i] *= b;
    }
    return a;
  }
  METAL_HOST_INLINE friend matrix operator*(T a, matrix b) { return b * a; }
  METAL_HOST_INLINE friend bool operator==(matrix a, matrix b) {
    bool is_equal = true;
    for (int i = 0; i < kColumns; ++i) {
      is_equal &= all(a.columns[i] == b.columns[i]);
    }
    return is_equal;
  }
  METAL_HOST_INLINE friend bool operator!=(matrix a, matrix b) {
    return !(a == b);
  }
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
  METAL_HOST_INLINE matrix& operator*=(matrix<T, kColumns, kColumns> other) & {
    return *this = matrix(*this) * other;
  }

 private:
  // Program-scope matrices are constant expressions: columns by pack, since no
  // element of a vector can be assigned there.
  struct scalar_list {
    T values[kColumns * kRows];
  };
  template <typename Rows>
  struct column_of;
  template <size_t... kRow>
  struct column_of<index_sequence<kRow...>> {
    METAL_HOST_INLINE static constexpr column_type unit(size_t row, T value) {
      return column_type((kRow == row ? value : T(0))...);
    }
    METAL_HOST_INLINE static constexpr column_type read(scalar_list all,
                                                        size_t column) {
      return column_type(all.values[column * kRows + kRow]...);
    }
  };
  using rows = column_of<make_index_sequence<kRows>>;

  template <size_t... kColumn>
  METAL_HOST_INLINE constexpr matrix(index_sequence<kColumn...>, T diagonal)
      : columns{rows::unit(kColumn, diagonal)...} {}
  template <size_t... kColumn>
  METAL_HOST_INLINE constexpr matrix(index_sequence<kColumn...>,
                                     scalar_list all)
      : columns{rows::read(all, kColumn)...} {}
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

template <typename T>
METAL_HOST_INLINE T determinant(matrix<T, 2, 2> m) {
  const vec<T, 2> a = m.columns[0];
  const vec<T, 2> b = m.columns[1];
  return a[0] * b[1] - b[0] * a[1];
}
template <typename T>
METAL_HOST_INLINE T determinant(matrix<T, 3, 3> m) {
  return dot(m.columns[0], cross(m.columns[1], m.columns[2]));
}
// Along the last row.
template <typename T>
METAL_HOST_INLINE T determinant(matrix<T, 4, 4> m) {
  T sum = T(0);
  for (int skipped = 0; skipped < 4; ++skipped) {
    matrix<T, 3, 3> minor;
    for (int i = 0; i < 3; ++i) {
      const vec<T, 4> column = m.columns[i < skipped ? i : i + 1];
      minor.columns[i] = vec<T, 3>(column[0], column[1], column[2]);
    }
    const T term = m.columns[skipped][3] * determinant(minor);
    sum += skipped % 2 == 0 ? -term : term;
  }
  return sum;
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
