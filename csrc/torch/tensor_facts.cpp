// SPDX-License-Identifier: MIT
// Reading of tensors through the stable ABI.
#include "torch/tensor_facts.h"

#include <array>
#include <stdexcept>

#include "dispatch/shim_error.h"

namespace flash_attn_mps {
namespace {

// By c10::ScalarType, whose numbers are part of torch's serialised format.
constexpr std::array<const char*, 46> kDtypeNames{
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "quint4x2",
    "quint2x4",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bits16",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "uint16",
    "uint32",
    "uint64",
    "uint1",
    "uint2",
    "uint3",
    "uint4",
    "uint5",
    "uint6",
    "uint7",
    "int1",
    "int2",
    "int3",
    "int4",
    "int5",
    "int6",
    "int7",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
};

// By c10::DeviceType; empty where Python has no such device any more.
constexpr std::array<const char*, 21> kDeviceNames{
    "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
    "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
    "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone",
};

std::string device_name(const DeviceLocation& device) {
  const auto type = static_cast<std::size_t>(device.type);
  std::string name =
      type < kDeviceNames.size() ? kDeviceNames[type] : "an unknown device";
  if (device.index >= 0 && name != "cpu" && name != "meta") {
    name += ":" + std::to_string(device.index);
  }
  return name;
}

}  // namespace

std::span<const int64_t> sizes_of(const Tensor& tensor) {
  int64_t* sizes = nullptr;
  check_torch(aoti_torch_get_sizes(tensor.get(), &sizes),
              "aoti_torch_get_sizes");
  return {sizes, static_cast<std::size_t>(tensor.dim())};
}

std::span<const int64_t> strides_of(const Tensor& tensor) {
  int64_t* strides = nullptr;
  check_torch(aoti_torch_get_strides(tensor.get(), &strides),
              "aoti_torch_get_strides");
  return {strides, static_cast<std::size_t>(tensor.dim())};
}

int32_t dtype_code(const Tensor& tensor) {
  int32_t code = -1;
  check_torch(aoti_torch_get_dtype(tensor.get(), &code),
              "aoti_torch_get_dtype");
  return code;
}

DeviceLocation device_of(const Tensor& tensor) {
  DeviceLocation device;
  check_torch(aoti_torch_get_device_type(tensor.get(), & device.type),
              "aoti_torch_get_device_type");
  check_torch(aoti_torch_get_device_index(tensor.get(), & device.index),
              "aoti_torch_get_device_index");
  return device;
}

std::string dtype_name(int32_t code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kDtypeNames.size() ? kDtypeNames[index]
                                    : "dtype " + std::to_string(code);
}

ElementType element_type_of(const Tensor& tensor) {
  const int32_t code = dtype_code(tensor);
  if (code == aoti_torch_dtype_float32()) {
    return ElementType::kFloat32;
  }
  if (code == aoti_torch_dtype_float16()) {
    return ElementType::kFloat16;
  }
  if (code == aoti_torch_dtype_bfloat16()) {
    return ElementType::kBFloat16;
  }
  throw std::logic_error("internal error in element_type_of: " +
                         dtype_name(code) + " after the checks, please report");
}

TensorArgument tensor_argument(const Tensor& tensor) {
  const auto sizes = sizes_of(tensor);
  return {.sizes = {sizes.begin(), sizes.end()},
          .element_type = dtype_name(dtype_code(tensor)),
          .device = device_name(device_of(tensor))};
}

}  // namespace flash_attn_mps
