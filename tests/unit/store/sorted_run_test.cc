// What sorted rows are made of on their way into table files: rows in memory, runs, samples of keys
// and merged sources show each key once, with its last value, from wherever they are begun at.
#include "engine/store/sorted/sorted_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store/sorted/gathered_rows.h"
#include "engine/store/sorted/key_head.h"
#include "engine/store/sorted/key_samples.h"
#include "engine/store/sorted/merged_rows.h"
#include "rocksdb/env.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using Rows = std::map<std::string, std::string>;
using testing::ScratchFolder;

// Of rows from `begin` on.
Rows ReadRows(RowSource* source, std::string_view begin) {
  Rows rows;
  EXPECT_TRUE(source->SeekTo(begin).ok());
  std::string last;
  while (source->Valid()) {
    EXPECT_TRUE(rows.empty() || last < source->key());
    last = source->key();
    rows.emplace(source->key(), source->value());
    if (!source->Next().ok()) ADD_FAILURE();
  }
  return rows;
}
Rows From(const Rows& rows, const std::string& begin) {
  return {rows.lower_bound(begin), rows.end()};
}

// Some are the beginning of others, some have bytes of zeros where others end.
std::string OddKey(std::mt19937* random) {
  std::string key = "\x01\x02";
  const size_t bytes = (*random)() % 12;
  for (size_t i = 0; i < bytes; ++i) key += "\0\x01z\xff"[(*random)() % 4];
  return key;
}

class SortedRunTest : public ::testing::Test {
 protected:
  SortedRun Write(const Rows& rows, const std::string& name) {
    SortedRun run;
    run.path = folder_ / name;
    RunWriter writer(&run);
    EXPECT_TRUE(writer.Open(env_).ok());
    for (const auto& [key, value] : rows) EXPECT_TRUE(writer.Put(key, value).ok());
    EXPECT_TRUE(writer.Finish().ok());
    return run;
  }
  // Whether all of it can be read.
  rocksdb::Status Read(const SortedRun& run) {
    RunSource source(env_, run);
    rocksdb::Status status = source.SeekTo("");
    while (status.ok() && source.Valid()) status = source.Next();
    return status;
  }

  ScratchFolder folder_;
  rocksdb::Env* const env_ = rocksdb::Env::Default();
};

TEST_F(SortedRunTest, GatheredRowsAreThereOnceWithTheirLastValue) {
  std::mt19937 random(5);
  GatheredRows gathered(100);
  for (int round = 0; round < 50; ++round) {
    Rows rows;
    for (int i = 0; i < 300; ++i) {
      const std::string key = OddKey(&random);
      rows[key] = std::to_string(i);
      gathered.Put(key, rows[key]);
    }
    gathered.Sort();
    for (const std::string& begin : {std::string(), OddKey(&random), std::string("\xff")}) {
      GatheredSource source(gathered);
      EXPECT_EQ(ReadRows(&source, begin), From(rows, begin));
    }
    gathered.Clear();
  }
}

TEST_F(SortedRunTest, ARunIsReadFromAnyKey) {
  std::mt19937 random(6);
  Rows rows;
  for (int i = 0; i < 20'000; ++i)
    rows[std::to_string(random())] = std::string(random() % 200, 'v');
  // Of more than a block, between small ones.
  rows["3000000000"] = std::string(1 << 20, 'h');
  rows["3000000001"] = "";
  const SortedRun run = Write(rows, "run");
  EXPECT_EQ(run.smallest, rows.begin()->first);
  EXPECT_EQ(run.largest, rows.rbegin()->first);
  for (const std::string& begin : {std::string(), std::string("3"), std::string("3000000000"),
                                   std::string("3000000000x"), run.largest, std::string("9999")}) {
    RunSource source(env_, run);
    EXPECT_TRUE(ReadRows(&source, begin) == From(rows, begin)) << begin;
  }
}

TEST_F(SortedRunTest, DamageIsTold) {
  Rows rows;
  for (int i = 0; i < 400; ++i) rows[std::to_string(1'000 + i)] = std::string(400, 'v');
  const SortedRun run = Write(rows, "run");
  ASSERT_TRUE(Read(run).ok());
  const auto bytes = std::filesystem::file_size(run.path);
  for (uintmax_t at = 0; at < bytes; at += at < 40 ? 1 : 1 + at * 37 % 991) {
    std::fstream file(run.path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int before = file.get();
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(before ^ 4)).flush();
    EXPECT_TRUE(Read(run).IsCorruption()) << at;
    EXPECT_NE(Read(run).ToString().find(run.path), std::string::npos);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(before)).flush();
  }
  for (uintmax_t left = bytes; left-- > 0; left -= std::min<uintmax_t>(left, 997)) {
    std::filesystem::resize_file(run.path, left);
    EXPECT_TRUE(Read(run).IsCorruption()) << left;
  }
}

TEST_F(SortedRunTest, OfMergedSourcesTheLastOneStays) {
  std::mt19937 random(7);
  for (const size_t sources : {1, 2, 3, 9}) {
    Rows rows;
    std::vector<SortedRun> runs;
    for (size_t i = 0; i < sources; ++i) {
      Rows some;
      for (int n = 0; n < 400; ++n) some[OddKey(&random)] = std::to_string(i);
      for (const auto& [key, value] : some) rows[key] = value;
      runs.push_back(Write(some, std::to_string(i)));
    }
    for (const std::string& begin : {std::string(), OddKey(&random), std::string("\xff")}) {
      std::vector<std::unique_ptr<RowSource>> merged;
      for (const SortedRun& run : runs) merged.push_back(std::make_unique<RunSource>(env_, run));
      MergedRows source(std::move(merged), /*common_bytes=*/2);
      EXPECT_EQ(ReadRows(&source, begin), From(rows, begin));
    }
  }
}

TEST(KeySamplesTest, TheyAreFewAndFarApart) {
  KeySamples samples;
  constexpr uint64_t kBytesOfRow = 5'000;
  constexpr int kRows = 300'000;
  for (int i = 0; i < kRows; ++i) {
    samples.Add(std::to_string(1'000'000 + i), static_cast<uint64_t>(i) * kBytesOfRow);
  }
  EXPECT_LE(samples.samples().size(), 128u);
  EXPECT_GE(samples.samples().size(), 64u);
  EXPECT_EQ(samples.Before("").key, "1000000");
  EXPECT_LE(samples.Before("1150000").key, "1150000");
  EXPECT_GT(samples.Before("1150000").key, "1140000");
  for (const size_t parts : {2, 3, 8}) {
    const std::vector<std::string> bounds = DivideKeys({&samples}, parts);
    ASSERT_EQ(bounds.size(), parts - 1);
    for (size_t i = 0; i < bounds.size(); ++i) {
      const double share = static_cast<double>(i + 1) / static_cast<double>(parts);
      EXPECT_NEAR(std::stod(bounds[i]), 1'000'000 + share * kRows, kRows * 0.03);
    }
  }
}

TEST(KeySamplesTest, WhatCannotBeDividedIsNot) {
  KeySamples none;
  EXPECT_TRUE(DivideKeys({&none}, 4).empty());
  KeySamples one;
  one.Add("only", 0);
  EXPECT_TRUE(DivideKeys({&one, &none, &one}, 4).empty());
  KeySamples two;
  two.Add("a", 0);
  two.Add("b", 1 << 20);
  EXPECT_EQ(DivideKeys({&two}, 4), std::vector<std::string>{"b"});
}

TEST(KeyHeadTest, ItsOrderIsTheKeys) {
  std::mt19937 random(8);
  for (int i = 0; i < 10'000; ++i) {
    const std::string one = OddKey(&random);
    const std::string other = OddKey(&random);
    const size_t common = CommonPrefixBytes(one, other);
    EXPECT_EQ(one.substr(0, common), other.substr(0, common));
    for (const size_t begin : {size_t{0}, size_t{2}, common}) {
      if (begin > common) continue;
      const uint64_t head = KeyHead(one, begin);
      const uint64_t other_head = KeyHead(other, begin);
      EXPECT_TRUE(head >= other_head || one < other);
      EXPECT_TRUE(one >= other || head <= other_head);
    }
  }
}

}  // namespace
}  // namespace dynolith
