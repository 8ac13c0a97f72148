// SPDX-License-Identifier: MIT
// The values that the front end hands on: what a Metal text declares and what
// one compiled pipeline is. No behaviour; see metal_program.h for that.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace flash_attn_mps::simulator {

enum class AddressSpace { kNone, kDevice, kConstant, kThreadgroup, kThread };

enum class ArgumentKind {
  kBuffer,       // pointer or reference, device or constant: [[buffer(n)]]
  kThreadgroup,  // pointer or reference: [[threadgroup(n)]]
  kValue,        // position or size: [[thread_position_in_grid]] and so on
};

struct KernelArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kValue;
  int index = -1;  // buffer or threadgroup slot; -1 for kValue
  AddressSpace space = AddressSpace::kNone;
  bool is_pointer = false;  // false: a reference (or a kValue)
  bool is_const = false;    // the kernel cannot write through it
  std::string attribute;    // name of the attribute of a kValue
  std::string type;         // as written, without attributes and name
  // Name of the function constant that decides whether the buffer exists;
  // empty when it always does.
  std::string condition;

  bool operator==(const KernelArgument&) const = default;
};

struct KernelDeclaration {
  std::string function;             // as written where it is declared
  std::string enclosing_namespace;  // "a::b"; empty at file scope
  std::string host_name;            // what library.kernel() is called with
  std::string template_arguments;   // "float, 4"; empty: not a template
  // An explicit instantiation that spells its parameters: their types choose
  // the function.
  bool spells_parameters = false;
  std::vector<KernelArgument> arguments;
  // 0 where it is not stated or depends on template parameters; the compiled
  // kernel knows (see entry_text.h).
  int max_total_threads = 0;
  std::string max_total_threads_expression;
  std::string template_header;  // "template <typename T>" of the kernel
  std::string file;
  int line = 0;

  bool operator==(const KernelDeclaration&) const = default;
};

struct FunctionConstant {
  std::string name;
  std::string type;
  int index = 0;
  std::string file;
  int line = 0;

  bool operator==(const FunctionConstant&) const = default;
};

// A `threadgroup` variable of a kernel body. `extent` is the text behind the
// name ("[32][kWidth]"), so bytes are known only once it is compiled.
struct ThreadgroupVariable {
  std::string name;
  std::string type;
  std::string extent;
  std::string function;
  std::string file;
  int line = 0;
  int site = 0;  // number of the declaration in its function

  bool operator==(const ThreadgroupVariable&) const = default;
};

// A function that needs what the simulator has not.
struct LeftOutFunction {
  std::string name;
  std::string host_name;  // where it is written; empty if it is not
  std::string reason;     // "file:line: sentence"

  bool operator==(const LeftOutFunction&) const = default;
};

struct TranslatedSource {
  std::string text;      // C++ for OpenCL, without headers and entry
  std::string swizzles;  // for METAL_HOST_SWIZZLES of swizzle.h
  std::vector<KernelDeclaration> kernels;
  std::vector<FunctionConstant> constants;
  std::vector<ThreadgroupVariable> threadgroup_variables;
  std::vector<LeftOutFunction> left_out;

  bool operator==(const TranslatedSource&) const = default;
};

using ConstantValue = std::variant<bool, std::int64_t, std::uint64_t, double>;

enum class Build {
  kFast,      // no callbacks
  kChecked,   // every access to memory reports to the runtime
  kFastMath,  // as kFast, with the freedoms of Metal's default fast math
};

struct CompileRequest {
  std::string source;
  std::string file_name = "metal";
  std::vector<std::string> include_paths;
  std::map<std::string, std::string> defines;
  std::map<int, ConstantValue> constants;
  Build build = Build::kFast;
  int optimization_level = 2;
};

struct CompiledKernel {
  std::string path;          // shared library, already in the cache folder
  std::string entry_symbol;  // extern "C" void entry()
  KernelDeclaration declaration;
};

// Metal text that cannot be compiled, or a compiler that cannot be used. The
// message begins with file:line where there is one.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace flash_attn_mps::simulator
