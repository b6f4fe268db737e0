// Numbers decide key order, set membership, billed sizes and arithmetic; every rule is checked
// against the service's published examples and, at random, against Boost's decimal as an oracle.
#include "engine/value/number.h"

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/errors.h"
#include "engine/value/messages.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using Decimal = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<320>>;

constexpr uint32_t kNumberSeed = 20260821;

std::string Hex(std::string_view bytes) {
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

std::string EncodedHex(std::string_view text) {
  const auto encoded = EncodeNumber(text);
  return encoded.ok() ? Hex(encoded->view()) : std::string(MessageOf(encoded.status()));
}

std::string Printed(std::string_view text) {
  const auto number = Number::Parse(text);
  return number.ok() ? number->ToString() : std::string(MessageOf(number.status()));
}

// A random number text: up to `max_digits` digits with a point and an exponent somewhere, always
// within the service's range.
std::string RandomText(std::mt19937* random, int max_digits, int max_exponent) {
  std::string text;
  const auto below = [&](int bound) { return static_cast<int>((*random)() % bound); };
  if (below(3) == 0) text.push_back(below(4) == 0 ? '+' : '-');
  const int digits = 1 + below(max_digits);
  const int point = below(digits + 1);
  for (int i = 0; i < digits; ++i) {
    if (i == point) text.push_back('.');
    text.push_back(static_cast<char>('0' + (below(3) == 0 ? 0 : below(10))));
  }
  if (below(2) == 0) {
    const int exponent = below(2 * max_exponent + 1) - max_exponent;
    text += (below(2) == 0 ? "e" : "E") + std::to_string(exponent);
  }
  return text;
}

TEST(NumberTest, EncodesThePublishedExamples) {
  const std::vector<std::pair<std::string, std::string>> examples = {
      {"0", "80"},
      {"1", "c102"},
      {"12", "c10d"},
      {"100", "c202"},
      {"123", "c20218"},
      {"0.5", "c033"},
      {"-1", "3e6466"},
      {"-42", "3e3b66"},
      {"1e125", "ff0b"},
      {"1e-130", "8002"},
      {"3.14159", "c1040f105b"},
  };
  for (const auto& [text, hex] : examples) {
    EXPECT_EQ(EncodedHex(text), hex) << text;
    EXPECT_EQ(Hex(Number::Parse(text)->Encode().view()), hex) << text;
  }
}

TEST(NumberTest, BillsTheMeasuredSizes) {
  const std::vector<std::pair<std::string, size_t>> sizes = {
      {"0", 1},
      {"-0", 1},
      {"1", 2},
      {"12", 2},
      {"15", 2},
      {"100", 2},
      {"0042", 2},
      {"0.15", 2},
      {"0.0000001", 2},
      {"1E125", 2},
      {"1E-100", 2},
      {"123", 3},
      {"1234", 3},
      {"1010", 3},
      {"1.5", 3},
      {"1.2", 3},
      {"1.200", 3},
      {"-42", 3},
      {"1.234", 4},
      {"123456", 4},
      {"100.5", 4},
      {"3.14159", 5},
      {std::string(38, '1'), 20},
      {std::string(37, '1'), 20},
      {"-" + std::string(38, '1'), 21},
      {"-" + std::string(37, '1'), 21},
      {"-0." + std::string(37, '9'), 21},
      {"-1." + std::string(37, '9'), 22},
  };
  for (const auto& [text, size] : sizes) {
    const auto encoded = EncodeNumber(text);
    ASSERT_TRUE(encoded.ok()) << text;
    EXPECT_EQ(NumberBilledBytes(encoded->view()), size) << text;
  }
}

TEST(NumberTest, PrintsPlainDecimals) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"1e125", "1" + std::string(125, '0')},
      {"1.200", "1.2"},
      {"0042", "42"},
      {"-0", "0"},
      {"+7", "7"},
      {".5", "0.5"},
      {"5.", "5"},
      {"-.5e1", "-5"},
      {"0.1e126", "1" + std::string(125, '0')},
      {"1e-130", "0." + std::string(129, '0') + "1"},
      {"120", "120"},
      {"0.012", "0.012"},
      {"10.010", "10.01"},
      {"0e125", "0"},
      {"0.0e126", "0"},
      {"1" + std::string(125, '0'), "1" + std::string(125, '0')},
      {std::string(200, '0') + "1", "1"},
  };
  for (const auto& [text, printed] : texts) EXPECT_EQ(Printed(text), printed) << text;
}

TEST(NumberTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"abc",
                           " 1",
                           "1 ",
                           "0x10",
                           "1e",
                           "1e+",
                           "1.2.3",
                           "NaN",
                           "Infinity",
                           "-",
                           "+",
                           ".",
                           "e5",
                           ".e5",
                           "--1",
                           "1_000",
                           "1e5.0",
                           "1e9223372036854775808",
                           "1e-9223372036854775809",
                           ""}) {
    EXPECT_EQ(Printed(text), messages::NotANumber(text)) << text;
    EXPECT_EQ(EncodedHex(text), messages::NotANumber(text)) << text;
  }
  EXPECT_EQ(MessageOf(Number::Parse("", ValueLayer::kOlder).status()),
            messages::NotANumber("", ValueLayer::kOlder));
  EXPECT_EQ(Printed(std::string_view("1\0", 2)), messages::NotANumber(std::string_view("1\0", 2)));
}

TEST(NumberTest, RefusesMagnitudesAndPrecisionOutOfRange) {
  const std::string nines(38, '9');
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"1e126", messages::NumberOverflow()},
      {"-1e126", messages::NumberOverflow()},
      {"0.01e128", messages::NumberOverflow()},
      {"0e126", messages::NumberOverflow()},
      {"1e2147483646", messages::NumberOverflow()},
      {"1e2147483648", messages::NumberOverflow()},
      {"1e99999999999", messages::NumberOverflow()},
      {"1e9223372036854775807", messages::NumberOverflow()},
      {"1e-131", messages::NumberUnderflow()},
      {"0e-131", messages::NumberUnderflow()},
      {"1e2147483647", messages::NumberOverflow()},
      {"1e-2147483648", messages::NumberUnderflow()},
      {"1e-99999999999", messages::NumberUnderflow()},
      {"1" + nines, messages::NumberTooPrecise()},
      {"1" + std::string(40, '0') + "1", messages::NumberTooPrecise()},
      {"0." + nines + "1", messages::NumberTooPrecise()},
  };
  for (const auto& [text, message] : texts) {
    EXPECT_EQ(Printed(text), message) << text;
    EXPECT_EQ(EncodedHex(text), message) << text;
  }
  // In the older layer the exponent wraps around.
  EXPECT_EQ(MessageOf(EncodeNumber("1e2147483647", ValueLayer::kOlder).status()),
            messages::NumberUnderflow());
  EXPECT_EQ(Printed(nines), nines);
  EXPECT_EQ(Printed("9." + nines.substr(1) + "E125"), nines + std::string(88, '0'));
  EXPECT_EQ(Printed("00" + nines + "000.000"), nines + "000");
}

// Both ways to the bytes agree, the printed text is the value, and decoding gives it back.
TEST(NumberTest, RandomNumbersRoundTripAgainstBoost) {
  std::mt19937 random(kNumberSeed);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = RandomText(&random, 38, 80);
    const auto number = Number::Parse(text);
    ASSERT_TRUE(number.ok()) << text << " seed " << kNumberSeed;
    const NumberBytes bytes = number->Encode();
    ASSERT_EQ(Hex(bytes.view()), EncodedHex(text)) << text;
    ASSERT_TRUE(IsEncodedNumber(bytes.view())) << text;
    ASSERT_EQ(Number::Decode(bytes.view()), *number) << text;
    const std::string printed = number->ToString();
    const size_t digits_at = text.find_first_of(".0123456789");
    const Decimal expected(text.substr(text[0] == '+' ? digits_at : 0));
    ASSERT_EQ(Decimal(printed), expected) << text << " printed " << printed;
    ASSERT_EQ(printed.find_first_of("eE+"), std::string::npos);
    ASSERT_EQ(*Number::Parse(printed), *number);
  }
}

TEST(NumberTest, ByteOrderIsNumericOrder) {
  std::mt19937 random(kNumberSeed + 1);
  for (int round = 0; round < 20'000; ++round) {
    // Few digits and exponents make near and equal pairs frequent.
    const bool is_near = round % 2 == 0;
    const std::string left = RandomText(&random, is_near ? 3 : 38, is_near ? 2 : 80);
    const std::string right = RandomText(&random, is_near ? 3 : 38, is_near ? 2 : 80);
    const auto left_number = Number::Parse(left);
    const auto right_number = Number::Parse(right);
    ASSERT_TRUE(left_number.ok() && right_number.ok()) << left << " " << right;
    const int expected =
        Decimal(left_number->ToString()).compare(Decimal(right_number->ToString()));
    const int actual = left_number->Encode().view().compare(right_number->Encode().view());
    ASSERT_EQ(expected < 0, actual < 0) << left << " " << right << " seed " << kNumberSeed + 1;
    ASSERT_EQ(expected == 0, actual == 0) << left << " " << right;
  }
}

TEST(NumberTest, SumsAreExactOrOverflow) {
  const Decimal limit("1e38");
  std::mt19937 random(kNumberSeed + 2);
  int overflows = 0;
  for (int round = 0; round < 20'000; ++round) {
    const int max_digits = round % 2 == 0 ? 38 : 5;
    const auto left = Number::Parse(RandomText(&random, max_digits, 20));
    const auto right = Number::Parse(RandomText(&random, max_digits, 20));
    ASSERT_TRUE(left.ok() && right.ok());
    const bool subtract = random() % 2 == 0;
    const auto actual = subtract ? Subtract(*left, *right) : Add(*left, *right);
    const Decimal exact = subtract
                              ? Decimal(Decimal(left->ToString()) - Decimal(right->ToString()))
                              : Decimal(Decimal(left->ToString()) + Decimal(right->ToString()));
    std::string digits = Decimal(abs(exact)).str(150, std::ios::fixed);
    std::erase(digits, '.');
    const size_t first = digits.find_first_not_of('0');
    const size_t significant =
        first == std::string::npos ? 0 : digits.find_last_not_of('0') - first + 1;
    ASSERT_EQ(actual.ok(), significant <= 38)
        << left->ToString() << (subtract ? " - " : " + ") << right->ToString();
    if (actual.ok()) {
      ASSERT_EQ(Decimal(actual->ToString()), exact);
      ASSERT_EQ(*Number::Parse(actual->ToString()), *actual);
    } else {
      ++overflows;
      ASSERT_EQ(MessageOf(actual.status()), messages::NumberOverflow());
    }
  }
  EXPECT_GT(overflows, 1000);
  EXPECT_LT(overflows, 15'000);
}

TEST(NumberTest, SumsAtTheEdges) {
  const auto sum = [](std::string_view left, std::string_view right) {
    const auto result = Add(*Number::Parse(left), *Number::Parse(right));
    return result.ok() ? result->ToString() : std::string(MessageOf(result.status()));
  };
  const std::string nines(38, '9');
  EXPECT_EQ(sum("1e50", "1"), messages::NumberOverflow());
  EXPECT_EQ(sum("1e125", "1e-130"), messages::NumberOverflow());
  EXPECT_EQ(sum(nines, "1"), "1" + std::string(38, '0'));
  EXPECT_EQ(sum(nines, nines), messages::NumberOverflow());
  EXPECT_EQ(sum("9e125", "1e125"), messages::NumberOverflow());
  EXPECT_EQ(sum("1.1e-130", "-1e-130"), messages::NumberUnderflow());
  EXPECT_EQ(sum("1e38", "-1"), nines);
  EXPECT_EQ(sum("5", "-5"), "0");
  EXPECT_EQ(sum("0", "-5"), "-5");
  EXPECT_EQ(sum("0.1", "0.2"), "0.3");
  EXPECT_EQ(Subtract(Number(), Number())->Encode().view(), Number().Encode().view());
}

TEST(NumberTest, Int64BothWays) {
  for (const int64_t value :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{10}, int64_t{-1200}, int64_t{1} << 62,
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    const Number number = Number::FromInt64(value);
    EXPECT_EQ(number.ToString(), std::to_string(value));
    EXPECT_EQ(number, *Number::Parse(std::to_string(value)));
    int64_t back = 42;
    EXPECT_TRUE(number.ToInt64(&back));
    EXPECT_EQ(back, value);
  }
  int64_t unused = 0;
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1e19", "0.5", "1e125",
                           "1e-130", "12345678901234567890123"}) {
    EXPECT_FALSE(Number::Parse(text)->ToInt64(&unused)) << text;
  }
  EXPECT_TRUE(Number::Parse("1e18")->ToInt64(&unused));
}

// Whatever bytes IsEncodedNumber accepts are the one encoding of some number.
TEST(NumberTest, OnlyCanonicalBytesAreNumbers) {
  std::mt19937 random(kNumberSeed + 3);
  int accepted = 0;
  const auto check = [&](const std::string& bytes) {
    if (!IsEncodedNumber(bytes)) return;
    ++accepted;
    const Number number = Number::Decode(bytes);
    ASSERT_EQ(Hex(number.Encode().view()), Hex(bytes));
    ASSERT_EQ(EncodedHex(number.ToString()), Hex(bytes));
  };
  for (int round = 0; round < 5'000; ++round) {
    const std::string bytes(Number::Parse(RandomText(&random, 38, 80))->Encode().view());
    ASSERT_TRUE(IsEncodedNumber(bytes));
    for (size_t size = 0; size < bytes.size(); ++size) check(bytes.substr(0, size));
    check(bytes + '\0');
    check(bytes + '\x66');
    std::string flipped = bytes;
    flipped[random() % flipped.size()] ^= static_cast<char>(1 << random() % 8);
    check(flipped);
    std::string noise(random() % 24, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    check(noise);
  }
  EXPECT_GT(accepted, 5'000);
  EXPECT_FALSE(IsEncodedNumber(""));
  EXPECT_FALSE(IsEncodedNumber(std::string_view("\xc1\x01", 2)));      // 00
  EXPECT_FALSE(IsEncodedNumber(std::string_view("\xc1\x02\x01", 3)));  // 01 00
  EXPECT_FALSE(IsEncodedNumber(std::string_view("\x3e\x64", 2)));      // no end
  EXPECT_FALSE(IsEncodedNumber(std::string_view("\xc1\x66", 2)));      // pair 101
}

}  // namespace
}  // namespace dynolith
