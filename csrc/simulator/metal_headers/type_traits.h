// SPDX-License-Identifier: MIT
// What <metal_type_traits> offers, and the few traits the other headers need.
#pragma once

#include "address_spaces.h"

namespace metal {

template <typename T, T kValue>
struct integral_constant {
  static constant constexpr T value = kValue;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return kValue; }
  constexpr T operator()() const { return kValue; }
};
template <bool kValue>
using bool_constant = integral_constant<bool, kValue>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool kCondition, typename T = void>
struct enable_if {};
template <typename T>
struct enable_if<true, T> {
  using type = T;
};
template <bool kCondition, typename T = void>
using enable_if_t = typename enable_if<kCondition, T>::type;

template <bool kCondition, typename A, typename B>
struct conditional {
  using type = A;
};
template <typename A, typename B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool kCondition, typename A, typename B>
using conditional_t = typename conditional<kCondition, A, B>::type;

// clang's own traits: exact, and cheaper to compile than specialisations.
template <typename T>
struct remove_reference {
  using type = __remove_reference_t(T);
};
template <typename T>
using remove_reference_t = __remove_reference_t(T);

// An address space is no cv qualifier in C++, but a deduced type must lose it
// as well before it can name a value.
template <typename T>
struct remove_addrspace {
  using type = T;
};
template <typename T>
struct remove_addrspace<device T> {
  using type = T;
};
template <typename T>
struct remove_addrspace<constant T> {
  using type = T;
};
template <typename T>
struct remove_addrspace<threadgroup T> {
  using type = T;
};
template <typename T>
struct remove_addrspace<thread T> {
  using type = T;
};
template <typename T>
struct remove_addrspace<__generic T> {
  using type = T;
};

template <typename T>
using remove_addrspace_t = typename remove_addrspace<T>::type;

template <typename T>
struct remove_const {
  using type = T;
};
template <typename T>
struct remove_const<const T> {
  using type = T;
};
template <typename T>
struct remove_volatile {
  using type = T;
};
template <typename T>
struct remove_volatile<volatile T> {
  using type = T;
};
template <typename T>
struct remove_cv {
  using type = typename remove_volatile<typename remove_const<T>::type>::type;
};
template <typename T>
struct remove_pointer {
  using type = T;
};
template <typename T>
struct remove_pointer<T*> {
  using type = T;
};
template <typename T>
struct remove_extent {
  using type = T;
};
template <typename T>
struct remove_extent<T[]> {
  using type = T;
};
template <typename T, size_t kExtent>
struct remove_extent<T[kExtent]> {
  using type = T;
};
template <typename T>
struct add_const {
  using type = const T;
};
template <typename T>
using remove_const_t = typename remove_const<T>::type;
template <typename T>
using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T>
using remove_cv_t = typename remove_cv<T>::type;
template <typename T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T>
using remove_extent_t = typename remove_extent<T>::type;
template <typename T>
using add_const_t = typename add_const<T>::type;
template <typename T>
struct remove_cvref {
  using type = remove_cv_t<
      typename remove_addrspace<remove_cv_t<remove_reference_t<T>>>::type>;
};
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T>
struct decay {
  using type = remove_cvref_t<T>;
};
template <typename T>
using decay_t = typename decay<T>::type;

template <typename A, typename B>
struct is_same : bool_constant<__is_same(A, B)> {};
template <typename A, typename B>
constant constexpr bool is_same_v = __is_same(A, B);

template <typename T>
constant constexpr bool is_floating_point_v =
    __is_same(remove_cv_t<T>, float) || __is_same(remove_cv_t<T>, half) ||
    __is_same(remove_cv_t<T>, bfloat);
template <typename T>
constant constexpr bool is_integral_v = __is_integral(remove_cv_t<T>);
template <typename T>
constant constexpr bool is_arithmetic_v =
    is_integral_v<T> || is_floating_point_v<T>;
template <typename T>
constant constexpr bool is_unsigned_v = __is_unsigned(remove_cv_t<T>);
template <typename T>
constant constexpr bool is_signed_v =
    is_floating_point_v<T> || __is_signed(remove_cv_t<T>);
template <typename T>
constant constexpr bool is_enum_v = __is_enum(T);
template <typename T>
constant constexpr bool is_class_v = __is_class(T);
template <typename T>
constant constexpr bool is_union_v = __is_union(T);
template <typename T>
constant constexpr bool is_void_v = __is_void(T);
template <typename T>
constant constexpr bool is_pointer_v = __is_pointer(T);
template <typename T>
constant constexpr bool is_reference_v = __is_reference(T);
template <typename T>
constant constexpr bool is_array_v = __is_array(T);
template <typename T>
constant constexpr bool is_const_v = __is_const(T);
template <typename T>
constant constexpr bool is_scalar_v =
    is_arithmetic_v<T> || is_enum_v<T> || is_pointer_v<T>;
template <typename T>
constant constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <typename Base, typename Derived>
constant constexpr bool is_base_of_v = __is_base_of(Base, Derived);
template <typename From, typename To>
constant constexpr bool is_convertible_v = __is_convertible_to(From, To);
template <typename T, typename... Arguments>
constant constexpr bool is_constructible_v =
    __is_constructible(T, Arguments...);
template <typename A, typename B>
constant constexpr bool is_assignable_v = __is_assignable(A, B);

template <typename T>
struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <typename T>
struct is_integral : bool_constant<is_integral_v<T>> {};
template <typename T>
struct is_arithmetic : bool_constant<is_arithmetic_v<T>> {};
template <typename T>
struct is_unsigned : bool_constant<is_unsigned_v<T>> {};
template <typename T>
struct is_signed : bool_constant<is_signed_v<T>> {};
template <typename T>
struct is_enum : bool_constant<is_enum_v<T>> {};
template <typename T>
struct is_class : bool_constant<is_class_v<T>> {};
template <typename T>
struct is_union : bool_constant<is_union_v<T>> {};
template <typename T>
struct is_void : bool_constant<is_void_v<T>> {};
template <typename T>
struct is_pointer : bool_constant<is_pointer_v<T>> {};
template <typename T>
struct is_reference : bool_constant<is_reference_v<T>> {};
template <typename T>
struct is_array : bool_constant<is_array_v<T>> {};
template <typename T>
struct is_const : bool_constant<is_const_v<T>> {};
template <typename T>
struct is_scalar : bool_constant<is_scalar_v<T>> {};
template <typename T>
struct is_trivially_copyable : bool_constant<is_trivially_copyable_v<T>> {};
template <typename Base, typename Derived>
struct is_base_of : bool_constant<is_base_of_v<Base, Derived>> {};
template <typename From, typename To>
struct is_convertible : bool_constant<is_convertible_v<From, To>> {};
template <typename T, typename... Arguments>
struct is_constructible : bool_constant<is_constructible_v<T, Arguments...>> {};

template <typename... Traits>
struct conjunction : bool_constant<(Traits::value && ...)> {};
template <typename... Traits>
struct disjunction : bool_constant<(Traits::value || ...)> {};
template <typename Trait>
struct negation : bool_constant<!Trait::value> {};
template <typename... Traits>
constant constexpr bool conjunction_v = (Traits::value && ...);
template <typename... Traits>
constant constexpr bool disjunction_v = (Traits::value || ...);
template <typename Trait>
constant constexpr bool negation_v = !Trait::value;

// Apple's own names of the same, which public headers use.
template <typename... Traits>
using _conjunction = conjunction<Traits...>;
template <typename... Traits>
using _disjunction = disjunction<Traits...>;
template <typename Trait>
using _negation = negation<Trait>;

template <typename T>
struct make_unsigned {
  using type = __make_unsigned(T);
};
template <typename T>
struct make_signed {
  using type = __make_signed(T);
};
template <typename T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T>
using make_signed_t = typename make_signed<T>::type;
template <typename T>
struct underlying_type {
  using type = __underlying_type(T);
};
template <typename T>
using underlying_type_t = typename underlying_type<T>::type;

// By value: a member function works on temporaries and on `thread` objects, not
// on what a T&& of OpenCL refers to.
template <typename T>
T declval();

template <typename F, typename... Arguments>
struct invoke_result {
  using type = decltype(declval<F>()(declval<Arguments>()...));
};
template <typename F, typename... Arguments>
using invoke_result_t = typename invoke_result<F, Arguments...>::type;

template <typename... T>
struct common_type;
template <typename A>
struct common_type<A> {
  using type = A;
};
template <typename A, typename B>
struct common_type<A, B> {
  using type = remove_cvref_t<decltype(false ? declval<A>() : declval<B>())>;
};
template <typename A, typename B, typename... Rest>
struct common_type<A, B, Rest...>
    : common_type<typename common_type<A, B>::type, Rest...> {};
template <typename... T>
using common_type_t = typename common_type<T...>::type;

template <size_t... kIndices>
struct index_sequence {};
template <typename T, T... kIndices>
using index_sequence_of = index_sequence<static_cast<size_t>(kIndices)...>;
template <size_t kCount>
using make_index_sequence =
    __make_integer_seq<index_sequence_of, size_t, kCount>;

template <typename T>
METAL_HOST_INLINE constexpr T&& forward(remove_reference_t<T>& value) {
  return static_cast<T&&>(value);
}
template <typename T>
METAL_HOST_INLINE constexpr remove_reference_t<T>&& move(T&& value) {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <typename T>
METAL_HOST_INLINE void swap(thread T& a, thread T& b) {
  const T first = a;
  a = b;
  b = first;
}

// Reads the bits of one type as another of the same size.
template <typename T>
struct bit_image {
  using type = T;
  METAL_HOST_INLINE static constexpr T of(T value) { return value; }
  METAL_HOST_INLINE static constexpr T value_of(T image) { return image; }
};

}  // namespace metal

template <typename To, typename From>
METAL_HOST_INLINE constexpr To as_type(From value) {
  static_assert(sizeof(To) == sizeof(From),
                "as_type needs two types of the same size");
  using to_image = typename metal::bit_image<To>::type;
  return metal::bit_image<To>::value_of(
      __builtin_bit_cast(to_image, metal::bit_image<From>::of(value)));
}

namespace metal {
using ::as_type;
}

// The compiler overlooks its own `pointer += n` where n is an object that
// converts to an integer and the pointer lies in `thread` memory.
template <typename P,
          typename Offset,
          metal::enable_if_t<__is_pointer(P) && __is_class(Offset), int> = 0>
METAL_HOST_INLINE constexpr thread P& operator+=(thread P& pointer,
                                                 Offset offset) {
  pointer = pointer + static_cast<ptrdiff_t>(offset);
  return pointer;
}
template <typename P,
          typename Offset,
          metal::enable_if_t<__is_pointer(P) && __is_class(Offset), int> = 0>
METAL_HOST_INLINE constexpr thread P& operator-=(thread P& pointer,
                                                 Offset offset) {
  pointer = pointer - static_cast<ptrdiff_t>(offset);
  return pointer;
}
