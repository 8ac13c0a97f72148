// SPDX-License-Identifier: MIT
// One Metal text with its kernels, each compiled and loaded once. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simulator/execute/loaded_kernel.h"
#include "simulator/translate/metal_program.h"

namespace flash_attn_mps::simulator {

class KernelLibrary {
 public:
  // Throws CompileError.
  explicit KernelLibrary(const CompileRequest& request);

  std::vector<std::string> kernel_names() const;
  bool has_kernel(const std::string& name) const;

  // By host name or by function name; throws CompileError.
  std::shared_ptr<const LoadedKernel> kernel(const std::string& name);

 private:
  Build build_;
  MetalProgram program_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const LoadedKernel>> loaded_;
};

}  // namespace flash_attn_mps::simulator
