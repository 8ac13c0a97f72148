// SPDX-License-Identifier: MIT
// Says when the initialisers of a compiled kernel run: the values of program-
// scope variables that are no constant expressions to the host. No lane runs
// then, so accesses have no one to be told of.
#pragma once

#include <atomic>

namespace flash_attn_mps::simulator {

// Read at each access: almost always 0.
extern std::atomic<unsigned> libraries_being_loaded;

// While one lives, its thread loads a library.
class LibraryLoading {
 public:
  LibraryLoading();
  ~LibraryLoading();
  LibraryLoading(const LibraryLoading&) = delete;
  LibraryLoading& operator=(const LibraryLoading&) = delete;

  static bool is_on_this_thread();
};

}  // namespace flash_attn_mps::simulator
