// SPDX-License-Identifier: MIT
// Whether barriers order what the simdgroups of a threadgroup store to and load
// from threadgroup memory, again and again in the same place.

constant constexpr ushort kProbeThreads = 128;
constant constexpr int kRounds = 16;

[[kernel, max_total_threads_per_threadgroup(kProbeThreads)]] void
threadgroup_exchange(device float* result [[buffer(0)]],  // [groups, 128]
                     uint group [[threadgroup_position_in_grid]],
                     ushort thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float shared[kProbeThreads];
  float number = float(group * kProbeThreads + thread_index);
  for (int round = 0; round < kRounds; round++) {
    shared[thread_index] = number;
    // Between the stores above and the loads of other threads' numbers.
    threadgroup_barrier(mem_flags::mem_threadgroup);
    number = shared[(thread_index + 37) % kProbeThreads];
    // Between these loads and the stores of the next round.
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  result[group * kProbeThreads + thread_index] = number;
}
