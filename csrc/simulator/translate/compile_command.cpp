// SPDX-License-Identifier: MIT
// Flags of the compiler. What each is for stands beside it.
#include "simulator/translate/compile_command.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>

namespace flash_attn_mps::simulator {
namespace {

void append(Command& command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
}

constexpr const char* kExtensions =
    "-cl-ext=+cl_khr_fp16,+__cl_clang_function_pointers,-cl_khr_fp64,"
    "-__opencl_c_fp64";

Command language_flags() {
  return {"-x",
          "clcpp",
          "-cl-std=clc++2021",
          "-cl-no-stdinc",                  // all declarations are ours
          "-cl-single-precision-constant",  // 1.0 is a float in Metal
          // Metal has half, and function pointers as template arguments, but no
          // double.
          "-Xclang",
          kExtensions,
          "-fdeclspec",  // properties, for swizzles
          "-ffp-contract=on",
          "-fno-math-errno",
          // half rounds after every operation.
          "-Xclang",
          "-ffloat16-excess-precision=none",
          "-fPIC",
          "-fvisibility=hidden",
          // A return address tells the runtime where a lane waits.
          "-fno-optimize-sibling-calls",
          "-fsanitize=integer-divide-by-zero",  // it would end the process
          "-fno-strict-float-cast-overflow",    // conversions saturate
          "-Wno-elaborated-enum-base",          // `typedef enum E : int E;`
          "-w",  // warnings about the author's text are the dialect check's
          "-ferror-limit=8",
          "-fno-color-diagnostics"};
}

Command build_flags(Build build) {
  switch (build) {
    case Build::kFast:
      return {};
    case Build::kFastMath:
      return {"-ffast-math"};
    case Build::kChecked:
      break;
  }
  return {"-g",
          "-DFLASH_ATTN_MPS_CHECKED=1",
          "-fsanitize=thread,alignment,array-bounds",
          // An array at the end of a struct has bounds as well.
          "-fstrict-flex-arrays=3",
          // A thread variable that nothing has set holds NaN.
          "-ftrivial-auto-var-init=pattern",
          // Callbacks above 16 bytes do not exist.
          "-fno-vectorize",
          "-fno-slp-vectorize",
          "-mllvm",
          "-tsan-instrument-func-entry-exit=0",
          "-mllvm",
          "-tsan-instrument-read-before-write=1",
          // Atomics announce themselves.
          "-mllvm",
          "-tsan-instrument-atomics=0"};
}

std::string target() {
#if defined(__aarch64__)
  return "aarch64-linux-gnu";
#else
  return "x86_64-linux-gnu";
#endif
}

std::string library_of(const void* address) {
  Dl_info info{};
  const bool is_found =
      dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  return is_found ? info.dli_fname : "";
}

}  // namespace

Command cpu_flags() {
  Command flags;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) {
    flags.emplace_back("-mavx2");
  }
  if (__builtin_cpu_supports("fma") != 0) {
    flags.emplace_back("-mfma");
  }
  if (__builtin_cpu_supports("f16c") != 0) {
    flags.emplace_back("-mf16c");
  }
#endif
  return flags;
}

Command preprocess_command(const Toolchain& toolchain,
                           const CompileRequest& request,
                           const std::string& headers_folder,
                           const std::string& input) {
  Command command = toolchain.clang;
  append(command,
         {"-E",
          "-x",
          "c++",
          "-std=c++17",
          "-undef",
          "-nostdinc",
          "-Wno-everything",
          "-fno-color-diagnostics",
          "-D__METAL__=1",
          "-D__METAL_VERSION__=320",
          "-D__METAL_MACOS__=1",
          "-D__HAVE_BFLOAT__=1",
          // Features of the language that -undef also hides.
          "-D__cpp_variable_templates=201304L",
          "-D__cpp_if_constexpr=201606L",
          "-I" + headers_folder + "/apple"});
  for (const std::string& path : request.include_paths) {
    command.push_back("-I" + path);
  }
  for (const auto& [name, value] : request.defines) {
    command.push_back("-D" + name + "=" + value);
  }
  if (request.build == Build::kFastMath) {
    command.emplace_back("-D__FAST_MATH__=1");
  }
  command.push_back(input);
  return command;
}

Command compile_command(const Toolchain& toolchain,
                        const CompileFlags& flags,
                        const std::string& headers_folder,
                        const std::string& input,
                        const std::string& output) {
  Command command = toolchain.clang;
  append(command, language_flags());
  append(command, {"-target", target()});
  append(command, flags.cpu);
  append(command, {"-O" + std::to_string(flags.optimization_level)});
  append(command, build_flags(flags.build));
  append(command, {"-I" + headers_folder + "/host", "-c", input, "-o", output});
  return command;
}

Command print_command(const Toolchain& toolchain,
                      Printed printed,
                      const std::string& headers_folder,
                      const std::string& input) {
  Command command = toolchain.clang;
  append(command, language_flags());
  append(command, {"-target", target()});
  append(command, cpu_flags());
  append(command, {"-I" + headers_folder + "/host", input});
  append(command,
         printed == Printed::kSyntaxTree
             ? Command{"-fsyntax-only", "-Xclang", "-ast-dump"}
             : Command{"-S",
                       "-emit-llvm",
                       "-Xclang",
                       "-disable-llvm-passes",
                       "-o",
                       "-"});
  return command;
}

// Every library that a kernel may call is named, so that a missing symbol is
// an error here and not when the kernel is loaded.
Command link_command(const Toolchain& toolchain,
                     const std::string& input,
                     const std::string& output) {
  Command command = toolchain.linker;
  float (*const math_function)(float) = sinhf;
  append(
      command,
      {"-shared",
       "-z",
       "defs",
       input,
       "-o",
       output,
       library_of(reinterpret_cast<void*>(&flash_attn_mps_simulator_configure)),
       "--as-needed",
       library_of(reinterpret_cast<void*>(math_function)),
       library_of(reinterpret_cast<void*>(&std::abort))});
  return command;
}

}  // namespace flash_attn_mps::simulator
