// Which addresses an option's network means: one bit too few lets strangers in.
#include "tools/server/http/network.h"

#include <gtest/gtest.h>

namespace dynolith::http {
namespace {

bool Holds(const char* network, const char* address) {
  return ParseNetwork(network).value().Holds(ParseNetwork(address).value().address);
}

TEST(Network, Bits) {
  EXPECT_TRUE(Holds("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(Holds("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(Holds("10.1.2.3/8", "10.0.0.0"));
  EXPECT_TRUE(Holds("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(Holds("192.168.4.0/22", "192.168.8.0"));
  EXPECT_FALSE(Holds("192.168.4.0/22", "192.168.3.255"));
  EXPECT_TRUE(Holds("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(Holds("10.0.0.1", "10.0.0.0"));
  EXPECT_FALSE(Holds("10.0.0.0/31", "10.0.0.2"));
  EXPECT_TRUE(Holds("fd00::/8", "fdff:ffff::1"));
  EXPECT_FALSE(Holds("fd00::/8", "fe00::1"));
}

TEST(Network, BothFamilies) {
  EXPECT_TRUE(Holds("0.0.0.0/0", "203.0.113.9"));
  EXPECT_TRUE(Holds("0.0.0.0/0", "::ffff:10.0.0.1"));
  EXPECT_FALSE(Holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_FALSE(Holds("0.0.0.0/0", "::1"));
  EXPECT_TRUE(Holds("::/0", "2001:db8::1"));
  EXPECT_TRUE(Holds("::/0", "203.0.113.9"));
  EXPECT_FALSE(Holds("10.0.0.0/8", "::a00:1"));
}

TEST(Network, WhatIsNone) {
  for (const char* text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x",
                           "10.0.0/8", "10.0.0.0/8/8", "fd00::/129", "localhost", "10.0.0.0/ 8",
                           "*", "fe80::1%eth0", "[::1]", "10.0.0.256", "0x7f.1"}) {
    EXPECT_FALSE(ParseNetwork(text)) << text;
  }
}

}  // namespace
}  // namespace dynolith::http
