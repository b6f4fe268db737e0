// Under a sanitizer a program takes five to ten times as long, so that tests which repeat something
// many times repeat it less often there: Release has looked at the rest.
#ifndef DYNOLITH_TESTS_UNIT_UNDER_SANITIZER_H_
#define DYNOLITH_TESTS_UNIT_UNDER_SANITIZER_H_

namespace dynolith::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = false;
#endif

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_UNDER_SANITIZER_H_
