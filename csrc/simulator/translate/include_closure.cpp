// SPDX-License-Identifier: MIT
// Follows #include lines.
#include "simulator/translate/include_closure.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

namespace flash_attn_mps::simulator {
namespace {

// Names behind `#include "..."` and `#include <...>`.
std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find("include", at)) != text.npos;) {
    const std::size_t word = at;
    at += std::string_view("include").size();
    const std::size_t hash = text.find_last_not_of(" \t", word - 1);
    const std::size_t open = text.find_first_not_of(" \t", at);
    if (word == 0 || hash == text.npos || text[hash] != '#' ||
        open == text.npos || (text[open] != '"' && text[open] != '<')) {
      continue;
    }
    const std::size_t close =
        text.find(text[open] == '"' ? '"' : '>', open + 1);
    if (close != text.npos) {
      names.emplace_back(text.substr(open + 1, close - open - 1));
    }
  }
  return names;
}

class ClosureReader {
 public:
  explicit ClosureReader(const std::vector<std::string>& include_paths)
      : include_paths_(include_paths) {}

  void follow(const std::string& text, const std::string& folder) {
    for (const std::string& name : included_names(text)) {
      if (!folder.empty()) {
        visit(folder + "/" + name);
      }
      for (const std::string& path : include_paths_) {
        visit(path + "/" + name);
      }
    }
  }

  std::vector<IncludedFile> take() {
    std::vector<IncludedFile> result;
    for (auto& [path, text] : files_) {
      if (!text.empty()) {
        result.push_back({path, std::move(text)});
      }
    }
    return result;
  }

 private:
  void visit(const std::string& path) {
    const auto normal = std::filesystem::path(path).lexically_normal();
    const auto [entry, is_new] = files_.emplace(normal.string(), "");
    if (is_new) {
      const std::string text = read_file(entry->first);
      entry->second = text;
      follow(text, normal.parent_path().string());
    }
  }

  const std::vector<std::string>& include_paths_;
  std::map<std::string, std::string> files_;
};

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

std::vector<IncludedFile> include_closure(
    const std::string& source,
    const std::vector<std::string>& include_paths) {
  ClosureReader reader(include_paths);
  reader.follow(source, "");
  return reader.take();
}

}  // namespace flash_attn_mps::simulator
