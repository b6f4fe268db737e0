// Any bytes are read as the files of a store that are read without RocksDB: the integrity manifest,
// a log, a manifest. What is understood must be written as what is understood the same way again,
// and what a repair appends must be read back.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/crc32c.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/log_reader.h"
#include "engine/store/manifest_files.h"

namespace {

using dynolith::IntegrityManifest;
using dynolith::LogReader;

void Require(bool holds) {
  if (!holds) std::abort();
}

// A file in memory that can be opened by its name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("store_file", MFD_CLOEXEC)) { Require(descriptor_ >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string Holding(std::string_view bytes) const {
    Require(ftruncate(descriptor_, 0) == 0);
    Require(pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  const int descriptor_;
};

void ReadIntegrityManifestText(const std::string& text) {
  const auto integrity = dynolith::ParseIntegrityManifest("file", text);
  if (!integrity.ok() || !integrity->has_facts) return;
  const auto again =
      dynolith::ParseIntegrityManifest("file", dynolith::IntegrityManifestText(*integrity));
  Require(again.ok() && *again == *integrity);
}

struct Reading {
  std::vector<std::string> records;
  LogReader::Outcome outcome = LogReader::Outcome::kRecord;
};

Reading ReadLog(const MemoryFile& file, std::string_view bytes) {
  auto reader = LogReader::Open(file.Holding(bytes));
  Require(reader.ok());
  Reading reading;
  uint64_t begin = 0;
  for (;;) {
    const auto outcome = reader->Next();
    Require(outcome.ok() && reader->record_begin() >= begin);
    Require(reader->record_begin() <= bytes.size());
    begin = reader->record_begin();
    reading.outcome = *outcome;
    if (reading.outcome != LogReader::Outcome::kRecord) return reading;
    reading.records.emplace_back(reader->record());
    Require(reading.records.size() <= bytes.size());
  }
}

void FollowRecords(const std::vector<std::string>& records) {
  dynolith::TableFiles files;
  for (const std::string& record : records) dynolith::FollowManifestRecord(record, &files);
  for (const auto& [number, place] : dynolith::TableFiles(files)) {
    Require(dynolith::FollowManifestRecord(dynolith::RecordOfLostTableFile(number, place), &files));
    Require(!files.contains(number));
  }
  Require(files.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text(bytes);
  ReadIntegrityManifestText(text);
  // No mutation finds the checksum by itself.
  const std::string head = text.substr(0, text.rfind("end "));
  ReadIntegrityManifestText(head + "end " + std::to_string(dynolith::Crc32c(head)) + "\n");

  static const MemoryFile file;
  const Reading reading = ReadLog(file, bytes);
  FollowRecords(reading.records);
  std::string again;
  for (const std::string& record : reading.records) dynolith::AppendLogRecord(record, &again);
  dynolith::AppendLogRecord(bytes, &again);
  const Reading reread = ReadLog(file, again);
  Require(reread.outcome == LogReader::Outcome::kEnd);
  Require(reread.records.size() == reading.records.size() + 1 && reread.records.back() == bytes);
  FollowRecords({text});
  return 0;
}
