#include "tools/mcp/bounded_read.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/remote/signature.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/service_input.h"

namespace dynolith::mcp {
namespace {

// One answer of the service.
struct ReadPage {
  std::vector<JsonTree> items;  // as they are shown
  std::vector<size_t> bytes;    // of each
  std::optional<JsonTree> next;
  int64_t scanned = 0;
};

class BoundedRead {
 public:
  BoundedRead(const ToolCall& call, std::string_view operation, JsonTree input)
      : call_(call),
        operation_(operation),
        is_statement_(operation == "ExecuteStatement"),
        input_(std::move(input)),
        limit_(WholeAt(call.arguments, "limit", kElementsUsual)),
        bytes_max_(static_cast<size_t>(WholeAt(call.arguments, "max_bytes", kBytesUsual))) {
    SetMember(&input_, "ReturnConsumedCapacity", TextTree("TOTAL"));
    request_ = http::Hex(http::Sha256(PrintJson(input_))).substr(0, kTagLetters);
  }

  absl::StatusOr<ToolResult> Run() {
    DYNOLITH_RETURN_IF_ERROR(ReadCursor());
    while (!is_over_) {
      if (call_.is_cancelled()) return absl::CancelledError(messages::McpCancelled());
      DYNOLITH_RETURN_IF_ERROR(Step());
    }
    return Result();
  }

 private:
  static constexpr size_t kTagLetters = 12;

  absl::Status ReadCursor() {
    const std::string cursor = TextAt(call_.arguments, "cursor");
    if (cursor.empty()) return absl::OkStatus();
    std::string text;
    std::optional<JsonTree> tree;
    if (absl::WebSafeBase64Unescape(cursor, &text)) tree = ParseJson(text, kMessageDepthMax);
    const JsonTree* const at = tree ? tree->Find("at") : nullptr;
    if (at == nullptr || TextAt(*tree, "of") != request_) {
      return absl::InvalidArgumentError(messages::McpWrongCursor());
    }
    start_ = *at;
    return absl::OkStatus();
  }

  absl::StatusOr<ReadPage> ReadPageOf(int64_t rows) {
    JsonTree input = input_;
    SetMember(&input, "Limit", WholeTree(rows));
    if (start_) SetMember(&input, is_statement_ ? "NextToken" : "ExclusiveStartKey", *start_);
    ++calls_;
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call_.backend->Call(operation_, input));
    units_ += ConsumedUnits(answer);
    ReadPage page;
    if (const JsonTree* const items = answer.Find("Items")) {
      for (const JsonTree& item : items->elements) {
        page.items.push_back(ShownItem(call_.arguments, item));
        page.bytes.push_back(PrintJson(page.items.back()).size());
      }
    }
    page.scanned = WholeAt(answer, "ScannedCount", static_cast<int64_t>(page.items.size()));
    const JsonTree* const next = answer.Find(is_statement_ ? "NextToken" : "LastEvaluatedKey");
    if (next != nullptr) page.next = *next;
    return page;
  }

  // The number of the page's first items that there is still room for.
  size_t Fitting(const ReadPage& page) const {
    size_t bytes = bytes_;
    size_t count = 0;
    while (count < page.items.size() && bytes + page.bytes[count] <= bytes_max_) {
      bytes += page.bytes[count++];
    }
    return count;
  }

  absl::Status Step() {
    const int64_t rows = is_alone_ ? 1 : limit_ - static_cast<int64_t>(items_.elements.size());
    DYNOLITH_ASSIGN_OR_RETURN(ReadPage page, ReadPageOf(rows));
    const size_t fitting = Fitting(page);
    if (fitting == page.items.size()) {
      Accept(std::move(page));
    } else if (fitting > 0) {
      // The first rows hold no more matching items than that.
      DYNOLITH_ASSIGN_OR_RETURN(page, ReadPageOf(static_cast<int64_t>(fitting)));
      if (Fitting(page) < page.items.size()) return absl::OkStatus();  // they grew meanwhile
      Accept(std::move(page));
      is_over_ = true;
      is_truncated_ = start_.has_value();
    } else if (!items_.elements.empty()) {
      is_over_ = is_truncated_ = true;
    } else if (!is_alone_) {
      is_alone_ = true;  // the first item is too large: it is looked for row by row
    } else {
      notes_.elements.push_back(TextTree(messages::McpItemLeftOut(page.bytes[0], bytes_max_)));
      page.items.clear();
      Accept(std::move(page));
      is_alone_ = false;
    }
    return absl::OkStatus();
  }

  void Accept(ReadPage page) {
    for (size_t i = 0; i < page.items.size(); ++i) {
      bytes_ += page.bytes[i];
      items_.elements.push_back(std::move(page.items[i]));
    }
    scanned_ += page.scanned;
    start_ = std::move(page.next);
    if (!start_) {
      is_over_ = true;
    } else if (static_cast<int64_t>(items_.elements.size()) >= limit_) {
      is_over_ = is_truncated_ = true;
    } else if (scanned_ >= kRowsReadMax || calls_ >= kCallsMax) {
      is_over_ = is_truncated_ = true;
      notes_.elements.push_back(TextTree(messages::McpReadEnough(scanned_)));
    }
  }

  ToolResult Result() {
    JsonTree result = MapTree();
    SetMember(&result, "count", WholeTree(static_cast<int64_t>(items_.elements.size())));
    SetMember(&result, "items", std::move(items_));
    if (!is_statement_) SetMember(&result, "scanned_count", WholeTree(scanned_));
    SetMember(&result, "read_units", RealTree(units_));
    SetMember(&result, "truncated", BoolTree(is_truncated_));
    if (is_truncated_) SetMember(&result, "next_cursor", TextTree(Cursor()));
    if (!notes_.elements.empty()) SetMember(&result, "notes", std::move(notes_));
    return {.structured = std::move(result), .summary = ""};
  }

  std::string Cursor() const {
    JsonTree cursor = MapTree();
    SetMember(&cursor, "of", TextTree(request_));
    SetMember(&cursor, "at", start_.value_or(WordTree("null")));
    return absl::WebSafeBase64Escape(PrintJson(cursor));
  }

  const ToolCall& call_;
  const std::string_view operation_;
  const bool is_statement_;
  JsonTree input_;
  const int64_t limit_;
  const size_t bytes_max_;
  std::string request_;
  std::optional<JsonTree> start_;
  bool is_alone_ = false;
  bool is_over_ = false;
  bool is_truncated_ = false;
  JsonTree items_ = ListTree();
  JsonTree notes_ = ListTree();
  size_t bytes_ = 0;
  int64_t scanned_ = 0;
  int calls_ = 0;
  double units_ = 0;
};

}  // namespace

absl::StatusOr<ToolResult> ReadBounded(const ToolCall& call, std::string_view operation,
                                       const JsonTree& input) {
  return BoundedRead(call, operation, input).Run();
}

}  // namespace dynolith::mcp
