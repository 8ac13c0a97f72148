// SPDX-License-Identifier: MIT
// A count for all threads, and a mark for the one that loads.
#include "simulator/execute/library_loading.h"

namespace flash_attn_mps::simulator {
namespace {

thread_local unsigned loading_here = 0;

}  // namespace

std::atomic<unsigned> libraries_being_loaded = 0;

LibraryLoading::LibraryLoading() {
  ++loading_here;
  ++libraries_being_loaded;
}

LibraryLoading::~LibraryLoading() {
  --libraries_being_loaded;
  --loading_here;
}

bool LibraryLoading::is_on_this_thread() {
  return loading_here != 0;
}

}  // namespace flash_attn_mps::simulator
