// SPDX-License-Identifier: MIT
// The product itself: float32 fused multiply-adds with k ascending, one
// rounding to the element type of D after each product. What Apple's hardware
// does inside a product is not published: assumed, not measured.
#include "simulator/execute/matrix_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulator/execute/injected_fault.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flash_attn_mps::simulator {
namespace {

constexpr unsigned kSide = 8;

// Round to nearest, ties to even, as a conversion instruction does.
std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<std::uint16_t>(sign | 0x7e00U |
                                      ((magnitude >> 13) & 0x3ffU));
  }
  if (magnitude >= 0x477ff000U) {
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude < 0x38800000U) {
    const float scaled = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000U));
  }
  const std::uint32_t rounded =
      magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= 0x7c00U) {
    return std::bit_cast<float>(sign | 0x7f800000U | (magnitude << 13));
  }
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

std::uint16_t bfloat_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >>
                                    16);
}

void round_tile(float* d, unsigned char element) {
  if (element == kMatrixHalf) {
    std::transform(d, d + kMatrixElements, d, [](float value) {
      return float_from_half(half_from_float(value));
    });
  } else if (element == kMatrixBfloat) {
    std::transform(d, d + kMatrixElements, d, [](float value) {
      return std::bit_cast<float>(
          static_cast<std::uint32_t>(bfloat_from_float(value)) << 16);
    });
  }
}

void multiply_portable(const float* a, const float* b, float* d) {
  for (std::size_t element = 0; element < kMatrixElements; ++element) {
    const std::size_t row = element / kSide;
    const std::size_t column = element % kSide;
    for (std::size_t k = 0; k < kSide; ++k) {
      d[element] =
          std::fma(a[row * kSide + k], b[k * kSide + column], d[element]);
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_avx2(const float* a,
                                                       const float* b,
                                                       float* d) {
  __m256 rows[kSide];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kSide; ++row) {
    rows[row] = _mm256_load_ps(d + row * kSide);
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kSide; ++k) {
    const __m256 right = _mm256_load_ps(b + k * kSide);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kSide; ++row) {
      const __m256 left = _mm256_broadcast_ss(a + row * kSide + k);
      rows[row] = _mm256_fmadd_ps(left, right, rows[row]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kSide; ++row) {
    _mm256_store_ps(d + row * kSide, rows[row]);
  }
}
#endif

using MultiplyFunction = void (*)(const float*, const float*, float*);

// For tests of what notices a wrong GPU; see injected_fault.h.
void multiply_wrongly(const float* a, const float* b, float* d) {
  multiply_portable(a, b, d);
  d[kSide + 2] += d[kSide + 2] / 64.0F;
}

MultiplyFunction select_multiply() {
  if (injected_fault() == InjectedFault::kProduct) {
    return multiply_wrongly;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return multiply_avx2;
  }
#endif
  return multiply_portable;
}

const MultiplyFunction multiply_tiles = select_multiply();
const unsigned lane_exchange =
    injected_fault() == InjectedFault::kLaneMap ? 2U : 0U;

std::array<unsigned, kSimdWidth> make_lane_offsets() {
  std::array<unsigned, kSimdWidth> offsets{};
  for (unsigned index = 0; index < kSimdWidth; ++index) {
    const unsigned lane = index ^ lane_exchange;
    const unsigned row = ((lane >> 2) & 4U) + ((lane >> 1) & 3U);
    const unsigned column = ((lane >> 2) & 2U) * 2 + (lane & 1U) * 2;
    offsets[index] = row * kSide + column;
  }
  return offsets;
}

const std::array<unsigned, kSimdWidth> lane_offsets = make_lane_offsets();

bool is_uniform(const unsigned char* slots) {
  unsigned char first[kSimdWidth];
  std::memset(first, slots[0], sizeof first);
  return std::memcmp(first, slots, sizeof first) == 0;
}

// Lanes that accumulate into different slots: each brings and takes back its
// own two elements.
void multiply_mixed(MatrixQueue& queue, unsigned entry) {
  alignas(32) float tile[kMatrixElements];
  const unsigned char* slots = queue.slot[entry];
  for (unsigned lane = 0; lane < kSimdWidth; ++lane) {
    const unsigned offset = lane_offsets[lane];
    std::memcpy(tile + offset, queue.d[slots[lane]] + offset, 8);
  }
  multiply_tiles(queue.a[entry], queue.b[entry], tile);
  round_tile(tile, queue.element[entry]);
  for (unsigned lane = 0; lane < kSimdWidth; ++lane) {
    const unsigned offset = lane_offsets[lane];
    std::memcpy(queue.d[slots[lane]] + offset, tile + offset, 8);
  }
}

void store_elements(const float* values,
                    unsigned char element,
                    void* destination) {
  if (element == kMatrixFloat) {
    std::memcpy(destination, values, 8);
    return;
  }
  const bool is_half = element == kMatrixHalf;
  const std::uint16_t narrow[2] = {
      is_half ? half_from_float(values[0]) : bfloat_from_float(values[0]),
      is_half ? half_from_float(values[1]) : bfloat_from_float(values[1])};
  std::memcpy(destination, narrow, sizeof narrow);
}

// Slot `entry` belongs to the lanes that opened it there; the others'
// destination pointers in this row are left over from an earlier epoch.
void write_back(const MatrixQueue& queue, unsigned entry) {
  for (unsigned lane = 0; lane < kSimdWidth; ++lane) {
    void* destination = queue.destination[entry][lane];
    if (queue.slot[entry][lane] == entry && destination != nullptr) {
      store_elements(queue.d[entry] + lane_offsets[lane],
                     queue.element[entry],
                     destination);
    }
  }
}

}  // namespace

unsigned matrix_offset_of_lane(unsigned lane) {
  return lane_offsets[lane];
}

PostedProducts posted_products(const MatrixQueue& queue, unsigned lanes) {
  PostedProducts posted{kMatrixQueueLength, 0};
  for (unsigned lane = 0; lane < kSimdWidth; ++lane) {
    if (((lanes >> lane) & 1U) != 0) {
      posted.least = std::min<unsigned>(posted.least, queue.posted[lane]);
      posted.most = std::max<unsigned>(posted.most, queue.posted[lane]);
    }
  }
  return posted;
}

void compute_products(MatrixQueue& queue, unsigned count) {
  for (unsigned entry = queue.drained; entry < count; ++entry) {
    if (!is_uniform(queue.slot[entry])) {
      multiply_mixed(queue, entry);
      continue;
    }
    float* d = queue.d[queue.slot[entry][0]];
    multiply_tiles(queue.a[entry], queue.b[entry], d);
    round_tile(d, queue.element[entry]);
  }
  for (unsigned entry = 0; entry < count; ++entry) {
    write_back(queue, entry);
  }
  queue.drained = count;
}

void reset_products(MatrixQueue& queue) {
  ++queue.epoch;
  queue.drained = 0;
  std::memset(queue.posted, 0, sizeof queue.posted);
  std::memset(queue.site, 0, sizeof queue.site);
}

}  // namespace flash_attn_mps::simulator
