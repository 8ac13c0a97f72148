// SPDX-License-Identifier: MIT
// Finds the attribute lists of a Metal text and answers questions about ranges
// of its tokens.
#include "simulator/translate/metal_source.h"

#include <utility>

#include "simulator/translate/translated_source.h"

namespace flash_attn_mps::simulator {

MetalSource::MetalSource(std::string preprocessed_text,
                         const std::string& file_name)
    : text_(tokenize(std::move(preprocessed_text), file_name)),
      structure_(find_structure(text_)),
      is_in_attribute_(text_.tokens.size(), false),
      edits_(text_) {
  find_attributes();
}

// `[[` and `]]` are pairs of neighbouring brackets that match each other.
void MetalSource::find_attributes() {
  for (std::size_t i = 0; i + 1 < text_.tokens.size(); ++i) {
    const std::size_t close = partner(i);
    if (!token(i).is("[") || !token(i + 1).is("[") || close == kNoToken ||
        partner(i + 1) != close - 1) {
      continue;
    }
    attributes_.push_back(read_attribute_list(i));
    for (std::size_t k = i; k <= close; ++k) {
      is_in_attribute_[k] = true;
    }
    i = close;
  }
}

AttributeList MetalSource::read_attribute_list(std::size_t open) const {
  AttributeList list;
  list.tokens = {open, partner(open) + 1};
  const TokenRange inside{open + 2, partner(open) - 1};
  for (const TokenRange& part : split_at_commas(text_, structure_, inside)) {
    list.attributes.push_back(read_attribute(part));
  }
  return list;
}

Attribute MetalSource::read_attribute(TokenRange part) const {
  Attribute attribute;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (token(i).is_identifier()) {
      attribute.name = token(i).text;
    } else if (token(i).is("(") && partner(i) != kNoToken) {
      attribute.arguments = {i + 1, partner(i)};
      break;
    }
  }
  return attribute;
}

std::vector<Attribute> MetalSource::attributes_in(TokenRange range) const {
  std::vector<Attribute> found;
  for (const AttributeList& list : attributes_) {
    if (list.tokens.begin >= range.begin && list.tokens.end <= range.end) {
      found.insert(found.end(), list.attributes.begin(), list.attributes.end());
    }
  }
  return found;
}

bool MetalSource::is_in_attribute(std::size_t index) const {
  return is_in_attribute_[index];
}

std::string MetalSource::original_text(TokenRange range) const {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!text.empty() && !token(i).spacing.empty()) {
      text += ' ';
    }
    text += token(i).text;
  }
  return text;
}

std::size_t MetalSource::after_group(std::size_t index) const {
  if (partner(index) != kNoToken && partner(index) > index) {
    return partner(index) + 1;
  }
  if (token(index).is("<")) {
    const std::size_t after = template_list_end(text_, structure_, index);
    if (after != kNoToken) {
      return after;
    }
  }
  return index + 1;
}

std::size_t MetalSource::find(TokenRange range, std::string_view text) const {
  for (std::size_t i = range.begin; i < range.end;) {
    if (token(i).is(text) && !is_in_attribute(i)) {
      return i;
    }
    const bool opens_list =
        token(i).is("<") && i > range.begin && token(i - 1).is_identifier();
    const bool opens_group = partner(i) != kNoToken && partner(i) > i;
    i = opens_list || opens_group ? after_group(i) : i + 1;
  }
  return kNoToken;
}

bool MetalSource::contains(TokenRange range, std::string_view text) const {
  return find(range, text) != kNoToken;
}

std::size_t MetalSource::after_template_header(std::size_t begin) const {
  while (begin + 1 < text_.tokens.size() && token(begin).is("template") &&
         token(begin + 1).is("<")) {
    const std::size_t after = template_list_end(text_, structure_, begin + 1);
    if (after == kNoToken) {
      return begin;
    }
    begin = after;
  }
  return begin;
}

std::string MetalSource::place(std::size_t index) const {
  return place_of(text_, token(index));
}

void MetalSource::refuse(std::size_t index, const std::string& sentence) const {
  throw CompileError(place(index) + ": " + sentence);
}

void remove_attributes(MetalSource& source) {
  for (const AttributeList& list : source.attributes()) {
    source.edits().remove_range(list.tokens.begin, list.tokens.end);
  }
}

}  // namespace flash_attn_mps::simulator
