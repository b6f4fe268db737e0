#include "tools/files/items/plain_lines.h"

#include <utility>

#include "api/json/item_line.h"
#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"

namespace dynolith::designs {
namespace {

// Large enough that starting a thread costs little in comparison, small enough for the CPU's cache.
constexpr size_t kBatchBytes = 1 << 20;

}  // namespace

absl::Status PlainLines::Add(std::string_view text, size_t number, Take take) {
  if (added_->texts.size() >= kBatchBytes) DYNOLITH_RETURN_IF_ERROR(Advance(take));
  added_->begins.push_back(added_->texts.size());
  added_->texts += text;
  added_->lines.push_back({.text = {}, .number = number, .item = std::nullopt});
  return absl::OkStatus();
}

absl::Status PlainLines::Finish(Take take) {
  DYNOLITH_RETURN_IF_ERROR(Advance(take));
  return Advance(take);
}

absl::Status PlainLines::Advance(Take take) {
  const std::shared_ptr<Batch> read = reading_.valid() ? reading_.get() : std::make_shared<Batch>();
  if (!added_->lines.empty()) {
    reading_ = RunBeside(
        [batch = std::exchange(added_, std::make_shared<Batch>())] { return Read(batch); });
  }
  for (const Line& line : read->lines) DYNOLITH_RETURN_IF_ERROR(take(line));
  return absl::OkStatus();
}

std::shared_ptr<PlainLines::Batch> PlainLines::Read(std::shared_ptr<Batch> batch) {
  batch->begins.push_back(batch->texts.size());
  for (size_t i = 0; i < batch->lines.size(); ++i) {
    const size_t begin = batch->begins[i];
    Line& line = batch->lines[i];
    line.text = std::string_view(batch->texts).substr(begin, batch->begins[i + 1] - begin);
    line.item = ReadPlainItemLine(line.text);
  }
  return batch;
}

}  // namespace dynolith::designs
