// A trace is read by other programs than the one that wrote it, after crashes, from disks that
// fail: what was written is what is read, and what is damaged is found, wherever it is damaged.
#include "tools/server/trace/trace_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::trace {
namespace {

Resource Songs() {
  Resource resource;
  resource.table = "songs";
  resource.on_demand = false;
  resource.units = {25, 5};
  resource.local_indexes = 2;
  resource.key = {.hash = {{"artist", Type::kString}}, .range = {{"title", Type::kString}}};
  return resource;
}

Resource ByYear() {
  Resource resource;
  resource.table = "songs";
  resource.index = "by-year";
  resource.shards = 4;
  resource.key = {.hash = {{"year", Type::kNumber}}, .range = {}};
  return resource;
}

Block SomeBlock() {
  Block block;
  block.dropped = 7;
  block.resources = {Songs(), ByYear()};
  Request put;
  put.at = 1'790'856'000'123'456;
  put.operation = Operation::kPutItem;
  put.uses.push_back({.resource = 0,
                      .kind = AccessKind::kWrite,
                      .half_units = 4,
                      .bytes = 1'500,
                      .hash = 0xfedcba9876543210,
                      .has_key = true,
                      .has_sort = true,
                      .sort_hash = 42,
                      .partition_key = "Ray",
                      .sort_key = "Blues"});
  put.uses.push_back({.resource = 1,
                      .kind = AccessKind::kWrite,
                      .begins = false,
                      .half_units = 2,
                      .bytes = 80,
                      .hash = 1,
                      .has_key = true,
                      .partition_key = "x"});
  block.requests.push_back(put);
  Request scan;
  // Threads do not wait for each other: it began a moment earlier.
  scan.at = put.at - 5;
  scan.operation = Operation::kScan;
  scan.uses.push_back({.half_units = 257, .bytes = 1 << 20, .hash = uint64_t{1} << 63});
  scan.uses.push_back({.throttled = ThroughputLimit::kAccount});
  block.requests.push_back(scan);
  return block;
}

void ExpectSame(const Use& left, const Use& right, bool plain) {
  EXPECT_EQ(left.resource, right.resource);
  EXPECT_EQ(left.kind, right.kind);
  EXPECT_EQ(left.begins, right.begins);
  EXPECT_EQ(left.throttled, right.throttled);
  EXPECT_EQ(left.half_units, right.half_units);
  EXPECT_EQ(left.bytes, right.bytes);
  EXPECT_EQ(left.hash, right.hash);
  EXPECT_EQ(left.has_key, right.has_key);
  EXPECT_EQ(left.has_sort, right.has_sort);
  EXPECT_EQ(left.sort_hash, right.sort_hash);
  EXPECT_EQ(plain ? left.partition_key : "", right.partition_key);
  EXPECT_EQ(plain ? left.sort_key : "", right.sort_key);
}

void ExpectSame(const Block& left, const Block& right, bool plain) {
  EXPECT_EQ(left.dropped, right.dropped);
  EXPECT_EQ(left.resources, right.resources);
  ASSERT_EQ(left.requests.size(), right.requests.size());
  for (size_t i = 0; i < left.requests.size(); ++i) {
    EXPECT_EQ(left.requests[i].at, right.requests[i].at);
    EXPECT_EQ(left.requests[i].operation, right.requests[i].operation);
    ASSERT_EQ(left.requests[i].uses.size(), right.requests[i].uses.size());
    for (size_t j = 0; j < left.requests[i].uses.size(); ++j) {
      ExpectSame(left.requests[i].uses[j], right.requests[i].uses[j], plain);
    }
  }
}

TEST(TraceFormat, BlocksAreReadAsTheyWereWritten) {
  for (const bool plain : {false, true}) {
    std::string bytes;
    EncodeBlock(SomeBlock(), plain, &bytes);
    const size_t length = bytes.size();
    EncodeBlock({}, plain, &bytes);
    std::string raw;
    Block block;
    EXPECT_EQ(DecodeBlock(bytes, plain, &raw, &block), length);
    ExpectSame(SomeBlock(), block, plain);
    EXPECT_EQ(DecodeBlock(std::string_view(bytes).substr(length), plain, &raw, &block),
              bytes.size() - length);
    ExpectSame({}, block, plain);
  }
}

TEST(TraceFormat, KeysThatAreHashedAreNotThere) {
  std::string hashed;
  EncodeBlock(SomeBlock(), /*plain=*/false, &hashed);
  std::string raw;
  Block block;
  ASSERT_TRUE(DecodeBlock(hashed, /*plain=*/false, &raw, &block));
  EXPECT_EQ(raw.find("Ray"), std::string::npos);
  EXPECT_EQ(raw.find("Blues"), std::string::npos);
  EXPECT_NE(raw.find("songs"), std::string::npos);
}

TEST(TraceFormat, WhatIsCutOffOrChangedIsNoBlock) {
  std::string bytes;
  EncodeBlock(SomeBlock(), /*plain=*/true, &bytes);
  std::string raw;
  Block block;
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeBlock(std::string_view(bytes).substr(0, length), true, &raw, &block));
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeBlock(damaged, true, &raw, &block)) << bit;
  }
}

TEST(TraceFormat, HeadersSayWhatTheyAre) {
  const FileHeader written = {.has_plain_keys = true, .run = 123'456, .number = 7};
  const std::string bytes = EncodeHeader(written);
  EXPECT_EQ(bytes.size(), kHeaderBytes);
  FileHeader header;
  EXPECT_EQ(DecodeHeader(bytes, &header), HeaderError::kNone);
  EXPECT_TRUE(header.has_plain_keys);
  EXPECT_EQ(header.run, written.run);
  EXPECT_EQ(header.number, written.number);
  EXPECT_EQ(DecodeHeader("", &header), HeaderError::kNoTrace);
  EXPECT_EQ(DecodeHeader("a letter to a friend", &header), HeaderError::kNoTrace);
  for (size_t length = 8; length < bytes.size(); ++length) {
    EXPECT_EQ(DecodeHeader(bytes.substr(0, length), &header), HeaderError::kDamaged);
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(DecodeHeader(damaged, &header), HeaderError::kNone) << bit;
  }
  std::string newer = bytes;
  newer[8] = static_cast<char>(kVersion + 1);
  EXPECT_EQ(DecodeHeader(newer, &header), HeaderError::kNewer);
}

// Replays of old traces have the same hot keys.
TEST(TraceFormat, HashesStay) {
  EXPECT_EQ(StableHash(""), 0xefd01f60ba992926);
  EXPECT_EQ(StableHash("Blues"), StableHash(std::string("Blu") + "es"));
  EXPECT_NE(StableHash("Blues"), StableHash("Bluet"));
}

TEST(TraceFormat, OperationsHaveNames) {
  for (const auto operation : {Operation::kGetItem, Operation::kQuery, Operation::kPutItem,
                               Operation::kTransactWriteItems, Operation::kExecuteStatement}) {
    EXPECT_EQ(OperationNamed(OperationName(operation)), operation);
  }
  EXPECT_EQ(OperationNamed("CreateTable"), Operation::kOther);
  EXPECT_EQ(OperationName(Operation::kOther), "other");
  EXPECT_EQ(OperationName(static_cast<Operation>(200)), "other");
}

}  // namespace
}  // namespace dynolith::trace
