#include "tools/server/trace/trace_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/value/item.h"
#include "tools/server/trace/messages.h"
#include "tools/server/trace/trace_files.h"

namespace dynolith::trace {
namespace {

struct TraceFileBytes {
  std::string name;
  std::string bytes;
  FileHeader header;
};

absl::Status CheckHeader(TraceFileBytes* file) {
  const HeaderError header_error = DecodeHeader(file->bytes, &file->header);
  if (header_error == HeaderError::kNone) return absl::OkStatus();
  return absl::InvalidArgumentError(
      header_error == HeaderError::kNewer     ? messages::TraceIsNewer(file->name)
      : header_error == HeaderError::kNoTrace ? messages::NotATrace(file->name)
                                              : messages::TraceHeaderDamaged(file->name));
}

// Numbers of resources in all blocks together.
class ResourceNumbers {
 public:
  explicit ResourceNumbers(std::vector<Resource>* all) : all_(all) {}

  uint32_t Of(const Resource& resource) {
    const auto number = static_cast<uint32_t>(all_->size());
    const auto [at, is_new] =
        numbers_.try_emplace(std::pair(resource.table, resource.index), number);
    if (is_new) {
      all_->push_back(resource);
    } else {
      (*all_)[at->second] = resource;
    }
    return at->second;
  }

 private:
  std::vector<Resource>* const all_;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers_;
};

void ReadBlocks(const TraceFileBytes& file, ResourceNumbers* numbers, TraceContents* contents,
                absl::FunctionRef<void(const Request& request)> visit) {
  std::string_view rest = file.bytes;
  rest.remove_prefix(kHeaderBytes);
  std::string raw;
  Block block;
  while (!rest.empty()) {
    const std::optional<size_t> length =
        DecodeBlock(rest, file.header.has_plain_keys, &raw, &block);
    if (!length) {
      contents->warnings.push_back(
          messages::TraceCutOff(file.name, file.bytes.size() - rest.size(), file.bytes.size()));
      return;
    }
    rest.remove_prefix(*length);
    contents->dropped += block.dropped;
    std::vector<uint32_t> known;
    known.reserve(block.resources.size());
    for (const Resource& resource : block.resources) known.push_back(numbers->Of(resource));
    for (Request& request : block.requests) {
      for (Use& use : request.uses) use.resource = known[use.resource];
      visit(request);
    }
  }
}

// Nobody writes on a terminal what only looks like the program's own words.
std::string Printable(std::string text) {
  for (char& c : text) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string ValueText(ValueView value) {
  switch (value.type()) {
    case Type::kString:
      return Printable(std::string(value.string()));
    case Type::kNumber:
      return value.number().ToString();
    default:
      return Concat("0x", Hex(value.payload()));
  }
}

}  // namespace

absl::StatusOr<TraceContents> ReadTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    absl::FunctionRef<void(const Request& request)> visit) {
  std::vector<TraceFileBytes> files(1);
  files[0].name = file;
  DYNOLITH_ASSIGN_OR_RETURN(files[0].bytes, read(file));
  DYNOLITH_RETURN_IF_ERROR(CheckHeader(&files[0]));
  while (files.back().header.number > 0) {
    TraceFileBytes older;
    older.name = NameOfFile(file, static_cast<int>(files.size()));
    absl::StatusOr<std::string> bytes = read(older.name);
    if (!bytes.ok()) break;
    older.bytes = *std::move(bytes);
    const bool belongs = CheckHeader(&older).ok() && older.header.run == files[0].header.run &&
                         older.header.number + 1 == files.back().header.number;
    if (!belongs) break;
    files.push_back(std::move(older));
  }
  TraceContents contents;
  contents.has_plain_keys = files[0].header.has_plain_keys;
  contents.files = files.size();
  ResourceNumbers numbers(&contents.resources);
  for (; !files.empty(); files.pop_back()) {
    contents.bytes += static_cast<int64_t>(files.back().bytes.size());
    ReadBlocks(files.back(), &numbers, &contents, visit);
  }
  return contents;
}

std::string PartitionKeyText(const Resource& resource, const Use& use) {
  std::string row_key(sizeof(StorageId), '\0');
  AppendBigEndian(use.hash, &row_key);
  row_key.append(use.partition_key);
  const KeySchema key = {.hash = resource.key.hash, .range = {}};
  // Where it is all of the row key, it is written otherwise.
  const bool is_last = resource.index.empty() && resource.key.range.empty();
  const absl::StatusOr<Item> item =
      is_last ? DecodeRowKey(key, row_key) : DecodeIndexRowKey(key, {}, 1, row_key);
  if (!item.ok()) return Concat("0x", Hex(use.partition_key));
  std::string text;
  for (const KeyAttribute& attribute : key.hash) {
    const std::optional<ValueView> value = item->Find(attribute.name);
    if (value) text += Concat(text.empty() ? "" : ", ", ValueText(*value));
  }
  return text;
}

std::string HashText(uint64_t hash) {
  std::string bytes;
  AppendBigEndian(hash, &bytes);
  return Concat("#", Hex(bytes));
}

}  // namespace dynolith::trace
