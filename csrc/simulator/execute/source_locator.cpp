// SPDX-License-Identifier: MIT
// Asks _source_lines.py, which lies beside this library, and remembers its
// answers.
#include "simulator/execute/source_locator.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include "simulator/translate/process.h"
#include "simulator/translate/toolchain.h"

namespace flash_attn_mps::simulator {
namespace {

struct FileLine {
  std::string file;
  int line = 0;
};

// By library and by address in it.
using KnownLines = std::map<std::pair<std::string, std::uintptr_t>, FileLine>;

struct LineCache {
  std::mutex mutex;
  KnownLines lines;
};

LineCache& line_cache() {
  static auto* cache = new LineCache;
  return *cache;
}

std::string script_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&script_path), &info) == 0) {
    return "";
  }
  const std::string library = info.dli_fname;
  const auto slash = library.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : library.substr(0, slash);
  return folder + "/_source_lines.py";
}

// The script prints one line for each address: line number, space, file.
void look_up(const std::string& library,
             const std::set<std::uintptr_t>& addresses,
             KnownLines& lines) {
  std::vector<std::string> command = {
      configured_toolchain().python, script_path(), library};
  for (const std::uintptr_t address : addresses) {
    command.push_back(std::to_string(address));
  }
  std::istringstream output(run_process(command).output);
  for (const std::uintptr_t address : addresses) {
    FileLine place;
    std::string line;
    if (std::getline(output, line)) {
      const auto space = line.find(' ');
      place.line = static_cast<int>(std::strtol(line.c_str(), nullptr, 10));
      place.file = space == std::string::npos ? "" : line.substr(space + 1);
    }
    lines[{library, address}] = std::move(place);
  }
}

bool needs_lookup(const SourcePlace& place, const LoadedKernel& kernel) {
  return place.file.empty() &&
         kernel.contains(reinterpret_cast<const void*>(place.address));
}

// The call instruction precedes the return address.
std::uintptr_t address_in(const LoadedKernel& kernel,
                          const SourcePlace& place) {
  return place.address - kernel.load_address() - 1;
}

void fill_in(SourcePlace& place,
             const LoadedKernel& kernel,
             const KnownLines& lines) {
  if (needs_lookup(place, kernel)) {
    const auto found = lines.find({kernel.path(), address_in(kernel, place)});
    if (found != lines.end()) {
      place.file = found->second.file;
      place.line = place.line != 0 ? place.line : found->second.line;
    }
  }
  if (place.file.empty()) {
    place.file = kernel.declaration().file;
    place.line = place.line != 0 ? place.line : kernel.declaration().line;
  }
}

}  // namespace

void locate_places(std::vector<Violation>& reports,
                   const LoadedKernel& kernel) {
  LineCache& cache = line_cache();
  const std::lock_guard lock(cache.mutex);
  std::set<std::uintptr_t> unknown;
  const auto collect = [&](const SourcePlace& place) {
    if (needs_lookup(place, kernel) &&
        !cache.lines.contains({kernel.path(), address_in(kernel, place)})) {
      unknown.insert(address_in(kernel, place));
    }
  };
  for (const Violation& report : reports) {
    collect(report.place);
    if (report.other.has_value()) {
      collect(report.other->place);
    }
  }
  if (!unknown.empty()) {
    look_up(kernel.path(), unknown, cache.lines);
  }
  for (Violation& report : reports) {
    fill_in(report.place, kernel, cache.lines);
    if (report.other.has_value()) {
      fill_in(report.other->place, kernel, cache.lines);
    }
  }
}

}  // namespace flash_attn_mps::simulator
