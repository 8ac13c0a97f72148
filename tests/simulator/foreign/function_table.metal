// SPDX-License-Identifier: MIT
// One kernel for each function of one argument or two, built by a macro, so
// that the test compares every function with NumPy's.
#include <metal_stdlib>

using namespace metal;

#define UNARY(NAME, T)                                         \
  kernel void NAME##_##T(device const T* x [[buffer(0)]],      \
                         device T* y [[buffer(1)]],            \
                         uint i [[thread_position_in_grid]]) { \
    y[i] = metal::NAME(x[i]);                                  \
  }
#define BINARY(NAME, T)                                      \
  kernel void NAME##_##T(device const T* x [[buffer(0)]],    \
                         device T* y [[buffer(1)]],          \
                         uint i [[thread_position_in_grid]], \
                         uint n [[threads_per_grid]]) {      \
    y[i] = metal::NAME(x[i], x[n - 1 - i]);                  \
  }

UNARY(abs, float)
UNARY(acos, float)
UNARY(acosh, float)
UNARY(asin, float)
UNARY(asinh, float)
UNARY(atan, float)
UNARY(atanh, float)
UNARY(ceil, float)
UNARY(cos, float)
UNARY(cosh, float)
UNARY(exp, float)
UNARY(exp10, float)
UNARY(exp2, float)
UNARY(fabs, half)
UNARY(floor, float)
UNARY(log, float)
UNARY(log10, float)
UNARY(log2, float)
UNARY(rint, float)
UNARY(rsqrt, float)
UNARY(saturate, float)
UNARY(sign, float)
UNARY(sin, float)
UNARY(sinh, float)
UNARY(sqrt, half)
UNARY(tan, float)
UNARY(tanh, float)
UNARY(trunc, float)
BINARY(atan2, float)
BINARY(copysign, float)
BINARY(fmax, float)
BINARY(fmin, half)
BINARY(fmod, float)
BINARY(max, float)
BINARY(min, half)
BINARY(pow, float)
BINARY(powr, float)
BINARY(step, float)

UNARY(clz, uint)
UNARY(ctz, ushort)
UNARY(popcount, ulong)
UNARY(reverse_bits, uchar)
BINARY(absdiff, uint)
BINARY(addsat, uchar)
BINARY(hadd, int)
BINARY(max, long)
BINARY(mulhi, int)
BINARY(rhadd, uint)
BINARY(rotate, uint)
BINARY(subsat, short)
