// SPDX-License-Identifier: MIT
// Runs the steps of the check one after another; each knows less of the text
// and more of its meaning. A step whose input could not be made is left out:
// the text is refused already.
#include "simulator/dialect/dialect_check.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "simulator/dialect/compiler_messages.h"
#include "simulator/dialect/function_outline.h"
#include "simulator/dialect/kernel_rules.h"
#include "simulator/dialect/source_text_rules.h"
#include "simulator/dialect/syntax_tree.h"
#include "simulator/dialect/syntax_tree_rules.h"
#include "simulator/dialect/threadgroup_bytes_rule.h"
#include "simulator/dialect/token_rules.h"
#include "simulator/dialect/vocabulary_rule.h"
#include "simulator/translate/compile_command.h"
#include "simulator/translate/entry_text.h"
#include "simulator/translate/include_closure.h"
#include "simulator/translate/kernel_cache.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/preprocess.h"
#include "simulator/translate/process.h"
#include "simulator/translate/toolchain.h"
#include "simulator/translate/translate.h"
#include "simulator/translate/unit_text.h"

namespace flash_attn_mps::simulator {
namespace {

// How entry_text() names the file of an entry.
constexpr std::string_view kEntryFile = "entry of ";

// `name` with a number behind it, wherever it stands.
void number_name(std::string& text, std::string_view name, std::size_t number) {
  const std::string numbered = std::string(name) + std::to_string(number);
  for (std::size_t at = 0; (at = text.find(name, at)) != text.npos;
       at += numbered.size()) {
    text.replace(at, name.size(), numbered);
  }
}

// One entry for every kernel function, so that one run of the compiler sees
// them all; of a template with many instances the first stands for the others.
std::string entries_of(const std::vector<KernelDeclaration>& kernels) {
  std::set<std::string> seen;
  std::string entries;
  for (const KernelDeclaration& kernel : kernels) {
    if (!seen.insert(kernel.function).second) {
      continue;
    }
    std::string entry = entry_text(kernel);
    // The longer name contains the shorter's beginning, not the shorter.
    number_name(entry, kEntrySymbol, seen.size());
    number_name(entry, kMaxTotalThreadsSymbol, seen.size());
    number_name(entry, "flash_attn_mps_limit_of", seen.size());
    entries += entry;
  }
  return entries;
}

bool is_own_file(const std::string& name) {
  return !name.empty() && !name.starts_with('<') &&
         !name.starts_with(kEntryFile) &&
         !name.starts_with(metal_headers_folder());
}

class DialectCheck {
 public:
  explicit DialectCheck(const DialectRequest& request)
      : request_(request), program_(request.program) {}

  Findings run() {
    check_as_written({program_.file_name, program_.source});
    std::string text;
    if (attempt([&] { text = preprocess(program_); })) {
      check_preprocessed(std::move(text));
    }
    drop_repetitions();
    return std::move(findings_);
  }

 private:
  // What a rule has said of a line need not be said again by the compiler.
  void drop_repetitions() {
    std::set<std::pair<std::string, int>> judged;
    for (const Finding& finding : findings_) {
      if (finding.rule != kCompilerRule) {
        judged.insert({finding.file, finding.line});
      }
    }
    std::erase_if(findings_, [&](const Finding& finding) {
      return finding.rule == kCompilerRule &&
             (judged.count({finding.file, finding.line}) != 0 ||
              (!judged.empty() && finding.file.starts_with(kEntryFile)));
    });
    std::sort(findings_.begin(), findings_.end());
    findings_.erase(std::unique(findings_.begin(), findings_.end()),
                    findings_.end());
  }

  bool is_strict() const { return !request_.known_names.empty(); }

  void add(const Findings& findings) {
    findings_.insert(findings_.end(), findings.begin(), findings.end());
  }

  // Runs a step; what it refuses becomes findings.
  template <typename Step>
  bool attempt(Step step) {
    try {
      step();
      return true;
    } catch (const CompileError& error) {
      add(read_compiler_messages(error.what(), program_.file_name));
      return false;
    }
  }

  void check_as_written(const IncludedFile& file) {
    const bool in_comments =
        is_strict() || request_.origin == TextOrigin::kRunTime;
    add(check_ascii(tokenize(file.text, file.path), in_comments));
  }

  void check_preprocessed(std::string text) {
    const MetalSource source(text, program_.file_name);
    std::vector<bool> is_own;
    for (const std::string& name : source.text().files) {
      is_own.push_back(is_own_file(name));
      if (is_own.back()) {
        own_files_.insert(name);
      }
    }
    for (const IncludedFile& file : included_files()) {
      check_as_written(file);
    }
    const std::vector<FunctionOutline> functions = outline_functions(source);
    add(check_tokens(source, functions, is_own));
    add(check_kernels(source, functions, is_own));
    if (request_.origin == TextOrigin::kRunTime) {
      add(check_quoted_includes(source.text(), is_own_file));
    }
    TranslatedSource translated;
    if (attempt([&] {
          translated =
              translate_preprocessed(std::move(text), program_.file_name);
        })) {
      check_translated(source.text(), translated);
    }
  }

  void check_translated(const TokenizedText& source,
                        const TranslatedSource& translated) {
    if (findings_.empty()) {
      add(check_evaluated_indices(translated.kernels));
    }
    const std::string text =
        unit_text(program_, translated, entries_of(translated.kernels));
    ProcessResult printed = print(Printed::kSyntaxTree, text);
    if (printed.status != 0) {
      add(read_compiler_messages(in_metal_words(printed.error),
                                 program_.file_name));
    }
    const SyntaxTree tree = read_syntax_tree(std::move(printed.output));
    // What the compiler could not read is missing from its tree, or is there as
    // something else.
    if (printed.status == 0) {
      add(check_syntax_tree(tree,
                            source,
                            own_files_,
                            is_strict() ? BfloatConversions::kAllExplicit
                                        : BfloatConversions::kAsMetal));
    }
    if (is_strict()) {
      check_names(declared_names(tree, own_files_));
    }
    if (printed.status == 0 && !translated.threadgroup_variables.empty()) {
      add(check_threadgroup_bytes(print(Printed::kUnoptimizedCode, text).output,
                                  translated.kernels));
    }
  }

  static ProcessResult print(Printed printed, const std::string& text) {
    const ScratchFolder scratch;
    const std::string input = scratch.path("dialect.clcpp");
    write_file(input, text);
    return run_process(print_command(
        configured_toolchain(), printed, metal_headers_folder(), input));
  }

  // What the author wrote in other files. The files that #line directives of
  // a text compiled at run time name are parts of that text.
  std::vector<IncludedFile> included_files() const {
    std::vector<IncludedFile> files;
    if (request_.origin == TextOrigin::kRunTime) {
      return files;
    }
    for (const std::string& name : own_files_) {
      if (name != program_.file_name) {
        files.push_back({name, read_file(name)});
      }
    }
    return files;
  }

  void check_names(const std::set<std::string>& declared) {
    const Vocabulary vocabulary(request_.known_names);
    std::vector<IncludedFile> files = included_files();
    files.push_back({program_.file_name, program_.source});
    for (const IncludedFile& file : files) {
      add(check_vocabulary(
          tokenize(file.text, file.path), declared, vocabulary));
    }
  }

  const DialectRequest& request_;
  const CompileRequest& program_;
  std::set<std::string> own_files_;
  Findings findings_;
};

}  // namespace

Findings check_dialect(const DialectRequest& request) {
  require_usable_clang(configured_toolchain());
  return DialectCheck(request).run();
}

}  // namespace flash_attn_mps::simulator
