// SPDX-License-Identifier: MIT
// Puts the parts of a compilation unit in their order.
#include "simulator/translate/unit_text.h"

#include "simulator/translate/function_constants.h"

namespace flash_attn_mps::simulator {

std::string unit_text(const CompileRequest& request,
                      const TranslatedSource& translated,
                      const std::string& entries) {
  return "#define METAL_HOST_SWIZZLES" + translated.swizzles + "\n" +
         define_function_constants(translated.constants, request.constants) +
         "#include \"metal_host.h\"\n# 1 \"" + request.file_name + "\"\n" +
         translated.text + entries;
}

}  // namespace flash_attn_mps::simulator
