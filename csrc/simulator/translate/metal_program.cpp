// SPDX-License-Identifier: MIT
// Ties the front end together: cache, preprocessor, translation, compiler and
// linker.
#include "simulator/translate/metal_program.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "simulator/translate/compile_command.h"
#include "simulator/translate/content_hash.h"
#include "simulator/translate/entry_text.h"
#include "simulator/translate/function_constants.h"
#include "simulator/translate/include_closure.h"
#include "simulator/translate/kernel_cache.h"
#include "simulator/translate/language_rules.h"
#include "simulator/translate/metal_source.h"
#include "simulator/translate/preprocess.h"
#include "simulator/translate/process.h"
#include "simulator/translate/program_file.h"
#include "simulator/translate/translate.h"
#include "simulator/translate/unit_text.h"

namespace flash_attn_mps::simulator {
namespace {

// Changed whenever the rewriting rules or the entry change.
constexpr std::string_view kTranslationVersion = "10";

std::string program_key(const CompileRequest& request) {
  ContentHash hash;
  hash.add(kTranslationVersion).add(metal_headers_hash());
  hash.add(request.file_name).add(request.source);
  hash.add(static_cast<std::uint64_t>(request.build == Build::kFastMath));
  for (const std::string& path : request.include_paths) {
    hash.add(path);
  }
  for (const auto& [name, value] : request.defines) {
    hash.add(name).add(value);
  }
  for (const IncludedFile& file :
       include_closure(request.source, request.include_paths)) {
    hash.add(file.path).add(file.text);
  }
  return hash.finish();
}

void publish_program(const TranslatedSource& translated,
                     const std::string& path) {
  const ScratchFolder scratch;
  write_file(scratch.path("program"), serialize(translated));
  scratch.publish(scratch.path("program"), path);
}

ProcessResult run_compiler(const CompileRequest& request,
                           const TranslatedSource& translated,
                           const std::string& entries,
                           const std::string& input,
                           const std::string& object) {
  write_file(input, unit_text(request, translated, entries));
  const CompileFlags flags{
      request.build, request.optimization_level, cpu_flags()};
  return run_process(compile_command(
      configured_toolchain(), flags, metal_headers_folder(), input, object));
}

TranslatedSource with_branches_by_value(TranslatedSource translated) {
  MetalSource source(translated.text, "translated");
  take_branches_by_value(source);
  translated.text = source.edits().render();
  return translated;
}

// What the compiler misses may have been left out: then the message says why.
std::string with_reasons(const TranslatedSource& translated,
                         std::string message) {
  for (const LeftOutFunction& function : translated.left_out) {
    const bool is_missed =
        message.find("identifier '" + function.name + "'") != message.npos ||
        message.find("call to '" + function.name + "'") != message.npos;
    if (is_missed) {
      message += "\n'" + function.name + "' was left out: " + function.reason;
    }
  }
  return message;
}

// Branches of `?:` by value first; a text that needs one of them as an lvalue
// compiles as it stands, and messages speak of that text.
void compile_object(const CompileRequest& request,
                    const TranslatedSource& translated,
                    const std::string& entries,
                    const std::string& input,
                    const std::string& object) {
  const ProcessResult first = run_compiler(
      request, with_branches_by_value(translated), entries, input, object);
  if (first.status == 0) {
    return;
  }
  const ProcessResult second =
      run_compiler(request, translated, entries, input, object);
  if (second.status != 0) {
    report_compiler(with_reasons(translated, second.error), "compiler");
  }
}

std::string known_names(const std::vector<KernelDeclaration>& kernels) {
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(kernels.size(), kShown); ++i) {
    names += (i == 0 ? "'" : ", '") + kernels[i].host_name + "'";
  }
  if (kernels.size() > kShown) {
    names += " and " + std::to_string(kernels.size() - kShown) + " more";
  }
  return names.empty() ? "none" : names;
}

void refuse_left_out(const TranslatedSource& translated,
                     const std::string& name) {
  for (const LeftOutFunction& function : translated.left_out) {
    if (function.name == name || function.host_name == name) {
      throw CompileError(function.reason);
    }
  }
}

}  // namespace

MetalProgram::MetalProgram(CompileRequest request,
                           std::string key,
                           TranslatedSource translated)
    : request_(std::make_shared<const CompileRequest>(std::move(request))),
      key_(std::move(key)),
      translated_(
          std::make_shared<const TranslatedSource>(std::move(translated))) {}

MetalProgram MetalProgram::translate(CompileRequest request) {
  const std::string key = program_key(request);
  const std::string path = cache_folder() + "/" + key + ".program";
  auto cached = deserialize(read_file(path));
  if (!cached) {
    cached = translate_preprocessed(preprocess(request), request.file_name);
    publish_program(*cached, path);
  }
  return {std::move(request), key, std::move(*cached)};
}

const std::vector<KernelDeclaration>& MetalProgram::kernels() const {
  return translated_->kernels;
}

const KernelDeclaration& MetalProgram::find_kernel(
    const std::string& name) const {
  const auto by = [&](auto member) {
    return std::find_if(
        kernels().begin(), kernels().end(), [&](const KernelDeclaration& each) {
          return each.*member == name;
        });
  };
  auto found = by(&KernelDeclaration::host_name);
  if (found == kernels().end()) {
    found = by(&KernelDeclaration::function);
  }
  if (found == kernels().end()) {
    refuse_left_out(*translated_, name);
    refuse_name(name);
  }
  return *found;
}

// A text that the compiler refuses may have lost the kernel by its error: that
// is then the message.
void MetalProgram::refuse_name(const std::string& name) const {
  require_usable_clang(configured_toolchain());
  const ScratchFolder scratch;
  compile_object(*request_,
                 *translated_,
                 /*entries=*/"",
                 scratch.path("text.clcpp"),
                 scratch.path("text.o"));
  throw CompileError(request_->file_name + ": no kernel is named '" + name +
                     "'; got " + known_names(kernels()) + ".");
}

std::string MetalProgram::kernel_key(const KernelDeclaration& kernel) const {
  ContentHash hash;
  hash.add(key_)
      .add(kernel.host_name)
      .add(clang_identity(configured_toolchain()));
  hash.add(static_cast<std::uint64_t>(request_->build));
  hash.add(static_cast<std::uint64_t>(request_->optimization_level));
  hash.add(
      define_function_constants(translated_->constants, request_->constants));
  for (const std::string& flag : cpu_flags()) {
    hash.add(flag);
  }
  return hash.finish();
}

void MetalProgram::report_link_error(const KernelDeclaration& kernel,
                                     const std::string& text) const {
  for (const FunctionConstant& constant : translated_->constants) {
    const bool is_missing = request_->constants.count(constant.index) == 0 &&
                            text.find("undefined symbol") != text.npos &&
                            text.find(constant.name) != text.npos;
    if (is_missing) {
      const std::string index = std::to_string(constant.index);
      throw CompileError(constant.file + ":" + std::to_string(constant.line) +
                         ": kernel '" + kernel.host_name +
                         "' needs a value for function constant '" +
                         constant.name + "'; got none. Pass constants={" +
                         index + ": value}.");
    }
  }
  report_compiler(text, "linker");
}

void MetalProgram::build(const KernelDeclaration& kernel,
                         const std::string& path) const {
  const Toolchain toolchain = configured_toolchain();
  require_usable_clang(toolchain);
  const ScratchFolder scratch;
  const std::string input = scratch.path("kernel.clcpp");
  const std::string object = scratch.path("kernel.o");
  const std::string library = scratch.path("kernel.so");
  compile_object(*request_, *translated_, entry_text(kernel), input, object);
  const ProcessResult linked =
      run_process(link_command(toolchain, object, library));
  if (linked.status != 0) {
    report_link_error(kernel, linked.error);
  }
  scratch.publish(library, path);
}

CompiledKernel MetalProgram::compile(const std::string& kernel_name) const {
  const KernelDeclaration& kernel = find_kernel(kernel_name);
  const std::string path = cache_folder() + "/" + kernel_key(kernel) + ".so";
  if (access(path.c_str(), R_OK) != 0) {
    build(kernel, path);
  }
  return {path, kEntrySymbol, kernel};
}

}  // namespace flash_attn_mps::simulator
