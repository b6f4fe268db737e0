// Logs as RocksDB writes them, read back whole, cut at every length and with every bit flipped: a
// cut is told from damage.
#include "engine/store/log_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/crc32c.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using Outcome = LogReader::Outcome;
using testing::ScratchFolder;

constexpr size_t kBlockBytes = 32 << 10;

std::string LittleEndian(uint64_t number, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
  return out;
}

// The writer's half of the format, as the header of LogReader states it.
void AppendRecord(std::string record, std::string* file) {
  for (bool first = true; first || !record.empty(); first = false) {
    size_t left = kBlockBytes - file->size() % kBlockBytes;
    if (left < 7) {
      file->append(left, '\0');
      left = kBlockBytes;
    }
    const std::string payload = record.substr(0, left - 7);
    record.erase(0, payload.size());
    const bool last = record.empty();
    const char type = static_cast<char>(first && last ? 1 : first ? 2 : last ? 4 : 3);
    file->append(LittleEndian(MaskCrc32c(Crc32c(type + payload)), 4));
    file->append(LittleEndian(payload.size(), 2));
    file->append(type + payload);
  }
}

class LogReaderTest : public ::testing::Test {
 protected:
  struct Reading {
    std::vector<std::string> records;
    Outcome outcome = Outcome::kRecord;
    uint64_t stopped_at = 0;
  };
  Reading Read(const std::string& bytes, uint64_t begin = 0) {
    std::ofstream(file_, std::ios::binary) << bytes;
    Reading reading;
    auto reader = LogReader::Open(file_, begin);
    EXPECT_TRUE(reader.ok()) << reader.status();
    for (;;) {
      reading.outcome = *reader->Next();
      reading.stopped_at = reader->record_begin();
      if (reading.outcome != Outcome::kRecord) return reading;
      reading.records.emplace_back(reader->record());
    }
  }

  ScratchFolder folder_;
  const std::string file_ = folder_ / "log";
};

// RFC 3720, appendix B.4.
TEST(Crc32cTest, HasTheStandardsValues) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(ExtendCrc32c(Crc32c("1234"), "56789"), 0xe3069283U);
}

TEST_F(LogReaderTest, ReadsRecordsOfAllSizes) {
  std::vector<std::string> records;
  std::string file;
  std::vector<uint64_t> begins;
  for (const size_t bytes : {0, 1, 100, 32'000, 32'761, 1, 32'754, 5, 200'000, 3}) {
    records.emplace_back(bytes, static_cast<char>('a' + records.size()));
    begins.push_back(file.size());
    AppendRecord(records.back(), &file);
  }
  const Reading reading = Read(file);
  EXPECT_EQ(reading.outcome, Outcome::kEnd);
  EXPECT_TRUE(reading.records == records);
  EXPECT_EQ(reading.stopped_at, file.size());
  EXPECT_EQ(Read(file, begins[4]).records.size(), records.size() - 4);
  EXPECT_EQ(Read("").outcome, Outcome::kEnd);
}

// Why: what a repair writes must be what RocksDB would have written.
TEST_F(LogReaderTest, RecordsAreAppendedAsTheFormatSays) {
  std::string expected;
  std::string file;
  for (const size_t bytes : {0, 1, 100, 32'000, 32'761, 1, 32'754, 5, 200'000, 32'740, 3, 65'522}) {
    const std::string record(bytes, static_cast<char>('a' + bytes % 23));
    AppendRecord(record, &expected);
    AppendLogRecord(record, &file);
    ASSERT_TRUE(file == expected) << bytes;
  }
}

TEST_F(LogReaderTest, CutAnywhereIsTornOrEndsEarlier) {
  std::string file;
  std::vector<size_t> ends = {0};
  for (int i = 0; i < 12; ++i) {
    AppendRecord(std::string(40 + static_cast<size_t>(i), static_cast<char>(i)), &file);
    ends.push_back(file.size());
  }
  for (size_t bytes = 0; bytes < file.size(); ++bytes) {
    const Reading reading = Read(file.substr(0, bytes));
    const bool at_end = std::find(ends.begin(), ends.end(), bytes) != ends.end();
    EXPECT_EQ(reading.outcome, at_end ? Outcome::kEnd : Outcome::kTorn) << bytes;
    EXPECT_LE(reading.stopped_at, bytes);
  }
  std::string large;
  AppendRecord(std::string(100'000, 'x'), &large);
  for (size_t bytes = 1; bytes < large.size(); bytes += 997) {
    EXPECT_EQ(Read(large.substr(0, bytes)).outcome, Outcome::kTorn) << bytes;
  }
}

TEST_F(LogReaderTest, OfATornRecordThereIsWhatWasWritten) {
  std::string file;
  AppendRecord("before", &file);
  const size_t begin = file.size();
  std::string record;
  for (int i = 0; i < 50'000; ++i) record.push_back(static_cast<char>('a' + i % 23));
  AppendRecord(record, &file);
  for (const size_t bytes : {begin + 7, begin + 8, begin + 1'000, size_t{32'768}, size_t{40'000}}) {
    std::ofstream(file_, std::ios::binary) << file.substr(0, bytes);
    auto reader = LogReader::Open(file_);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(*reader->Next(), Outcome::kRecord);
    EXPECT_EQ(*reader->Next(), Outcome::kTorn) << bytes;
    EXPECT_TRUE(record.starts_with(reader->record())) << bytes;
    EXPECT_EQ(reader->record().size(), std::min(bytes, size_t{32'768}) - begin - 7) << bytes;
  }
}

// Why: a record whose length was damaged looks like one that was never written to its end.
TEST_F(LogReaderTest, EveryFlippedBitIsDamage) {
  std::string file;
  for (int i = 0; i < 6; ++i) AppendRecord(std::string(30, static_cast<char>('a' + i)), &file);
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string bad = file;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    const Reading reading = Read(bad);
    EXPECT_EQ(reading.outcome, Outcome::kDamaged) << bit;
    EXPECT_EQ(reading.stopped_at, bit / 8 / 37 * 37) << bit;
  }
}

// Why: what a table file begins with can look like the header of a record that was cut off.
TEST_F(LogReaderTest, ATableFileIsNoTornLog) {
  const std::string cut_off("\1\2\3\4\xff\0\1block", 12);
  const std::string end = "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";
  EXPECT_EQ(Read(cut_off).outcome, Outcome::kTorn);
  EXPECT_EQ(Read(cut_off + end).outcome, Outcome::kDamaged);
  EXPECT_EQ(Read(cut_off + end + "x").outcome, Outcome::kTorn);
  std::string file;
  AppendRecord("record", &file);
  EXPECT_EQ(Read(file + cut_off + end).outcome, Outcome::kDamaged);
}

// Why: after a power loss a file can be longer than what was written to it.
TEST_F(LogReaderTest, ZerosAtTheEndWereNeverWritten) {
  std::string file;
  AppendRecord("record", &file);
  for (const size_t zeros : {7, 8, 1000, 70'000}) {
    const Reading reading = Read(file + std::string(zeros, '\0'));
    EXPECT_EQ(reading.outcome, Outcome::kTorn) << zeros;
    EXPECT_EQ(Read(file + std::string(zeros, '\0') + "x").outcome, Outcome::kDamaged) << zeros;
  }
}

TEST_F(LogReaderTest, PartsOutOfOrderAreDamage) {
  std::string large;
  AppendRecord(std::string(100'000, 'x'), &large);
  std::string twice = large.substr(0, kBlockBytes) + large;
  EXPECT_EQ(Read(twice).outcome, Outcome::kDamaged);
  EXPECT_EQ(Read(large.substr(kBlockBytes)).outcome, Outcome::kDamaged);
}

// Why: what another file has left in the log's place must not look like a write that was cut off.
TEST_F(LogReaderTest, TextIsDamage) {
  const Reading reading = Read("rocksdb_options_and_so_on=1");
  EXPECT_EQ(reading.outcome, Outcome::kDamaged);
}

TEST_F(LogReaderTest, MissingFileIsNamed) {
  const auto reader = LogReader::Open(folder_ / "none");
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(std::string(reader.status().message()).find("/none"), std::string::npos);
}

}  // namespace
}  // namespace dynolith
