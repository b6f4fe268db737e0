#include "api/transfer/files/manifest.h"

#include <random>

#include "absl/strings/escaping.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr size_t kDataNameBytes = 26;

std::string Base64(std::string_view bytes) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  return text;
}

}  // namespace

std::string FolderOfPrefix(const std::optional<std::string>& prefix) {
  std::string folder = prefix.value_or("");
  while (folder.ends_with('/')) folder.pop_back();
  if (!folder.empty()) folder += '/';
  return folder;
}

std::string RandomDataName() {
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz234567";
  std::random_device random;
  std::string name;
  for (size_t i = 0; i < kDataNameBytes; ++i) name += kCharacters[random() % kCharacters.size()];
  return name;
}

void WriteText(std::string_view key, std::string_view text, JsonWriter* writer) {
  writer->Key(key);
  writer->String(text);
}

void WriteTextOrNull(std::string_view key, const std::optional<std::string>& text,
                     JsonWriter* writer) {
  writer->Key(key);
  text ? writer->String(*text) : writer->Null();
}

void WriteTime(std::string_view key, const std::optional<absl::Time>& time, JsonWriter* writer) {
  if (!time) return;
  WriteText(key, absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", *time, absl::UTCTimeZone()), writer);
}

void WriteInteger(std::string_view key, int64_t number, JsonWriter* writer) {
  writer->Key(key);
  writer->Integer(number);
}

std::string FilesManifest(const std::vector<DataFile::Summary>& files) {
  std::string text;
  for (const DataFile::Summary& file : files) {
    JsonWriter writer(&text);
    writer.BeginObject();
    WriteInteger("itemCount", file.lines, &writer);
    WriteText("md5Checksum", Base64(file.md5), &writer);
    // The ETag of an object that was uploaded in parts: here in one part.
    WriteText("etag", Concat(absl::BytesToHexString(Md5(file.md5)), "-1"), &writer);
    WriteText("dataFileS3Key", file.name, &writer);
    writer.EndObject();
    text += '\n';
  }
  return text;
}

absl::Status WriteTextObject(const Bucket& bucket, const std::string& name, std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket.Create(name));
  return object.Write(text);
}

absl::Status WriteManifest(const Bucket& bucket, const std::string& name, std::string_view text) {
  DYNOLITH_RETURN_IF_ERROR(WriteTextObject(bucket, Concat(name, ".json"), text));
  return WriteTextObject(bucket, Concat(name, ".md5"), Base64(Md5(text)));
}

}  // namespace dynolith
