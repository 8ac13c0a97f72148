// SPDX-License-Identifier: MIT
// SHA-256, block by block.
#include "simulator/translate/content_hash.h"

#include <algorithm>
#include <bit>

namespace flash_attn_mps::simulator {
namespace {

constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Schedule = std::array<std::uint32_t, 64>;

Schedule message_schedule(const std::array<unsigned char, 64>& block) {
  Schedule words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      words[i] = (words[i] << 8) | block[4 * i + k];
    }
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  return words;
}

}  // namespace

void ContentHash::compress() {
  const Schedule words = message_schedule(block_);
  std::array<std::uint32_t, 8> s = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum1 =
        std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t t1 =
        s[7] + sum1 + choice + kRoundConstants[i] + words[i];
    const std::uint32_t sum0 =
        std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority =
        (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {t1 + sum0 + majority, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) {
    state_[i] += s[i];
  }
}

void ContentHash::append(const unsigned char* bytes, std::size_t count) {
  total_bytes_ += count;
  while (count > 0) {
    const std::size_t taken = std::min(count, block_.size() - used_);
    std::copy_n(bytes, taken, block_.begin() + static_cast<long>(used_));
    bytes += taken;
    count -= taken;
    used_ += taken;
    if (used_ == block_.size()) {
      compress();
      used_ = 0;
    }
  }
}

ContentHash& ContentHash::add(std::string_view part) {
  add(static_cast<std::uint64_t>(part.size()));
  append(reinterpret_cast<const unsigned char*>(part.data()), part.size());
  return *this;
}

ContentHash& ContentHash::add(std::uint64_t number) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(number >> (56 - 8 * i));
  }
  append(bytes.data(), bytes.size());
  return *this;
}

std::string ContentHash::finish() {
  const std::uint64_t bits = total_bytes_ * 8;
  const unsigned char one = 0x80;
  const unsigned char zero = 0;
  append(&one, 1);
  while (used_ != 56) {
    append(&zero, 1);
  }
  add(bits);
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += kDigits[(word >> shift) & 15U];
    }
  }
  return text;
}

}  // namespace flash_attn_mps::simulator
