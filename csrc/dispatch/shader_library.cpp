// SPDX-License-Identifier: MIT
// Creation and deletion of shader libraries. Callers serialise creation: torch
// up to 2.14 has no lock of its own around its kernel cache.
#include "dispatch/shader_library.h"

#include "dispatch/shim_error.h"

namespace flash_attn_mps {

void ShaderLibraryDeleter::operator()(
    AOTIMetalShaderLibraryHandle library) const {
  // A deleter must not throw, and a library that cannot be deleted is only
  // memory that is not given back.
  static_cast<void>(aoti_torch_mps_delete_shader_library(library));
}

Pipeline::Pipeline(const std::string& source, const std::string& kernel_name) {
  // The handle stays unset when the text does not compile.
  AOTIMetalShaderLibraryHandle library = nullptr;
  check_shim(aoti_torch_mps_create_shader_library(source.c_str(), &library),
             "aoti_torch_mps_create_shader_library");
  library_.reset(library);
  check_shim(aoti_torch_mps_get_kernel_function(
                 library, kernel_name.c_str(), &function_),
             "aoti_torch_mps_get_kernel_function");
  if (function_ == nullptr) {
    throw ShimError("internal error in Pipeline: no kernel " + kernel_name +
                    " in the compiled text, please report");
  }
}

}  // namespace flash_attn_mps
