// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4) of everything that a cached file depends on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flash_attn_mps::simulator {

class ContentHash {
 public:
  // Each part is preceded by its length, so parts cannot run together.
  ContentHash& add(std::string_view part);
  ContentHash& add(std::uint64_t number);

  // 64 hexadecimal digits. The object must not be used afterwards.
  std::string finish();

 private:
  void append(const unsigned char* bytes, std::size_t count);
  void compress();

  std::array<std::uint32_t, 8> state_ = {0x6a09e667,
                                         0xbb67ae85,
                                         0x3c6ef372,
                                         0xa54ff53a,
                                         0x510e527f,
                                         0x9b05688c,
                                         0x1f83d9ab,
                                         0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t used_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace flash_attn_mps::simulator
