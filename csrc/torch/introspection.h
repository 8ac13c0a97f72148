// SPDX-License-Identifier: MIT
// Operators without tensors: what would be refused, what would be planned, what
// is cached. They compute nothing on any device.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace flash_attn_mps {

// check_arguments for Python and for fake tensors, which have no storage. The
// tensors are query, key, value; then the mask, if there are four; then
// grad_output, output and log_sum_exp, if there are six. `ranks` cuts `sizes`
// into shapes; `dtypes` and `devices` are names separated by commas. Returns
// the class of the error ("" if there is none) and its sentences, one a line.
// NOLINTNEXTLINE(readability-function-size)
std::tuple<std::string, std::string> refusals(const std::string& operator_name,
                                              const std::vector<int64_t>& ranks,
                                              const std::vector<int64_t>& sizes,
                                              const std::string& dtypes,
                                              const std::string& devices,
                                              double dropout_p,
                                              bool is_causal,
                                              bool enable_gqa,
                                              bool may_broadcast);

// Every value from the problem to the dispatch for row-major tensors of sizes
// [batch, query_heads, query_length, key_length, head_dim]: sections that begin
// with "[name]", each with lines "name: value".
std::string explain(const std::vector<int64_t>& sizes,
                    int64_t key_value_heads,
                    const std::string& dtype,
                    bool is_causal);

// The Metal texts of the kernels that `explain` lists, for tools that judge or
// change them. `sizes` has the value's head dimension as a sixth number. Each
// text follows a line "//kernel <name> <grid threads> <threads of a group>".
std::string kernel_sources(const std::vector<int64_t>& sizes,
                           int64_t key_value_heads,
                           const std::string& dtype,
                           bool is_causal);

// Hits, misses and size of the pipeline cache.
std::tuple<int64_t, int64_t, int64_t> cached_pipelines();

// Parameter buffers held now.
int64_t cached_parameter_buffers();

}  // namespace flash_attn_mps
