// The profile of a service: what is written can be read, and what is not there stays as it is.
#include "tools/lab/experiment/service_profile.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/errors.h"

namespace dynolith {
namespace {

TEST(ServiceProfile, IsReadAsItIsWritten) {
  const lab::ServiceProfile profile = {
      .burst = 120 * kSecond, .split_delay = 0, .eventual_units = 4'500};
  const std::string text = lab::ProfileText(profile, "Found.", {"Nothing else was."});
  EXPECT_EQ(text,
            "# Found.\nburst = \"120s\"\nsplit_delay = \"0s\"\neventual_reads = 4500\n"
            "# Nothing else was.\n");
  const auto read = lab::ParseProfile("p.toml", text);
  ASSERT_TRUE(read.ok()) << read.status();
  lab::Assumptions assumed;
  lab::Assume(*read, &assumed);
  EXPECT_EQ(assumed.burst, 120 * kSecond);
  EXPECT_EQ(assumed.split_delay, 0);
  EXPECT_EQ(assumed.eventual_units, 4'500);
}

TEST(ServiceProfile, WhatItDoesNotSayStaysAsItIs) {
  const auto read = lab::ParseProfile("p.toml", lab::ProfileText({}, "Nothing.", {}));
  ASSERT_TRUE(read.ok()) << read.status();
  lab::Assumptions assumed;
  lab::Assume(*read, &assumed);
  EXPECT_EQ(assumed.burst, 300 * kSecond);
  EXPECT_EQ(assumed.split_delay, 300 * kSecond);
  EXPECT_EQ(assumed.eventual_units, 3'000);
}

TEST(ServiceProfile, WhatMakesNoSense) {
  const auto read = lab::ParseProfile(
      "p.toml", "burst = 0\nsplit_delay = \"soon\"\neventual_reads = 0\nburts = 1\n");
  const std::string errors(MessageOf(read.status()));
  for (const char* const place : {"p.toml:1:", "p.toml:2:", "p.toml:3:", "p.toml:4:"}) {
    EXPECT_NE(errors.find(place), std::string::npos) << errors;
  }
}

}  // namespace
}  // namespace dynolith
