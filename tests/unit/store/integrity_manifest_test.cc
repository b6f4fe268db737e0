// The format file's text: what is written is read, and nothing else is taken for it.
#include "engine/store/integrity_manifest.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "engine/base/crc32c.h"
#include "tests/unit/store/process_limit.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using State = IntegrityManifest::State;

IntegrityManifest Full() {
  IntegrityManifest integrity;
  integrity.state = State::kClosed;
  integrity.origin = {12, 34};
  integrity.manifests = {{"MANIFEST-000005", 700, 0xffffffffU}, {"MANIFEST-000051", 1, 0}};
  integrity.logs = {{4, 0}, {1'234'567, 1ULL << 40}};
  integrity.sequence = 99;
  return integrity;
}

TEST(IntegrityManifestTest, IsReadAsItWasWritten) {
  for (const State state : {State::kCreating, State::kRunning, State::kClosed, State::kCopied}) {
    IntegrityManifest integrity = Full();
    integrity.state = state;
    EXPECT_TRUE(*ParseIntegrityManifest("file", IntegrityManifestText(integrity)) == integrity);
    integrity.sequence.reset();
    integrity.logs.clear();
    integrity.manifests.pop_back();
    EXPECT_TRUE(*ParseIntegrityManifest("file", IntegrityManifestText(integrity)) == integrity);
  }
}

TEST(IntegrityManifestTest, KnowsTheFirstFormat) {
  const IntegrityManifest running = *ParseIntegrityManifest("file", "dynolith store 1\n");
  EXPECT_FALSE(running.has_facts);
  EXPECT_EQ(running.state, State::kRunning);
  EXPECT_EQ(ParseIntegrityManifest("file", "dynolith store 1 creating\n")->state, State::kCreating);
  EXPECT_EQ(ParseIntegrityManifest("file", "dynolith store 1 copied\n")->state, State::kCopied);
  for (const char* text :
       {"dynolith store 1 running\n", "dynolith store 1\nend 1\n", "dynolith store 1 ",
        "dynolith store 0\n", "dynolith store 2 closed\n"}) {
    EXPECT_EQ(ParseIntegrityManifest("file", text).status().code(), absl::StatusCode::kDataLoss)
        << text;
  }
}

TEST(IntegrityManifestTest, EveryCutAndEveryFlippedBitIsNoticed) {
  const std::string good = IntegrityManifestText(Full());
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    EXPECT_FALSE(ParseIntegrityManifest("file", good.substr(0, bytes)).ok()) << bytes;
  }
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(ParseIntegrityManifest("file", bad).ok()) << bad;
  }
  EXPECT_FALSE(ParseIntegrityManifest("file", good + "\n").ok());
}

// Why: a checksum alone must not make a sense of what has none.
TEST(IntegrityManifestTest, FactsThatCannotBeUnderstoodAreRefused) {
  const std::string head = "dynolith store 2 running\nmanifest MANIFEST-000005 1 2\n";
  const auto parse = [](const std::string& text) {
    return ParseIntegrityManifest("file", text + "end " + std::to_string(Crc32c(text)) + "\n").ok();
  };
  EXPECT_TRUE(parse(head));
  for (const char* fact :
       {"log 4\n", "log 4 5 6\n", "log x 5\n", "log 4 5\nlog 4 5\n", "table 3 4\n", "sequence\n",
        "manifest 000005 1 2\n", "manifest MANIFEST-000005 1\n"}) {
    EXPECT_FALSE(parse(head + fact)) << fact;
  }
  EXPECT_FALSE(parse("dynolith store 2 running\n")) << "no manifest";
  EXPECT_FALSE(parse("dynolith store 2 asleep\nmanifest MANIFEST-000005 1 2\n"));
}

TEST(IntegrityManifestTest, KnowsItsOwnFileFromACopy) {
  testing::ScratchFolder folder;
  IntegrityManifest integrity = Full();
  ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
  const FoundIntegrityManifest found = *ReadIntegrityManifest(folder.path());
  EXPECT_TRUE(found.is_original);
  EXPECT_TRUE(found.integrity == integrity);
  fs::create_directory(folder / "copy");
  fs::copy(folder / "DYNOLITH", folder / "copy/DYNOLITH");
  EXPECT_FALSE(ReadIntegrityManifest(folder / "copy")->is_original);
  fs::create_directory(folder / "moved");
  fs::rename(folder / "DYNOLITH", folder / "moved/DYNOLITH");
  EXPECT_TRUE(ReadIntegrityManifest(folder / "moved")->is_original);
}

// Why: who hears of damage repairs a store, which would lose what it can read a moment later.
TEST(IntegrityManifestTest, WhatTheSystemRefusesToReadIsNoDamage) {
  testing::ScratchFolder folder;
  IntegrityManifest integrity = Full();
  ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
  absl::Status refused;
  {
    const testing::ProcessLimit no_more_files(RLIMIT_NOFILE, 0);
    refused = ReadIntegrityManifest(folder.path()).status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kInternal) << refused;
  EXPECT_EQ(refused.message(), "cannot read " + (folder / "DYNOLITH") + ": Too many open files");
  EXPECT_TRUE(ReadIntegrityManifest(folder.path()).ok());
  EXPECT_EQ(ReadIntegrityManifest(folder / "none").status().code(), absl::StatusCode::kDataLoss);
}

// Why: a full disk takes a part of a write and gives no reason.
TEST(IntegrityManifestTest, WriteThatFallsShortIsAFullDisk) {
  testing::ScratchFolder folder;
  IntegrityManifest integrity = Full();
  ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
  IntegrityManifest later = integrity;
  later.sequence = 100;
  absl::Status status;
  {
    const testing::ProcessLimit small_files(RLIMIT_FSIZE, 10);
    status = WriteIntegrityManifest(folder.path(), &later);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_NE(status.message().find("DYNOLITH.new: "), absl::string_view::npos) << status;
  EXPECT_TRUE(ReadIntegrityManifest(folder.path())->integrity == integrity);
}

// Why: on a full disk nothing is deleted where the integrity manifest finds no room.
TEST(IntegrityManifestTest, OfARunningStoreIsWrittenOverASpare) {
  testing::ScratchFolder folder;
  IntegrityManifest integrity = Full();
  const std::string spare = folder / "DYNOLITH.new";
  for (const int manifests : {2, 1}) {
    integrity.state = State::kRunning;
    integrity.manifests.resize(static_cast<size_t>(manifests));
    ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
    EXPECT_TRUE(ReadIntegrityManifest(folder.path())->integrity == integrity);
    EXPECT_GT(fs::file_size(spare), IntegrityManifestText(integrity).size());
    fs::create_hard_link(spare, folder / "spare");
    ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
    EXPECT_TRUE(fs::equivalent(folder / "DYNOLITH", folder / "spare"));
    EXPECT_TRUE(ReadIntegrityManifest(folder.path())->integrity == integrity);
    fs::remove(folder / "spare");
  }
  integrity.state = State::kClosed;
  ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &integrity).ok());
  EXPECT_FALSE(fs::exists(spare));
}

TEST(IntegrityManifestTest, KnowsTheStoresOwnFiles) {
  EXPECT_EQ(NameWithin("/data", "/data/000012.log"), "000012.log");
  EXPECT_EQ(NameWithin("/data/", "/data//CURRENT"), "CURRENT");
  for (const char* other : {"/data", "/data2/CURRENT", "/data/copy.tmp/000012.log", "/dat/a"}) {
    EXPECT_EQ(NameWithin("/data", other), "") << other;
  }
}

TEST(IntegrityManifestTest, NamesFilesAsRocksDbDoes) {
  EXPECT_EQ(TableFileName(12), "000012.sst");
  EXPECT_EQ(TableFileNumber("1234567.sst"), 1'234'567u);
  for (const char* name : {"000012.log", ".sst", "a.sst", "12.sst.old"}) {
    EXPECT_FALSE(TableFileNumber(name)) << name;
  }
  EXPECT_EQ(LogName(12), "000012.log");
  EXPECT_EQ(LogName(1'234'567), "1234567.log");
  EXPECT_EQ(LogNumber("000012.log"), 12u);
  for (const char* name : {"000012.sst", "LOG", ".log", "server.log", "12.log.old"}) {
    EXPECT_FALSE(LogNumber(name)) << name;
  }
}

}  // namespace
}  // namespace dynolith
