// SPDX-License-Identifier: MIT
// <simd/simd.h>: other names for vectors and matrices, shared with host code.
// A text that includes it gets a using-directive for this namespace; one that
// does not may give these names another meaning.
#pragma once

#include "matrix_types.h"

namespace metal_host_simd {
namespace simd {}
}  // namespace metal_host_simd

#define METAL_HOST_SIMD_NAME(T, LANES)                        \
  namespace metal_host_simd {                                 \
  typedef metal::vec<T, LANES> vector_##T##LANES;             \
  typedef metal::vec<T, LANES> simd_##T##LANES;               \
  typedef metal::packed_vec<T, LANES> simd_packed_##T##LANES; \
  namespace simd {                                            \
  typedef metal::vec<T, LANES> T##LANES;                      \
  typedef metal::packed_vec<T, LANES> packed_##T##LANES;      \
  }                                                           \
  }
#define METAL_HOST_SIMD_NAMES(T) \
  METAL_HOST_SIMD_NAME(T, 2)     \
  METAL_HOST_SIMD_NAME(T, 3)     \
  METAL_HOST_SIMD_NAME(T, 4)     \
  namespace metal_host_simd {    \
  typedef T simd_##T##1;         \
  namespace simd {               \
  typedef T T##1;                \
  }                              \
  }
METAL_HOST_SIMD_NAMES(char)
METAL_HOST_SIMD_NAMES(uchar)
METAL_HOST_SIMD_NAMES(short)
METAL_HOST_SIMD_NAMES(ushort)
METAL_HOST_SIMD_NAMES(int)
METAL_HOST_SIMD_NAMES(uint)
METAL_HOST_SIMD_NAMES(long)
METAL_HOST_SIMD_NAMES(ulong)
METAL_HOST_SIMD_NAMES(half)
METAL_HOST_SIMD_NAMES(float)

#define METAL_HOST_SIMD_MATRIX_NAME(T, C, R)          \
  namespace metal_host_simd {                         \
  typedef metal::matrix<T, C, R> matrix_##T##C##x##R; \
  typedef metal::matrix<T, C, R> simd_##T##C##x##R;   \
  namespace simd {                                    \
  typedef metal::matrix<T, C, R> T##C##x##R;          \
  }                                                   \
  }
#define METAL_HOST_SIMD_MATRIX_NAMES(T) \
  METAL_HOST_SIMD_MATRIX_NAME(T, 2, 2)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 2, 3)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 2, 4)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 3, 2)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 3, 3)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 3, 4)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 4, 2)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 4, 3)  \
  METAL_HOST_SIMD_MATRIX_NAME(T, 4, 4)
METAL_HOST_SIMD_MATRIX_NAMES(half)
METAL_HOST_SIMD_MATRIX_NAMES(float)
