// SPDX-License-Identifier: MIT
// Copies between layouts: sizes as constant arrays and as metal::array, a
// namespace of its own, an instantiation whose arguments are deduced.
#include <metal_array>
#include <metal_stdlib>

namespace layouts {

struct CopyParams {
  metal::array<uint32_t, 3> sizes;
  metal::array<int64_t, 3> strides;
  uint32_t rank;
};

template <typename IdxT = int64_t>
METAL_FUNC IdxT element_offset(uint element,
                               constant const uint* sizes,
                               constant const int64_t* strides,
                               int rank) {
  IdxT offset = 0;
  for (int i = rank - 1; i >= 0 && element > 0; --i) {
    offset += (element % sizes[i]) * IdxT(strides[i]);
    element /= sizes[i];
  }
  return offset;
}

METAL_FUNC metal::array<uint32_t, 3> position_of(
    uint element,
    metal::array<uint32_t, 3> sizes) {
  metal::array<uint32_t, 3> position = {0, 0, 0};
  for (int i = 2; i >= 0; --i) {
    position[i] = element % sizes[i];
    element /= sizes[i];
  }
  return position;
}

template <typename T, typename U>
[[kernel]] void copy_g(device const T* src [[buffer(0)]],
                       device U* dst [[buffer(1)]],
                       constant const uint* sizes [[buffer(2)]],
                       constant const int64_t* strides [[buffer(3)]],
                       constant const int& rank [[buffer(4)]],
                       uint index [[thread_position_in_grid]]) {
  dst[index] =
      static_cast<U>(src[element_offset<int>(index, sizes, strides, rank)]);
}

template <typename T>
[[kernel]] void copy_by_struct(device const T* src [[buffer(0)]],
                               device T* dst [[buffer(1)]],
                               constant CopyParams& params [[buffer(2)]],
                               uint3 index [[thread_position_in_grid]],
                               uint3 grid [[threads_per_grid]]) {
  const CopyParams p = params;
  const uint element = index.x + grid.x * (index.y + grid.y * index.z);
  const auto position = position_of(element, params.sizes);
  int64_t offset = 0;
  for (uint i = 0; i < p.rank; ++i) {
    offset += position[i] * params.strides[i];
  }
  dst[element] = src[offset];
}

}  // namespace layouts

template [[host_name("copy_g_float_half")]] [[kernel]] void layouts::copy_g(
    device const float* src [[buffer(0)]],
    device half* dst [[buffer(1)]],
    constant const uint* sizes [[buffer(2)]],
    constant const int64_t* strides [[buffer(3)]],
    constant const int& rank [[buffer(4)]],
    uint index [[thread_position_in_grid]]);

namespace layouts {
template [[host_name("copy_struct_short")]]
[[kernel]] decltype(copy_by_struct<short>) copy_by_struct<short>;
}
