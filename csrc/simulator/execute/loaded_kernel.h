// SPDX-License-Identifier: MIT
// A compiled kernel in memory: its entry point and its declaration. Does not
// compile and does not run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

class LoadedKernel {
 public:
  // Throws std::runtime_error when the library cannot be loaded.
  LoadedKernel(CompiledKernel compiled, Build build);

  using Entry = void (*)();
  Entry entry() const { return entry_; }
  const KernelDeclaration& declaration() const { return compiled_.declaration; }
  const std::string& path() const { return compiled_.path; }
  bool is_checked() const { return build_ == Build::kChecked; }
  // Where the library lies in memory, to turn an address into a file offset.
  std::uintptr_t load_address() const { return load_address_; }
  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - load_address_ <
           image_bytes_;
  }

 private:
  struct CloseLibrary {
    void operator()(void* library) const;
  };

  CompiledKernel compiled_;
  Build build_;
  std::unique_ptr<void, CloseLibrary> library_;
  Entry entry_ = nullptr;
  std::uintptr_t load_address_ = 0;
  std::size_t image_bytes_ = 0;
};

}  // namespace flash_attn_mps::simulator
