// SPDX-License-Identifier: MIT
// Remembers on disk which machines a probe has passed on, so that it is not
// repeated in every process. A failed probe is never remembered.
#pragma once

#include <string>

namespace flash_attn_mps {

// The hardware, operating system and torch of this process, one line each: a
// probe that passed is valid as long as they are the same.
std::string machine_description();

// $FLASH_ATTN_MPS_CACHE_DIR, or the user's cache folder; "" without either.
std::string probe_record_folder();

// Whether `folder` holds a record with exactly this description.
bool has_probe_record(const std::string& folder,
                      const std::string& description);

// Writes the record, whole or not at all. A folder that cannot be written is
// no error: the probe is then repeated in the next process.
void write_probe_record(const std::string& folder,
                        const std::string& description);

}  // namespace flash_attn_mps
