// SPDX-License-Identifier: MIT
// A Metal text ready to make pipelines of: its kernel table, and the compiled
// library of each kernel. Everything is cached on disk, so a process that
// finds its kernels there starts no compiler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

// Cheap to copy. Safe to use from several threads.
class MetalProgram {
 public:
  // Throws CompileError.
  static MetalProgram translate(CompileRequest request);

  const std::vector<KernelDeclaration>& kernels() const;
  const TranslatedSource& translated() const { return *translated_; }

  // By host name, or by the name of a function that is no template. Throws
  // CompileError.
  CompiledKernel compile(const std::string& kernel_name) const;

 private:
  MetalProgram(CompileRequest request,
               std::string key,
               TranslatedSource translated);

  const KernelDeclaration& find_kernel(const std::string& name) const;
  [[noreturn]] void refuse_name(const std::string& name) const;
  std::string kernel_key(const KernelDeclaration& kernel) const;
  void build(const KernelDeclaration& kernel, const std::string& path) const;
  [[noreturn]] void report_link_error(const KernelDeclaration& kernel,
                                      const std::string& text) const;

  std::shared_ptr<const CompileRequest> request_;
  std::string key_;
  std::shared_ptr<const TranslatedSource> translated_;
};

}  // namespace flash_attn_mps::simulator
