// SPDX-License-Identifier: MIT
// Compiles on first use and keeps what is loaded.
#include "simulator/execute/kernel_library.h"

#include <algorithm>
#include <utility>

namespace flash_attn_mps::simulator {

KernelLibrary::KernelLibrary(const CompileRequest& request)
    : build_(request.build), program_(MetalProgram::translate(request)) {}

std::vector<std::string> KernelLibrary::kernel_names() const {
  std::vector<std::string> names;
  for (const KernelDeclaration& kernel : program_.kernels()) {
    names.push_back(kernel.host_name);
  }
  return names;
}

bool KernelLibrary::has_kernel(const std::string& name) const {
  return std::ranges::any_of(
      program_.kernels(), [&name](const KernelDeclaration& kernel) {
        return kernel.host_name == name || kernel.function == name;
      });
}

std::shared_ptr<const LoadedKernel> KernelLibrary::kernel(
    const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(name);
  if (found != loaded_.end()) {
    return found->second;
  }
  auto kernel =
      std::make_shared<const LoadedKernel>(program_.compile(name), build_);
  loaded_.emplace(name, kernel);
  return kernel;
}

}  // namespace flash_attn_mps::simulator
