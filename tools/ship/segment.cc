#include "tools/ship/segment.h"

#include "engine/base/crc32c.h"
#include "engine/base/strings.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kSegmentMagic = "dynolith segment ";
constexpr std::string_view kSegmentVersion = "1";

// The lines between the first and the last one.
std::optional<Segment> ParseLines(std::string_view lines) {
  Segment segment;
  const auto owner = TakeLine("owner", &lines);
  const auto chain = TakeNumberLine("chain", &lines);
  const auto milliseconds = TakeNumberLine("time", &lines);
  const auto complete = TakeNumberLine("complete", &lines);
  if (!owner || !chain || !milliseconds || !complete) return std::nullopt;
  segment.owner = *owner;
  segment.chain = *chain;
  segment.time = absl::FromUnixMillis(static_cast<int64_t>(*milliseconds));
  segment.complete = absl::FromUnixMillis(static_cast<int64_t>(*complete));
  while (!lines.empty()) {
    auto part = TakeLine("part", &lines);
    if (!part) return std::nullopt;
    const auto log = TakeUntil(' ', &*part);
    const auto offset = TakeUntil(' ', &*part);
    if (!log || !offset) return std::nullopt;
    const auto number = ToNumber(*log);
    const auto begin = ToNumber(*offset);
    const auto bytes = ToNumber(*part);
    if (!number || !begin || !bytes || *bytes == 0) return std::nullopt;
    segment.parts.push_back({*number, *begin, *bytes});
  }
  return segment;
}

}  // namespace

std::string SegmentName(uint64_t number) { return Concat(kSegmentFolder, OrderedNumber(number)); }

std::optional<uint64_t> SegmentNumber(std::string_view name) {
  if (!name.starts_with(kSegmentFolder)) return std::nullopt;
  name.remove_prefix(kSegmentFolder.size());
  return name.size() == kOrderedDigits ? ToNumber(name) : std::nullopt;
}

std::string SegmentText(const Segment& segment) {
  std::string text = Concat(kSegmentMagic, kSegmentVersion, "\nowner ", segment.owner, "\nchain ",
                            segment.chain, "\ntime ", absl::ToUnixMillis(segment.time),
                            "\ncomplete ", absl::ToUnixMillis(segment.complete), "\n");
  for (const SegmentPart& part : segment.parts) {
    text += Concat("part ", part.log, " ", part.offset, " ", part.bytes, "\n");
  }
  return Concat(text, "end ", segment.data.size(), " ", Crc32c(segment.data), " ", Crc32c(text),
                "\n", segment.data);
}

absl::StatusOr<Segment> ParseSegment(std::string_view name, std::string_view text) {
  const absl::Status unreadable = absl::DataLossError(messages::ShippedUnreadable(name));
  const size_t end_at = text.find("\nend ");
  if (!text.starts_with(kSegmentMagic) || end_at == std::string_view::npos) return unreadable;
  std::string_view head = text.substr(0, end_at + 1);
  std::string_view rest = text.substr(end_at + 1);
  std::optional<std::string_view> sums = TakeLine("end", &rest);
  if (!sums) return unreadable;
  const auto bytes = TakeUntil(' ', &*sums);
  const auto crc = TakeUntil(' ', &*sums);
  // Checked before the version: a flipped bit is damage, not a newer version.
  if (!bytes || !crc || ToNumber(*sums) != Crc32c(head)) return unreadable;
  head.remove_prefix(kSegmentMagic.size());
  if (TakeUntil('\n', &head) != kSegmentVersion) {
    return absl::FailedPreconditionError(messages::ShippedNewer(name));
  }
  std::optional<Segment> segment = ParseLines(head);
  if (!segment || ToNumber(*bytes) != rest.size() || ToNumber(*crc) != Crc32c(rest)) {
    return unreadable;
  }
  uint64_t sum = 0;
  for (const SegmentPart& part : segment->parts) sum += part.bytes;
  if (sum != rest.size()) return unreadable;
  segment->data = rest;
  return *std::move(segment);
}

}  // namespace dynolith::ship
