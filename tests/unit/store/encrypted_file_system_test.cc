// Files of encrypted stores: what is read is what was written; a bit that is flipped or a file that
// is cut is an error with the file's name, and a write that did not come to its end is none.
#include "engine/store/encryption/encrypted_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/hex.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/encryption/file_format.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/secret_key.h"
#include "engine/store/encryption/store_keys.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;

const SecretKey kWrappingKey(std::string_view("0123456789abcdefghijklmnopqrstuv"));

std::string BytesOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void SetBytes(const std::string& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}
std::string Noise(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::string noise(bytes, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  return noise;
}

class EncryptedFileSystemTest : public ::testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> Begin(const std::string& file) {
    std::unique_ptr<rocksdb::FSWritableFile> out;
    EXPECT_TRUE(files_->NewWritableFile(file, {}, &out, nullptr).ok());
    return out;
  }
  void Write(const std::string& file, const std::vector<std::string>& pieces) {
    const auto out = Begin(file);
    for (const std::string& piece : pieces) ASSERT_TRUE(out->Append(piece, {}, nullptr).ok());
    ASSERT_TRUE(out->Sync({}, nullptr).ok());
    ASSERT_TRUE(out->Close({}, nullptr).ok());
  }
  // In pieces of so many bytes.
  rocksdb::IOStatus ReadInOrder(const std::string& file, size_t piece, std::string* text) {
    text->clear();
    std::unique_ptr<rocksdb::FSSequentialFile> in;
    rocksdb::IOStatus status = files_->NewSequentialFile(file, {}, &in, nullptr);
    std::string scratch(piece, '\0');
    // As RocksDB's readers do, takes fewer bytes for the end.
    for (rocksdb::Slice got(scratch); status.ok() && got.size() == piece;) {
      status = in->Read(piece, {}, &got, scratch.data(), nullptr);
      if (status.ok()) text->append(got.data(), got.size());
    }
    rocksdb::Slice behind;
    if (status.ok()) status = in->Read(piece, {}, &behind, scratch.data(), nullptr);
    return status;
  }
  rocksdb::IOStatus ReadAt(const std::string& file, uint64_t at, size_t bytes, std::string* text) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> in;
    rocksdb::IOStatus status = files_->NewRandomAccessFile(file, {}, &in, nullptr);
    if (!status.ok()) return status;
    std::string scratch(bytes, '\0');
    rocksdb::Slice got;
    status = in->Read(at, bytes, {}, &got, scratch.data(), nullptr);
    *text = got.ToString();
    return status;
  }
  uint64_t Length(const std::string& file) {
    uint64_t bytes = 0;
    EXPECT_TRUE(files_->GetFileSize(file, {}, &bytes, nullptr).ok());
    return bytes;
  }

  const ScratchFolder folder_;
  const std::shared_ptr<const StoreKeys> keys_ =
      std::make_shared<const StoreKeys>(StoreKeys::Make().value());
  const std::shared_ptr<EncryptedFileSystem> files_ =
      std::make_shared<EncryptedFileSystem>(rocksdb::FileSystem::Default(), keys_);
};

TEST_F(EncryptedFileSystemTest, WhatIsWrittenOnceIsReadAnywhere) {
  const std::string file = folder_ / "000001.sst";
  for (const size_t bytes : {size_t{0}, size_t{1}, kChunkBytes - 1, kChunkBytes, kChunkBytes + 1,
                             2 * kChunkBytes, 100 * kChunkBytes + 17}) {
    SCOPED_TRACE(bytes);
    const std::string text = Noise(bytes, 1);
    for (const size_t piece : {size_t{100}, size_t{8192}, size_t{1} << 20}) {
      std::vector<std::string> pieces;
      for (size_t at = 0; at < bytes; at += piece) pieces.push_back(text.substr(at, piece));
      Write(file, pieces);
      EXPECT_EQ(Length(file), bytes);
      std::string read;
      ASSERT_TRUE(ReadInOrder(file, 5000, &read).ok());
      EXPECT_EQ(read == text, true);
    }
    std::mt19937 random(7);
    for (int i = 0; i < 50; ++i) {
      const uint64_t at = random() % (bytes + 2);
      const size_t wanted = random() % 20'000;
      std::string read;
      ASSERT_TRUE(ReadAt(file, at, wanted, &read).ok());
      EXPECT_EQ(read == text.substr(std::min<size_t>(at, bytes), wanted), true) << at << wanted;
    }
    if (bytes < 16) continue;
    EXPECT_EQ(BytesOf(file).find(text.substr(0, 16)), std::string::npos);
  }
}

TEST_F(EncryptedFileSystemTest, EveryFlippedBitAndEveryCutIsNamed) {
  const std::string file = folder_ / "000001.sst";
  const std::string text = Noise(2 * kChunkBytes + 100, 2);
  Write(file, {text});
  const std::string good = BytesOf(file);
  const auto expect_refused = [&](const std::string& what) {
    std::string read;
    for (const rocksdb::IOStatus& status :
         {ReadInOrder(file, 4096, &read), ReadAt(file, 0, text.size(), &read)}) {
      EXPECT_TRUE(status.IsCorruption()) << what << status.ToString();
      EXPECT_THAT(status.ToString(), HasSubstr(file)) << what;
    }
  };
  for (size_t at = 0; at < good.size(); at += at < kFileHeaderBytes ? 1 : 411) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    SetBytes(file, bad);
    expect_refused("flipped at " + std::to_string(at));
  }
  for (size_t bytes = 1; bytes < good.size(); bytes += bytes < 100 ? 1 : 397) {
    SetBytes(file, good.substr(0, bytes));
    // In order, a part of the header is what a file of the other kind may begin with.
    std::string read;
    if (bytes >= kFileHeaderBytes) expect_refused("cut to " + std::to_string(bytes));
    EXPECT_TRUE(ReadAt(file, 0, text.size(), &read).IsCorruption()) << bytes;
  }
  // At the end of a chunk, and longer.
  SetBytes(file, good.substr(0, kFileHeaderBytes + kSealedChunkBytes));
  expect_refused("cut behind a chunk");
  SetBytes(file, good + std::string(kSealedChunkBytes, '\0'));
  expect_refused("longer");
}

TEST_F(EncryptedFileSystemTest, ALogsWritesAreReadInOrder) {
  const std::string file = folder_ / "000002.log";
  std::vector<std::string> pieces;
  std::string text;
  for (size_t i = 0; i < 300; ++i) {
    pieces.push_back(Noise(i * i % 3000 + 1, static_cast<uint32_t>(i)));
    text += pieces.back();
  }
  pieces.push_back(Noise(700'000, 5));
  text += pieces.back();
  const auto out = Begin(file);
  EXPECT_EQ(BytesOf(file).size(), 0u);
  uint64_t written = 0;
  for (const std::string& piece : pieces) {
    ASSERT_TRUE(out->Append(piece, {}, nullptr).ok());
    written += piece.size();
    // Also while it is being written.
    EXPECT_EQ(Length(file), written);
  }
  ASSERT_TRUE(out->Close({}, nullptr).ok());
  for (const size_t piece : {size_t{100}, size_t{32768}, size_t{1} << 20}) {
    std::string read;
    ASSERT_TRUE(ReadInOrder(file, piece, &read).ok());
    EXPECT_EQ(read == text, true) << piece;
  }
}

// Why: a process or the power may go at any byte of a write; an attacker's cut of an earlier one
// must not pass for that.
TEST_F(EncryptedFileSystemTest, ATornEndOfALogIsAnEndAndAFlippedBitIsNot) {
  const std::string file = folder_ / "000002.log";
  Write(file, {"first.", "second.", "the third one."});
  const std::string good = BytesOf(file);
  const size_t last = 14 + kFrameOverheadBytes;
  ASSERT_EQ(good.size(), kFileHeaderBytes + 6 + 7 + 2 * kFrameOverheadBytes + last);
  std::string read;
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    SetBytes(file, good.substr(0, bytes));
    ASSERT_TRUE(ReadInOrder(file, 4096, &read).ok()) << bytes;
    const size_t ends_of_two = good.size() - last;
    const size_t end_of_one = ends_of_two - 7 - kFrameOverheadBytes;
    EXPECT_EQ(read, bytes >= ends_of_two ? "first.second." : bytes >= end_of_one ? "first." : "");
    EXPECT_EQ(Length(file), read.size());
  }
  SetBytes(file, good + std::string(5000, '\0'));
  ASSERT_TRUE(ReadInOrder(file, 4096, &read).ok());
  EXPECT_EQ(read, "first.second.the third one.");
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    SetBytes(file, bad);
    const rocksdb::IOStatus status = ReadInOrder(file, 4096, &read);
    EXPECT_TRUE(status.IsCorruption()) << at << status.ToString() << read;
    EXPECT_THAT(status.ToString(), HasSubstr(file));
  }
}

// Why: after a write that found no room, a log is opened again and cut; what is written there then
// must not have the nonce of what was there before.
TEST_F(EncryptedFileSystemTest, ALogGoesOnWhereItWasCut) {
  const std::string file = folder_ / "000002.log";
  std::string text = "first.";
  Write(file, {"first.", "second."});
  const std::string before = BytesOf(file);
  for (int i = 0; i < 3; ++i) {
    // A part of a write, behind what counts.
    SetBytes(file, BytesOf(file) + std::string(10, 'x'));
    std::unique_ptr<rocksdb::FSWritableFile> out;
    ASSERT_TRUE(files_->ReopenWritableFile(file, {}, &out, nullptr).ok());
    EXPECT_FALSE(out->Truncate(3, {}, nullptr).ok());
    ASSERT_TRUE(out->Truncate(text.size(), {}, nullptr).ok());
    EXPECT_EQ(out->GetFileSize({}, nullptr), text.size());
    ASSERT_TRUE(out->Append("second.", {}, nullptr).ok());
    text += "second.";
    ASSERT_TRUE(out->Append("third.", {}, nullptr).ok());
    text += "third.";
    ASSERT_TRUE(out->Close({}, nullptr).ok());
    std::string read;
    ASSERT_TRUE(ReadInOrder(file, 4096, &read).ok());
    EXPECT_EQ(read, text);
  }
  // The same text at the same place, in other bytes.
  const std::string after = BytesOf(file);
  const size_t second = kFileHeaderBytes + 6 + kFrameOverheadBytes;
  EXPECT_EQ(after.substr(0, second), before.substr(0, second));
  EXPECT_EQ(after.find(before.substr(second + kFrameHeadBytes, 7)), std::string::npos);
}

TEST_F(EncryptedFileSystemTest, AWholeFileCanOnlyBeSyncedAgain) {
  const std::string file = folder_ / "000001.sst";
  Write(file, {"text"});
  std::unique_ptr<rocksdb::FSWritableFile> out;
  ASSERT_TRUE(files_->ReopenWritableFile(file, {}, &out, nullptr).ok());
  EXPECT_TRUE(out->Sync({}, nullptr).ok());
  EXPECT_FALSE(out->Append("more", {}, nullptr).ok());
}

TEST_F(EncryptedFileSystemTest, NewFilesTakeTheNewestKey) {
  StoreKeys keys = *keys_;
  ASSERT_TRUE(keys.Add().ok());
  Write(folder_ / "000001.sst", {"old"});
  EncryptedFileSystem files(rocksdb::FileSystem::Default(), std::make_shared<StoreKeys>(keys));
  std::unique_ptr<rocksdb::FSWritableFile> out;
  ASSERT_TRUE(files.NewWritableFile(folder_ / "000003.sst", {}, &out, nullptr).ok());
  ASSERT_TRUE(out->Append("new", {}, nullptr).ok());
  ASSERT_TRUE(out->Close({}, nullptr).ok());
  for (const auto& [name, number, text] :
       {std::tuple("000001.sst", 1u, "old"), std::tuple("000003.sst", 2u, "new")}) {
    const auto file = DecryptedFile::Open(folder_ / name, keys);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->ReadAll().value(), text);
    EXPECT_EQ((*file)->key_numbers(), std::vector<uint32_t>{number});
  }
  const auto unknown = DecryptedFile::Open(folder_ / "000003.sst", *keys_);
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(unknown.status().message()),
              HasSubstr("000003.sst is encrypted with key 2"));
}

TEST_F(EncryptedFileSystemTest, SmallTextsAreFilesOfTheirOwn) {
  for (const size_t bytes :
       {size_t{0}, size_t{5}, kChunkBytes, kFrameBytesMax, kFrameBytesMax + 1}) {
    const std::string text = Noise(bytes, 3);
    const std::string once = EncryptText(text, *keys_).value();
    EXPECT_EQ(DecryptText("once", once, *keys_).value() == text, true) << bytes;
    SetBytes(folder_ / "000001.sst", once);
    std::string read;
    ASSERT_TRUE(ReadAt(folder_ / "000001.sst", 0, bytes + 1, &read).ok());
    EXPECT_EQ(read == text, true) << bytes;
    SetBytes(folder_ / "000002.log", EncryptFrames(text, *keys_).value());
    ASSERT_TRUE(ReadInOrder(folder_ / "000002.log", 4096, &read).ok());
    EXPECT_EQ(read == text, true) << bytes;
  }
}

TEST(StoreKeysTest, TheFileIsReplacedAsAWhole) {
  const ScratchFolder folder;
  const auto code = [&](const SecretKey& key) {
    return StoreKeys::Read(folder.path(), key).status().code();
  };
  EXPECT_EQ(code(kWrappingKey), absl::StatusCode::kDataLoss);
  const StoreKeys keys = StoreKeys::Make().value();
  ASSERT_TRUE(keys.Write(folder.path(), kWrappingKey).ok());
  EXPECT_EQ(code(kWrappingKey), absl::StatusCode::kOk);
  // Another wrapping key, for the same data keys.
  const SecretKey next(std::string(SecretKey::kBytes, 'n'));
  ASSERT_TRUE(keys.Write(folder.path(), next).ok());
  EXPECT_EQ(code(kWrappingKey), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(StoreKeys::Read(folder.path(), next)->Find(1)->bytes(), keys.Find(1)->bytes());
}

TEST(StoreKeysTest, OnlyTheWrappingKeyOpensThem) {
  StoreKeys keys = StoreKeys::Make().value();
  ASSERT_TRUE(keys.Add().ok());
  const std::string text = keys.Text(kWrappingKey).value();
  const auto read = StoreKeys::Parse("KEYS", text, kWrappingKey);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->newest(), 2u);
  for (const uint32_t number : {1u, 2u}) {
    EXPECT_EQ(read->Find(number)->bytes(), keys.Find(number)->bytes());
  }
  const auto wrong = StoreKeys::Parse("KEYS", text, SecretKey(std::string(32, 'x')));
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("KEYS was written with"));
  for (size_t at = 0; at < text.size(); ++at) {
    std::string bad = text;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    const auto altered = StoreKeys::Parse("KEYS", bad, kWrappingKey);
    EXPECT_FALSE(altered.ok()) << at;
    EXPECT_THAT(std::string(altered.status().message()), HasSubstr("KEYS")) << at;
    EXPECT_FALSE(StoreKeys::Parse("KEYS", text.substr(0, at), kWrappingKey).ok()) << at;
  }
  keys.Retire({});
  EXPECT_EQ(keys.Find(1), nullptr);
  EXPECT_NE(keys.Find(2), nullptr);
}

TEST(KeySourceTest, AKeyComesFromAFileAVariableOrACommand) {
  const ScratchFolder folder;
  const std::string raw(kWrappingKey.bytes());
  const std::string file = folder / "key";
  for (const std::string& text :
       {raw, Hex(raw) + "\n", std::string("MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=\n")}) {
    SetBytes(file, text);
    setenv("DYNOLITH_TEST_KEY", text.c_str(), 1);
    for (const std::string& source :
         {"file:" + file, std::string("env:DYNOLITH_TEST_KEY"), "command:cat " + file}) {
      const auto key = ReadWrappingKey(source);
      ASSERT_TRUE(key.ok()) << key.status();
      EXPECT_EQ(key->bytes(), raw);
    }
  }
  unsetenv("DYNOLITH_TEST_KEY");
  const auto expect = [](const std::string& source, absl::StatusCode code, const char* text) {
    const auto key = ReadWrappingKey(source);
    EXPECT_EQ(key.status().code(), code) << key.status();
    EXPECT_THAT(std::string(key.status().message()), HasSubstr(text));
  };
  SetBytes(file, "short");
  expect("file:" + file, absl::StatusCode::kInvalidArgument, "has 5 bytes: it is 32 bytes");
  expect("file:" + (folder / "none"), absl::StatusCode::kNotFound, "No such file");
  expect("env:DYNOLITH_TEST_KEY", absl::StatusCode::kFailedPrecondition,
         "the environment variable DYNOLITH_TEST_KEY: it is not set");
  // Digits of half a key.
  SetBytes(file, "0123456789abcdef0123456789ABCDEF");
  expect("file:" + file, absl::StatusCode::kInvalidArgument, "has 32 bytes: it is 32 bytes");
  expect("command:exit 3", absl::StatusCode::kFailedPrecondition, "it ended with status 3");
  expect("command:kill -9 $$", absl::StatusCode::kFailedPrecondition, "signal 9");
  expect("command:yes", absl::StatusCode::kInvalidArgument, "bytes: it is 32 bytes");
  for (const std::string& source : {std::string(), std::string("file:"), Hex(raw), file}) {
    EXPECT_FALSE(IsKeySource(source));
    expect(source, absl::StatusCode::kInvalidArgument, "file:PATH, env:NAME or command:TEXT");
    // What was given in place of a source may be the key.
    const std::string said(ReadWrappingKey(source).status().message());
    EXPECT_TRUE(source.size() < 10 || said.find(source) == std::string::npos) << said;
  }
}

}  // namespace
}  // namespace dynolith
