// Numbers that the parser refuses and the service does not: only these may change, and only into
// their nearest neighbour; everything else must come through byte by byte, above all what is no
// JSON.
#include "api/json/number_range.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith {
namespace {

TEST(NumberRange, ReplacesWhatIsTooLarge) {
  EXPECT_EQ(WithNumbersInRange(R"({"a":9223372036854775808,"b":[-99999999999999999999]})"),
            R"({"a":9223372036854775807,"b":[-9223372036854775807]})");
  EXPECT_EQ(WithNumbersInRange("[1e309, -1.5E+400,1e-400 ,-2e-999]"),
            "[1.7976931348623157e308, -1.7976931348623157e308,0.0 ,-0.0]");
}

TEST(NumberRange, LeavesEverythingElse) {
  for (const std::string text :
       {"", "{}", "[0,-0,1.5,9223372036854775807,-9223372036854775808,1e308,0.1E-7]",
        R"({"1e999":"99999999999999999999","\"1e999":"\\"})", R"("1e999)", R"(["\)",
        // No numbers by the grammar.
        "099999999999999999999", "1.e999", "1e", "-", "00e999"}) {
    EXPECT_EQ(WithNumbersInRange(text), text);
  }
}

}  // namespace
}  // namespace dynolith
