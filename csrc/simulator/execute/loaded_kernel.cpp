// SPDX-License-Identifier: MIT
// Loads compiled kernels with dlopen.
#include "simulator/execute/loaded_kernel.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulator/execute/library_loading.h"
#include "simulator/translate/entry_text.h"

namespace flash_attn_mps::simulator {

namespace {

void* load_library(const std::string& path) {
  const LibraryLoading loading;
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

struct LoadedImage {
  std::uintptr_t address;
  std::size_t bytes;
};

int measure_image(dl_phdr_info* object, std::size_t, void* image_pointer) {
  auto* image = static_cast<LoadedImage*>(image_pointer);
  if (object->dlpi_addr != image->address) {
    return 0;
  }
  for (unsigned index = 0; index < object->dlpi_phnum; ++index) {
    const auto& header = object->dlpi_phdr[index];
    if (header.p_type == PT_LOAD) {
      image->bytes =
          std::max<std::size_t>(image->bytes, header.p_vaddr + header.p_memsz);
    }
  }
  return 1;
}

}  // namespace

void LoadedKernel::CloseLibrary::operator()(void* library) const {
  dlclose(library);
}

LoadedKernel::LoadedKernel(CompiledKernel compiled, Build build)
    : compiled_(std::move(compiled)),
      build_(build),
      library_(load_library(compiled_.path)) {
  if (library_ == nullptr) {
    throw std::runtime_error("simulator: cannot load a compiled kernel: " +
                             std::string(dlerror()));
  }
  void* symbol = dlsym(library_.get(), compiled_.entry_symbol.c_str());
  if (symbol == nullptr) {
    throw std::runtime_error("internal error in simulator: " + compiled_.path +
                             " has no entry " + compiled_.entry_symbol +
                             ", please report");
  }
  entry_ = reinterpret_cast<Entry>(symbol);
  // A limit that depends on template parameters is known to the compiler only.
  const void* limit = dlsym(library_.get(), kMaxTotalThreadsSymbol);
  if (limit != nullptr) {
    compiled_.declaration.max_total_threads = *static_cast<const int*>(limit);
  }
  Dl_info info{};
  if (dladdr(symbol, &info) != 0) {
    load_address_ = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  }
  LoadedImage image{load_address_, 0};
  dl_iterate_phdr(measure_image, &image);
  image_bytes_ = image.bytes;
}

}  // namespace flash_attn_mps::simulator
