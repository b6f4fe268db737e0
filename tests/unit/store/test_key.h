// Whether the tests of whole stores run on encrypted ones: as the test unit_store_encrypted runs
// them once more, with DYNOLITH_TEST_STORE_KEY as every store's key.
#ifndef DYNOLITH_TESTS_UNIT_STORE_TEST_KEY_H_
#define DYNOLITH_TESTS_UNIT_STORE_TEST_KEY_H_

#include <cstdlib>
#include <string>

namespace dynolith::testing {

// StoreOptions::encryption_key of the stores under test.
inline std::string TestKey() {
  const char* const key = std::getenv("DYNOLITH_TEST_STORE_KEY");
  return key == nullptr ? "" : key;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_TEST_KEY_H_
