#include "engine/value/attachments.h"

#include <utility>

#include "absl/strings/cord.h"
#include "engine/base/errors.h"
#include "engine/text/json_string.h"
#include "engine/text/json_tree.h"
#include "engine/value/item_json.h"

namespace dynolith {
namespace {

// By Attachment.
constexpr absl::string_view kUrls[] = {"dynolith/item", "dynolith/reasons", "dynolith/throttling"};

// An item within a list of reasons.
constexpr int kDepthMax = kItemJsonDepthMax + 2;

absl::string_view AttachmentUrl(Attachment attachment) {
  return kUrls[static_cast<int>(attachment)];
}

// A text that is none of ours reads as nothing.
JsonTree AttachmentTree(const absl::Status& status, Attachment attachment) {
  return ParseJson(AttachedJson(status, attachment), kDepthMax).value_or(JsonTree());
}

// A member's text; empty if there is none.
std::string MemberText(const JsonTree& object, std::string_view name) {
  const JsonTree* member = object.Find(name);
  return member == nullptr ? "" : member->text;
}

void AppendMember(std::string_view name, std::string_view text, std::string* json) {
  if (json->back() != '{') json->push_back(',');
  AppendJsonString(name, json);
  json->push_back(':');
  AppendJsonString(text, json);
}

void AppendReason(std::string_view code, const absl::Status& action, std::string* json) {
  json->push_back('{');
  AppendMember("Code", code, json);
  if (!MessageOf(action).empty()) AppendMember("Message", MessageOf(action), json);
  const std::string item = AttachedJson(action, Attachment::kItem);
  if (!item.empty()) json->append(",\"Item\":").append(item);
  json->push_back('}');
}

}  // namespace

std::string AttachedJson(const absl::Status& status, Attachment attachment) {
  const auto payload = status.GetPayload(AttachmentUrl(attachment));
  return payload ? std::string(*payload) : std::string();
}

void AttachJson(Attachment attachment, std::string json, absl::Status* status) {
  status->SetPayload(AttachmentUrl(attachment), absl::Cord(std::move(json)));
}

std::optional<Item> AttachedItem(const absl::Status& status) {
  return ItemOfJson(AttachmentTree(status, Attachment::kItem));
}

void AttachItem(ItemView item, absl::Status* status) {
  std::string json;
  AppendJsonItem(item, &json);
  AttachJson(Attachment::kItem, std::move(json), status);
}

std::vector<CancellationReason> AttachedReasons(const absl::Status& status) {
  std::vector<CancellationReason> reasons;
  for (const JsonTree& action : AttachmentTree(status, Attachment::kReasons).elements) {
    CancellationReason& reason = reasons.emplace_back();
    reason.code = MemberText(action, "Code");
    reason.message = MemberText(action, "Message");
    if (const JsonTree* item = action.Find("Item")) reason.item = ItemOfJson(*item);
  }
  return reasons;
}

void AttachReasons(absl::Span<const std::string_view> codes, absl::Span<const absl::Status> actions,
                   absl::Status* status) {
  std::string json = "[";
  for (size_t i = 0; i < actions.size(); ++i) {
    if (i > 0) json.push_back(',');
    AppendReason(codes[i], actions[i], &json);
  }
  json.push_back(']');
  AttachJson(Attachment::kReasons, std::move(json), status);
}

std::vector<ThrottlingReason> AttachedThrottling(const absl::Status& status) {
  std::vector<ThrottlingReason> reasons;
  for (const JsonTree& element : AttachmentTree(status, Attachment::kThrottling).elements) {
    reasons.push_back({MemberText(element, "reason"), MemberText(element, "resource")});
  }
  return reasons;
}

void AttachThrottling(const std::vector<ThrottlingReason>& reasons, absl::Status* status) {
  std::string json = "[";
  for (const ThrottlingReason& reason : reasons) {
    json.append(json.size() > 1 ? ",{" : "{");
    AppendMember("reason", reason.reason, &json);
    AppendMember("resource", reason.resource, &json);
    json.push_back('}');
  }
  json.push_back(']');
  AttachJson(Attachment::kThrottling, std::move(json), status);
}

}  // namespace dynolith
