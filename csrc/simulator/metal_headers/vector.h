// SPDX-License-Identifier: MIT
// vec<T, N>: 2 to 4 elements with Metal's constructors, swizzles, operators
// and comparisons that give vec<bool, N>. Functions on vectors are elsewhere.
//
// Note [Element access]
// A vector in `thread` memory is handled whole. In any other memory an element
// is loaded or stored alone: a store of .x must not rewrite .y, which another
// thread may own, and the callbacks must see the bytes that are meant.
#pragma once

#include "bfloat.h"
#include "swizzle.h"
#include "vector_operators.h"

namespace metal {

template <typename T, int kLanes>
struct vec;
template <typename T, int kLanes>
struct packed_vec;

// A bool is a byte that is 0 or 1, a bfloat its bits; everything else is
// stored as itself.
template <typename T>
struct stored_element {
  using type = T;
};
template <>
struct stored_element<bool> {
  using type = uchar;
};

template <>
struct stored_element<bfloat> {
  using type = ushort;
};
template <typename T>
METAL_HOST_INLINE constexpr typename stored_element<T>::type to_stored(
    T value) {
  if constexpr (__is_same(T, bfloat)) {
    return value.bits;
  } else {
    return value;
  }
}
template <typename T>
METAL_HOST_INLINE constexpr T from_stored(
    typename stored_element<T>::type element) {
  if constexpr (__is_same(T, bfloat)) {
    return __builtin_bit_cast(bfloat, element);
  } else {
    return static_cast<T>(element);
  }
}

template <typename Element, int kLanes>
using host_vector = Element __attribute__((ext_vector_type(kLanes)));

template <typename T>
struct lane_count : integral_constant<int, 1> {};
template <typename T, int kLanes>
struct lane_count<vec<T, kLanes>> : integral_constant<int, kLanes> {};
template <typename T, int kLanes>
struct lane_count<packed_vec<T, kLanes>> : integral_constant<int, kLanes> {};
template <typename T>
constant constexpr bool is_vector_v = (lane_count<T>::value > 1);

template <typename... T>
constant constexpr int total_lanes_v = (lane_count<T>::value + ...);

// Lane `kIndex` of the arguments laid end to end.
template <int kIndex, typename First, typename... Rest>
METAL_HOST_INLINE constexpr auto flattened_lane(First first, Rest... rest) {
  if constexpr (kIndex >= lane_count<First>::value) {
    return flattened_lane<kIndex - lane_count<First>::value>(rest...);
  } else if constexpr (is_vector_v<First>) {
    return first.template lane<kIndex>();
  } else {
    return first;
  }
}

template <typename T, typename Indices>
struct vector_builder;
template <typename T, size_t... kIndices>
struct vector_builder<T, index_sequence<kIndices...>> {
  using Element = typename stored_element<T>::type;
  using data_type = host_vector<Element, static_cast<int>(sizeof...(kIndices))>;
  template <typename... Arguments>
  METAL_HOST_INLINE static constexpr data_type gather(Arguments... arguments) {
    return data_type{to_stored<T>(static_cast<T>(
        flattened_lane<static_cast<int>(kIndices)>(arguments...)))...};
  }
  METAL_HOST_INLINE static constexpr data_type splat(T value) {
    return data_type{(static_cast<void>(kIndices), to_stored<T>(value))...};
  }
  template <typename U, int kLanes>
  METAL_HOST_INLINE static constexpr data_type convert(vec<U, kLanes> source) {
    return data_type{to_stored<T>(
        static_cast<T>(source.lane_at(static_cast<int>(kIndices))))...};
  }
};

// A scalar becomes a vector by itself unless that would drop a fraction.
template <typename S, typename T>
constant constexpr bool is_splat_implicit_v =
    (is_arithmetic_v<S> || is_enum_v<S>) &&
    (is_floating_point_v<T> || !is_floating_point_v<S>);
template <typename S, typename T>
constant constexpr bool is_splat_explicit_v =
    !is_vector_v<S> && !is_splat_implicit_v<S, T> && is_convertible_v<S, T>;

// The elements as one vector and by name. A name is an lvalue of its own.
#define METAL_HOST_VECTOR_STORAGE(LANES, XYZW, RGBA)                        \
  template <typename T>                                                     \
  struct vector_storage<T, LANES> {                                         \
    using data_type = host_vector<typename stored_element<T>::type, LANES>; \
    union {                                                                 \
      data_type data;                                                       \
      struct {                                                              \
        T XYZW;                                                             \
      };                                                                    \
      struct {                                                              \
        T RGBA;                                                             \
      };                                                                    \
    };                                                                      \
    vector_storage() = default;                                             \
    METAL_HOST_INLINE constexpr vector_storage(data_type value)             \
        : data(value) {}                                                    \
    METAL_HOST_INLINE constexpr vector_storage(data_type value) constant    \
        : data(value) {}                                                    \
  };
#define METAL_HOST_LIST(...) __VA_ARGS__
template <typename T, int kLanes>
struct vector_storage {
  static_assert(kLanes >= 2 && kLanes <= 4,
                "a Metal vector has 2, 3 or 4 elements");
};
METAL_HOST_VECTOR_STORAGE(2, METAL_HOST_LIST(x, y), METAL_HOST_LIST(r, g))
METAL_HOST_VECTOR_STORAGE(3, METAL_HOST_LIST(x, y, z), METAL_HOST_LIST(r, g, b))
METAL_HOST_VECTOR_STORAGE(4,
                          METAL_HOST_LIST(x, y, z, w),
                          METAL_HOST_LIST(r, g, b, a))

template <typename T, int kLanes>
struct vec : vector_storage<T, kLanes> {
  using storage = vector_storage<T, kLanes>;
  using own_type = vec;
  using storage::data;
  using element = typename stored_element<T>::type;
  using data_type = host_vector<element, kLanes>;
  using builder = vector_builder<T, make_index_sequence<kLanes>>;
  using value_type = T;
  struct from_data {};

  vec() = default;
  constexpr vec(const vec&) = default;
  // Templates, so that copying stays trivial: a union may hold a vector.
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE constexpr vec(const V& other) constant
      : storage(other.data) {}
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE constexpr vec(const constant V& other)
      : storage(other.data) {}
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE constexpr vec(const constant V& other) constant
      : storage(other.data) {}
  // The checked build proves the alignment of what a reference names, and
  // nothing of a trivial copy: hence copies from shared memory by name.
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE vec(const device V& other) : storage(other.data) {}
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE vec(const threadgroup V& other) : storage(other.data) {}
  METAL_HOST_INLINE constexpr vec(from_data, data_type value)
      : storage(value) {}

  template <typename S, enable_if_t<is_splat_implicit_v<S, T>, int> = 0>
  METAL_HOST_INLINE constexpr vec(S value)
      : storage(builder::splat(static_cast<T>(value))) {}
  template <typename S, enable_if_t<is_splat_implicit_v<S, T>, int> = 0>
  METAL_HOST_INLINE constexpr vec(S value) constant
      : storage(builder::splat(static_cast<T>(value))) {}
  template <typename S, enable_if_t<is_splat_explicit_v<S, T>, int> = 0>
  METAL_HOST_INLINE explicit constexpr vec(S value)
      : storage(builder::splat(static_cast<T>(value))) {}

  template <typename U, enable_if_t<!is_same_v<U, T>, int> = 0>
  METAL_HOST_INLINE explicit constexpr vec(vec<U, kLanes> other)
      : storage(converted(other)) {}

  template <typename U, enable_if_t<!is_same_v<U, T>, int> = 0>
  METAL_HOST_INLINE explicit constexpr vec(packed_vec<U, kLanes> other)
      : storage(converted(vec<U, kLanes>(other))) {}

  template <typename A,
            typename B,
            typename... Rest,
            enable_if_t<total_lanes_v<A, B, Rest...> == kLanes, int> = 0>
  METAL_HOST_INLINE constexpr vec(A a, B b, Rest... rest)
      : storage(builder::gather(a, b, rest...)) {}
  template <typename A,
            typename B,
            typename... Rest,
            enable_if_t<total_lanes_v<A, B, Rest...> == kLanes, int> = 0>
  METAL_HOST_INLINE constexpr vec(A a, B b, Rest... rest) constant
      : storage(builder::gather(a, b, rest...)) {}

#if FLASH_ATTN_MPS_CHECKED
  // A call, whose object's alignment is checked. It costs the checked build the
  // assignment of a union that holds a vector.
  METAL_HOST_INLINE vec& operator=(const vec& other) {
    data = other.data;
    return *this;
  }
#else
  vec& operator=(const vec&) = default;
#endif
  template <typename V, enable_if_t<is_same_v<V, vec>, int> = 0>
  METAL_HOST_INLINE vec& operator=(const constant V& other) {
    data = other.data;
    return *this;
  }

  template <typename Mask>
  METAL_HOST_INLINE static constexpr vec from_mask(Mask mask) {
    return vec(from_data{}, __builtin_convertvector(-mask, data_type));
  }

  // Access by address space: see Note [Element access].
  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const thread {
    static_assert(kIndex < kLanes, "the vector has no such element");
    return from_stored<T>(data[kIndex]);
  }
  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const {
    static_assert(kIndex < kLanes, "the vector has no such element");
    if (__builtin_is_constant_evaluated()) {
      return from_stored<T>(data[kIndex]);
    }
    return reinterpret_cast<const T*>(this)[kIndex];
  }
  template <int kIndex>
  METAL_HOST_INLINE constexpr T lane() const constant {
    static_assert(kIndex < kLanes, "the vector has no such element");
    if (__builtin_is_constant_evaluated()) {
      return from_stored<T>(data[kIndex]);
    }
    return reinterpret_cast<const constant T*>(this)[kIndex];
  }
  template <int kIndex>
  METAL_HOST_INLINE void put_lane(T value) thread {
    static_assert(kIndex < kLanes, "the vector has no such element");
    data[kIndex] = to_stored<T>(value);
  }
  template <int kIndex>
  METAL_HOST_INLINE void put_lane(T value) {
    static_assert(kIndex < kLanes, "the vector has no such element");
    reinterpret_cast<T*>(this)[kIndex] = value;
  }

  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const
      thread {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE constexpr vec<T, sizeof...(kIndices)> swizzle() const
      constant {
    return vec<T, sizeof...(kIndices)>(this->template lane<kIndices>()...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE void put_swizzle(vec<T, sizeof...(kIndices)> value) thread {
    static_assert(are_distinct<kIndices...>(),
                  "a swizzle that is assigned must not repeat an element");
    int i = 0;
    (this->template put_lane<kIndices>(value.lane_at(i++)), ...);
  }
  template <int... kIndices>
  METAL_HOST_INLINE void put_swizzle(vec<T, sizeof...(kIndices)> value) {
    static_assert(are_distinct<kIndices...>(),
                  "a swizzle that is assigned must not repeat an element");
    int i = 0;
    (this->template put_lane<kIndices>(value.lane_at(i++)), ...);
  }
  METAL_HOST_INLINE void put_lane_at(int index, T value) thread {
    data[index] = to_stored<T>(value);
  }
  METAL_HOST_INLINE void put_lane_at(int index, T value) {
    reinterpret_cast<T*>(this)[index] = value;
  }
  METAL_HOST_INLINE constexpr T lane_at(int index) const {
    return from_stored<T>(data[index]);
  }

  METAL_HOST_INLINE thread T& operator[](size_t index) thread& {
    return reinterpret_cast<thread T*>(this)[index];
  }
  METAL_HOST_INLINE device T& operator[](size_t index) device& {
    return reinterpret_cast<device T*>(this)[index];
  }
  METAL_HOST_INLINE threadgroup T& operator[](size_t index) threadgroup& {
    return reinterpret_cast<threadgroup T*>(this)[index];
  }
  METAL_HOST_INLINE constexpr T operator[](size_t index) const thread& {
    return from_stored<T>(data[index]);
  }
  METAL_HOST_INLINE constexpr T operator[](size_t index) const& {
    if (__builtin_is_constant_evaluated()) {
      return from_stored<T>(data[index]);
    }
    return reinterpret_cast<const T*>(this)[index];
  }
  METAL_HOST_INLINE constexpr T operator[](size_t index) const constant& {
    if (__builtin_is_constant_evaluated()) {
      return from_stored<T>(data[index]);
    }
    return reinterpret_cast<const constant T*>(this)[index];
  }
  // A temporary fits every address space; this is its own.
  METAL_HOST_INLINE constexpr T operator[](size_t index) const&& {
    return from_stored<T>(data[index]);
  }

  METAL_HOST_SWIZZLES

  METAL_HOST_ARITHMETIC(+)
  METAL_HOST_ARITHMETIC(-)
  METAL_HOST_ARITHMETIC(*)
  METAL_HOST_DIVISION(/, quotient)
  METAL_HOST_DIVISION(%, remainder)
  METAL_HOST_ARITHMETIC(&)
  METAL_HOST_ARITHMETIC(|)
  METAL_HOST_ARITHMETIC(^)
  METAL_HOST_ARITHMETIC(<<)
  METAL_HOST_ARITHMETIC(>>)
  METAL_HOST_COMPARISON(==)
  METAL_HOST_COMPARISON(!=)
  METAL_HOST_COMPARISON(<)
  METAL_HOST_COMPARISON(<=)
  METAL_HOST_COMPARISON(>)
  METAL_HOST_COMPARISON(>=)

  METAL_HOST_INLINE friend constexpr vec operator-(vec a) {
    return vec(from_data{}, rounded(-values(a.data)));
  }
  METAL_HOST_INLINE friend constexpr vec operator+(vec a) { return a; }
  METAL_HOST_INLINE friend constexpr vec operator~(vec a) {
    return vec(from_data{}, ~a.data);
  }
  METAL_HOST_INLINE friend constexpr vec<bool, kLanes> operator!(vec a) {
    return vec<bool, kLanes>::from_mask(values(a.data) ==
                                        values(builder::splat(T(0))));
  }
  METAL_HOST_INLINE friend constexpr vec<bool, kLanes> operator&&(vec a,
                                                                  vec b) {
    return (a != vec(0)) & (b != vec(0));
  }
  METAL_HOST_INLINE friend constexpr vec<bool, kLanes> operator||(vec a,
                                                                  vec b) {
    return (a != vec(0)) | (b != vec(0));
  }
  METAL_HOST_INLINE vec& operator++() & { return *this += vec(1); }
  METAL_HOST_INLINE vec& operator--() & { return *this -= vec(1); }
  METAL_HOST_INLINE vec operator++(int) & {
    const vec before = *this;
    *this += vec(1);
    return before;
  }
  METAL_HOST_INLINE vec operator--(int) & {
    const vec before = *this;
    *this -= vec(1);
    return before;
  }

 private:
  // What arithmetic works on: the elements, or the floats that bfloats stand
  // for, rounded once after each operation.
  METAL_HOST_INLINE static constexpr auto values(data_type stored) {
    if constexpr (__is_same(T, bfloat)) {
      using wide = host_vector<uint, kLanes>;
      return __builtin_bit_cast(
          host_vector<float, kLanes>,
          static_cast<wide>(__builtin_convertvector(stored, wide) << 16));
    } else {
      return stored;
    }
  }
  template <typename Values>
  METAL_HOST_INLINE static constexpr data_type rounded(Values result) {
    if constexpr (__is_same(T, bfloat)) {
      using wide = host_vector<uint, kLanes>;
      const wide bits = __builtin_bit_cast(wide, result);
      const wide nearest = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
      const wide quiet = (bits >> 16) | 0x40U;
      const auto is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
      return __builtin_convertvector(is_nan ? quiet : nearest, data_type);
    } else {
      return result;
    }
  }

  template <typename U>
  METAL_HOST_INLINE static constexpr data_type converted(vec<U, kLanes> other) {
    if constexpr (is_same_v<T, bool>) {
      return (other != vec<U, kLanes>(0)).data;
    } else {
      return builder::convert(other);
    }
  }
  template <int kFirst, int... kRest>
  static constexpr bool are_distinct() {
    if constexpr (sizeof...(kRest) == 0) {
      return true;
    } else {
      return ((kFirst != kRest) && ...) && are_distinct<kRest...>();
    }
  }
};

// as_type on vectors, which are not trivial to assign in the checked build.
template <typename T, int kLanes>
struct bit_image<vec<T, kLanes>> {
  using type = typename vec<T, kLanes>::data_type;
  METAL_HOST_INLINE static constexpr type of(vec<T, kLanes> value) {
    return value.data;
  }
  METAL_HOST_INLINE static constexpr vec<T, kLanes> value_of(type image) {
    return vec<T, kLanes>(typename vec<T, kLanes>::from_data{}, image);
  }
};

// The vector type among the operands of a function, of which others may be
// scalars: `fma(v, 2.0f, w)`. Void where none or all are vectors.
template <typename... Operands>
struct first_vector {
  using type = void;
};
template <typename First, typename... Rest>
struct first_vector<First, Rest...> {
  using type = conditional_t<is_vector_v<First>,
                             First,
                             typename first_vector<Rest...>::type>;
};
template <typename... Operands>
constant constexpr bool are_mixed_v =
    (is_vector_v<Operands> || ...) && !(is_vector_v<Operands> && ...);
template <typename... Operands>
using mixed_vector_t = enable_if_t<are_mixed_v<Operands...>,
                                   typename first_vector<Operands...>::type>;

// Names of Apple's own traits that public kernels use.
template <typename T>
struct vec_elements : integral_constant<uint, lane_count<T>::value> {};
template <typename T>
struct __is_valid_simdgroup_type
    : bool_constant<is_same_v<T, float> || is_same_v<T, half> ||
                    (is_integral_v<T> && !is_same_v<T, bool> &&
                     sizeof(T) <= 4)> {};
template <typename T, int kLanes>
struct __is_valid_simdgroup_type<vec<T, kLanes>>
    : __is_valid_simdgroup_type<T> {};

}  // namespace metal
