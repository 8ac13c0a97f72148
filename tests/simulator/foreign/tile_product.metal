// SPDX-License-Identifier: MIT
// C = A * B by 8x8 fragments: a tile type with members in every style, register
// tiles by const thread reference, temporaries as arguments, a namespace with
// aliases, transposed loads.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>

namespace tiles {

using namespace metal;
typedef simdgroup_matrix<float, 8, 8> fragment_f32;

template <typename T, int kRows, int kColumns>
struct Tile {
  typedef simdgroup_matrix<T, 8, 8> fragment_type;
  static constant constexpr const int kFragments = kRows * kColumns;
  fragment_type fragments[kFragments];

  METAL_FUNC Tile() thread {}
  METAL_FUNC void clear() {
    for (short i = 0; i < kFragments; ++i) {
      fragments[i] = fragment_type(0);
    }
  }
  METAL_FUNC constexpr thread fragment_type& at(const short i, const short j) {
    return fragments[i * kColumns + j];
  }
  METAL_FUNC constexpr const thread fragment_type& at(const short i,
                                                      const short j) const {
    return fragments[i * kColumns + j];
  }
  template <typename U>
  METAL_FUNC void load(const device U* src, const int stride, bool transpose) {
    for (short i = 0; i < kRows; ++i) {
      for (short j = 0; j < kColumns; ++j) {
        const ulong2 origin = ulong2(0, 0);
        const device U* from = transpose ? src + j * 8 * stride + i * 8
                                         : src + i * 8 * stride + j * 8;
        simdgroup_load(at(i, j), from, stride, origin, transpose);
      }
    }
  }
};

template <typename T, int kM, int kK, int kN>
METAL_FUNC void multiply(thread Tile<float, kM, kN>& c,
                         const thread Tile<T, kM, kK>& a,
                         const thread Tile<T, kK, kN>& b) {
  for (short i = 0; i < kM; ++i) {
    for (short j = 0; j < kN; ++j) {
      for (short k = 0; k < kK; ++k) {
        simdgroup_multiply_accumulate(
            c.at(i, j), a.at(i, k), b.at(k, j), c.at(i, j));
      }
    }
  }
}

template <typename T, int kRows, int kColumns>
METAL_FUNC Tile<T, kRows, kColumns> loaded(const device T* src,
                                           int stride,
                                           bool transpose) {
  Tile<T, kRows, kColumns> tile;
  tile.load(src, stride, transpose);
  return tile;
}

}  // namespace tiles

template <typename T>
kernel void tile_product(device const T* a [[buffer(0)]],
                         device const T* b [[buffer(1)]],
                         device float* c [[buffer(2)]],
                         constant int& inner [[buffer(3)]],
                         constant bool& is_b_transposed [[buffer(4)]]) {
  tiles::Tile<float, 2, 2> result;
  result.clear();
  for (int k = 0; k < inner; k += 16) {
    const tiles::Tile<T, 2, 2> left =
        tiles::loaded<T, 2, 2>(a + k, inner, false);
    tiles::multiply(result,
                    left,
                    is_b_transposed
                        ? tiles::loaded<T, 2, 2>(b + k, inner, true)
                        : tiles::loaded<T, 2, 2>(b + k * 16, 16, false));
  }
  for (short i = 0; i < 2; ++i) {
    for (short j = 0; j < 2; ++j) {
      thread auto& elements = result.at(i, j).thread_elements();
      elements[0] *= 0.5f;
      elements[1] *= 0.5f;
      metal::simdgroup_store(result.at(i, j), c + i * 8 * 16 + j * 8, 16);
    }
  }
}

template [[host_name("tile_product_f32")]] kernel decltype(tile_product<float>)
    tile_product<float>;
template [[host_name("tile_product_f16")]] kernel decltype(tile_product<half>)
    tile_product<half>;
