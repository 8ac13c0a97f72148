// SPDX-License-Identifier: MIT
// Owners of what torch's C shim for MPS hands out when it compiles Metal text.
// They cache nothing; see pipeline_cache.h.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim_mps.h>

#include <memory>
#include <string>

namespace flash_attn_mps {

struct ShaderLibraryDeleter {
  void operator()(AOTIMetalShaderLibraryHandle library) const;
};

// One compiled text and one of its kernels. The library owns the kernel, so
// both live and die together.
class Pipeline {
 public:
  // Compiles the text; throws ShimError with the compiler's message.
  Pipeline(const std::string& source, const std::string& kernel_name);

  AOTIMetalKernelFunctionHandle function() const { return function_; }

 private:
  std::unique_ptr<AOTIMetalShaderLibraryOpaque, ShaderLibraryDeleter> library_;
  AOTIMetalKernelFunctionHandle function_ = nullptr;
};

}  // namespace flash_attn_mps
