// SPDX-License-Identifier: MIT
// The buffer slot of every operand, the same number in all kernels. Which of
// them a kernel takes is written in the kernel and in csrc/plan.
#pragma once

namespace flash_attn_mps {

enum AttentionBuffer {
  kQueryBuffer = 0,
  kKeyBuffer = 1,
  kValueBuffer = 2,
  kOutputBuffer = 3,
  kLogSumExpBuffer = 4,
  kGradOutputBuffer = 5,
  kDeltaBuffer = 6,
  kGradQueryBuffer = 7,
  kGradKeyBuffer = 8,
  kGradValueBuffer = 9,
  kParamsBuffer = 10,
  kAttentionBufferCount = 11
};

}  // namespace flash_attn_mps
