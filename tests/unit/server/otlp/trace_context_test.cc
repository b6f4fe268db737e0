// Callers' headers decide which trace a call belongs to. They may hold anything: what is not of
// their form must not make a trace that nobody finds.
#include "tools/server/otlp/trace_context.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/base/hex.h"
#include "engine/base/strings.h"

namespace dynolith::otlp {
namespace {

constexpr std::string_view kTraceText = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kParentText = "00f067aa0ba902b7";

TEST(Traceparent, OfW3c) {
  const auto sampled = ParseTraceparent(Concat("00-", kTraceText, "-", kParentText, "-01"));
  ASSERT_TRUE(sampled);
  EXPECT_EQ(Hex(sampled->trace), kTraceText);
  EXPECT_EQ(Hex(sampled->parent), kParentText);
  EXPECT_EQ(sampled->sampled, true);
  // Other flags mean nothing to us.
  EXPECT_EQ(ParseTraceparent(Concat("00-", kTraceText, "-", kParentText, "-fe"))->sampled, false);
  // Newer versions may say more.
  EXPECT_EQ(ParseTraceparent(Concat("cc-", kTraceText, "-", kParentText, "-01-what"))->sampled,
            true);
}

TEST(Traceparent, WhatIsNone) {
  const std::string good = Concat("00-", kTraceText, "-", kParentText, "-01");
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ParseTraceparent(good.substr(0, size))) << size;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::string wrong = good;
    wrong[at] = wrong[at] == '-' ? '0' : 'G';
    EXPECT_FALSE(ParseTraceparent(wrong)) << wrong;
  }
  EXPECT_FALSE(ParseTraceparent(Concat(good, "-more")));
  EXPECT_FALSE(ParseTraceparent(Concat("ff-", kTraceText, "-", kParentText, "-01")));
  EXPECT_FALSE(ParseTraceparent(Concat("cc-", kTraceText, "-", kParentText, "-01what")));
  EXPECT_FALSE(ParseTraceparent(Concat("00-", std::string(32, '0'), "-", kParentText, "-01")));
  EXPECT_FALSE(ParseTraceparent(Concat("00-", kTraceText, "-", std::string(16, '0'), "-01")));
  EXPECT_FALSE(
      ParseTraceparent(Concat("00-", "4BF92F3577B34DA6A3CE929D0E0E4736-", kParentText, "-01")));
}

TEST(AmazonTraceId, AsInTheGuide) {
  const auto all = ParseAmazonTraceId(
      "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1");
  ASSERT_TRUE(all);
  EXPECT_EQ(Hex(all->trace), "5759e988bd862e3fe1be46a994272793");
  EXPECT_EQ(Hex(all->parent), "53995c3f42cd8ad8");
  EXPECT_EQ(all->sampled, true);
  // A load balancer names the trace alone; "?" asks for a decision.
  const auto root = ParseAmazonTraceId(
      "Self=1-67891234-12456789abcdef012345678; Root=1-67891233-abcdef012345678912345678 ; "
      "Sampled=?");
  ASSERT_TRUE(root);
  EXPECT_EQ(Hex(root->trace), "67891233abcdef012345678912345678");
  EXPECT_EQ(root->parent, "");
  EXPECT_EQ(root->sampled, std::nullopt);
  for (const char* none :
       {"", ";;;", "Root", "Root=", "Parent=53995c3f42cd8ad8;Sampled=1",
        "Root=2-5759e988-bd862e3fe1be46a994272793", "Root=1-5759e988-bd862e3fe1be46a99427279",
        "Root=1-5759e98-8bd862e3fe1be46a994272793", "Root=1-00000000-000000000000000000000000"}) {
    EXPECT_FALSE(ParseAmazonTraceId(none)) << none;
  }
}

TEST(TraceContexts, TheHeadersOfACall) {
  const std::string parent = Concat("00-", kTraceText, "-", kParentText, "-01");
  http::Request request;
  EXPECT_FALSE(FindTraceContext(request));
  request.headers = {
      {"X-Amzn-Trace-Id", "Root=1-5759e988-bd862e3fe1be46a994272793"},
      {"Traceparent", parent},
      {"tracestate", "rojo=00f067aa0ba902b7"},
  };
  EXPECT_EQ(Hex(FindTraceContext(request)->trace), kTraceText);
  EXPECT_EQ(FindTraceContext(request)->state, "rojo=00f067aa0ba902b7");
  // A state that is none is left out alone: spans must be UTF-8.
  request.headers[2].value = "a=\xff";
  EXPECT_EQ(FindTraceContext(request)->state, "");
  // With an invalid one the other counts.
  request.headers[1].value = "00-what";
  EXPECT_EQ(Hex(FindTraceContext(request)->trace), "5759e988bd862e3fe1be46a994272793");
}

TEST(TraceContexts, OwnIds) {
  std::set<std::string> drawn;
  for (int i = 0; i < 1000; ++i) {
    const TraceId trace = DrawTraceId();
    EXPECT_EQ(trace.size(), 16u);
    EXPECT_EQ(DrawSpanId().size(), 8u);
    EXPECT_TRUE(drawn.insert(trace).second);
  }
}

TEST(Sampling, ByTheLast56Bits) {
  const std::string most(16, '\xff');
  const std::string least = std::string(9, '\xff') + std::string(7, '\0');
  for (const std::string& trace : {most, least}) {
    EXPECT_TRUE(IsSampled(trace, 1));
    EXPECT_FALSE(IsSampled(trace, 0));
  }
  EXPECT_TRUE(IsSampled(most, 1e-9));
  EXPECT_FALSE(IsSampled(least, 0.999));
  std::string half = least;
  half[9] = '\x80';
  EXPECT_TRUE(IsSampled(half, 0.5));
  half[9] = '\x7f';
  EXPECT_FALSE(IsSampled(half, 0.5));
}

}  // namespace
}  // namespace dynolith::otlp
