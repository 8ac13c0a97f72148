// SPDX-License-Identifier: MIT
// The reader of the dump. A place is printed as the difference to the place
// printed before it ("file:line:column", "line:line:column" or "col:column"),
// so every line has to be read in order.
#include "simulator/dialect/syntax_tree.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace flash_attn_mps::simulator {
namespace {

struct Place {
  int file = 0;
  int line = 0;
};

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class DumpReader {
 public:
  explicit DumpReader(SyntaxTree& tree) : tree_(tree) {
    tree_.files.emplace_back();
  }

  void run() {
    std::string_view rest = tree_.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    close_nodes(/*depth=*/0);
  }

 private:
  void close_nodes(int depth) {
    while (!open_.empty() && tree_.nodes[open_.back()].depth >= depth) {
      tree_.nodes[open_.back()].end = tree_.nodes.size();
      open_.pop_back();
    }
  }

  void read_line(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" |`-");
    if (begin == line.npos) {
      return;
    }
    SyntaxNode node;
    node.depth = static_cast<int>(begin / 2);
    line.remove_prefix(begin);
    node.kind = take_word(line);
    if (line.starts_with("0x")) {
      node.address = take_word(line);
    }
    for (std::string_view word : {"parent", "prev"}) {
      if (line.starts_with(word) && line.size() > word.size() &&
          line[word.size()] == ' ') {
        node.detail = line;
        take_word(line);
        take_word(line);
      }
    }
    read_place(line, node);
    node.detail = node.detail.empty() ? line : node.detail;
    close_nodes(node.depth);
    node.parent = open_.empty() ? 0 : open_.back();
    open_.push_back(tree_.nodes.size());
    tree_.nodes.push_back(node);
  }

  static std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
  }

  // `<begin, end> own-place rest`: a declaration is where its name is, an
  // expression where it begins, unless a macro of a header begins it.
  void read_place(std::string_view& line, SyntaxNode& node) {
    if (!line.starts_with('<')) {
      return;
    }
    const std::size_t end = end_of_range(line);
    std::string_view range = line.substr(1, end - 1);
    line.remove_prefix(std::min(end + 1, line.size()));
    std::size_t comma = range.find(", ");
    while (comma != range.npos && range[0] != '<' &&
           !is_location(range.substr(0, comma))) {
      comma = range.find(", ", comma + 1);  // a comma of a file's name
    }
    const Place begin = read_location(range.substr(0, comma));
    Place place = begin;
    if (comma != range.npos) {
      const Place last = read_location(range.substr(comma + 2));
      place = begin.file == last.file ? begin : last;
    }
    line.remove_prefix(line.starts_with(' ') ? 1 : 0);
    if (const std::size_t length = location_length(line); length != 0) {
      place = read_location(line.substr(0, length));
      line.remove_prefix(std::min(length + 1, line.size()));
    }
    node.file = place.file;
    node.line = place.line;
  }

  // The '>' that closes the range; file names such as `<built-in>` nest.
  static std::size_t end_of_range(std::string_view line) {
    int depth = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      depth += line[i] == '<' ? 1 : 0;
      depth -= line[i] == '>' ? 1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return line.size();
  }

  // Length of a place at the front of the text, 0 if none is there: up to the
  // first ":12:3" or "col:3" that a blank or the end follows. A file's name may
  // hold blanks, but what holds a quote is a type.
  static std::size_t location_length(std::string_view text) {
    const std::size_t limit = std::min(text.find('\''), text.size());
    for (std::size_t end = 0; end < limit;) {
      end = std::min(text.find(' ', end), limit);
      if (is_location(text.substr(0, end))) {
        return end;
      }
      ++end;
    }
    return 0;
  }

  static bool ends_in_number(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    return colon != text.npos && colon + 1 < text.size() &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                       text.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
  }

  // "col:3", "line:12:3" or "file:12:3".
  static bool is_location(std::string_view text) {
    return ends_in_number(text) &&
           (text.starts_with("col:") ||
            ends_in_number(text.substr(0, text.rfind(':'))));
  }

  Place read_location(std::string_view location) {
    const std::size_t column = location.rfind(':');
    if (!is_location(location) || location.starts_with("col:")) {
      return is_location(location) ? last_ : Place{};
    }
    const std::string_view front = location.substr(0, column);
    const std::size_t colon = front.rfind(':');
    if (colon == front.npos) {
      return last_;
    }
    last_.line = number(front.substr(colon + 1));
    if (front.substr(0, colon) != "line") {
      last_.file = file_index(front.substr(0, colon));
    }
    return last_;
  }

  int file_index(std::string_view name) {
    const auto found = std::find(tree_.files.begin(), tree_.files.end(), name);
    if (found != tree_.files.end()) {
      return static_cast<int>(found - tree_.files.begin());
    }
    tree_.files.emplace_back(name);
    return static_cast<int>(tree_.files.size()) - 1;
  }

  SyntaxTree& tree_;
  Place last_;
  std::vector<std::size_t> open_;
};

std::string_view last_word(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  if (end == text.npos) {
    return {};
  }
  const std::size_t blank = text.rfind(' ', end);
  const std::size_t begin = blank == text.npos ? 0 : blank + 1;
  return text.substr(begin, end + 1 - begin);
}

std::string_view quoted(std::string_view text) {
  const std::size_t begin = text.find('\'');
  const std::size_t end =
      begin == text.npos ? begin : text.find('\'', begin + 1);
  return end == text.npos ? std::string_view{}
                          : text.substr(begin + 1, end - begin - 1);
}

std::string_view word_behind(std::string_view text, std::string_view word) {
  const std::size_t found = text.find(word);
  if (found == text.npos) {
    return {};
  }
  text.remove_prefix(found + word.size());
  return text.substr(0, std::min(text.find(' '), text.size()));
}

std::string_view name_of_type_declaration(std::string_view detail) {
  for (std::string_view word : {"struct ", "class ", "union ", "enum "}) {
    const std::size_t found = detail.find(word);
    if (found != detail.npos) {
      const std::string_view name = word_behind(detail, word);
      return name == "class" || name == "struct"
                 ? word_behind(detail,
                               std::string(word) + std::string(name) + ' ')
                 : name;
    }
  }
  return last_word(detail);
}

}  // namespace

SyntaxTree read_syntax_tree(std::string dump) {
  SyntaxTree tree;
  tree.text = std::move(dump);
  // Views into a short string would not survive a move of the tree.
  tree.text.reserve(std::max<std::size_t>(tree.text.size(), 64));
  DumpReader(tree).run();
  return tree;
}

std::string_view declared_name(const SyntaxNode& node) {
  const std::string_view kind = node.kind;
  if (!kind.ends_with("Decl")) {
    return {};
  }
  if (kind == "CXXRecordDecl" || kind == "EnumDecl" ||
      kind.starts_with("ClassTemplate")) {
    return kind == "ClassTemplateDecl" ? last_word(node.detail)
                                       : name_of_type_declaration(node.detail);
  }
  if (kind == "NonTypeTemplateParmDecl") {
    return last_word(node.detail);
  }
  return last_word(node.detail.substr(
      0, std::min(node.detail.find('\''), node.detail.size())));
}

std::string_view written_type(const SyntaxNode& node) {
  return quoted(node.detail);
}

std::string_view canonical_type(const SyntaxNode& node) {
  const std::string_view written = written_type(node);
  if (written.empty()) {
    return {};
  }
  const std::size_t behind =
      static_cast<std::size_t>(written.data() - node.detail.data()) +
      written.size() + 1;
  const std::string_view rest = node.detail.substr(behind);
  return rest.starts_with(":'") ? quoted(rest) : written;
}

bool has_flag(const SyntaxNode& node, std::string_view word) {
  std::string_view rest = node.detail;
  while (!rest.empty()) {
    if (rest.starts_with('\'')) {
      rest.remove_prefix(std::min(rest.find('\'', 1), rest.size() - 1) + 1);
      continue;
    }
    const std::size_t end = std::min(rest.find_first_of(" '"), rest.size());
    if (rest.substr(0, end) == word) {
      return true;
    }
    const bool is_blank = end < rest.size() && rest[end] == ' ';
    rest.remove_prefix(end + (is_blank ? 1 : 0));
  }
  return false;
}

std::string_view address_behind(const SyntaxNode& node, std::string_view word) {
  const std::string_view address = word_behind(node.detail, word);
  return address.starts_with("0x") ? address : std::string_view{};
}

}  // namespace flash_attn_mps::simulator
