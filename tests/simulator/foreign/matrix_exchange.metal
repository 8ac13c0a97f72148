// SPDX-License-Identifier: MIT
// A row-of-blocks exchange in the style of attention kernels that unpack into
// a half4x4: matrices assigned through thread, threadgroup and device memory.
#include <metal_stdlib>

using namespace metal;

template <typename tile_t, typename column_t>
void unpack_tile(device const column_t* source,
                 short tile,
                 thread tile_t& out) {
  tile_t unpacked;
  for (short i = 0; i < 4; ++i) {
    unpacked[i] = source[4 * tile + i];
  }
  out = unpacked;
}

kernel void matrix_exchange(device const half4* source [[buffer(0)]],
                            device half4x4* tiles [[buffer(1)]],
                            device half4* first_columns [[buffer(2)]],
                            threadgroup half4x4* shared [[threadgroup(0)]],
                            uint thread_index [[thread_position_in_grid]]) {
  half4x4 tile;
  unpack_tile(source, short(thread_index), tile);
  shared[thread_index] = tile;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tiles[thread_index] = shared[1 - thread_index];
  tile = tiles[thread_index];
  first_columns[thread_index] = tile[0];
}
