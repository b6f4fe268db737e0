#include "api/transfer/files/csv_record.h"

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "api/transfer/files/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Removes a quoted field from the front of `rest`, which begins with the quote.
absl::StatusOr<std::string> TakeQuoted(std::string_view* rest) {
  std::string field;
  for (size_t at = 1; at < rest->size(); ++at) {
    if ((*rest)[at] != '"') {
      field.push_back((*rest)[at]);
    } else if (at + 1 < rest->size() && (*rest)[at + 1] == '"') {
      field.push_back((*rest)[at++]);
    } else {
      rest->remove_prefix(at + 1);
      return field;
    }
  }
  return ValidationError(messages::CsvQuoteMissing());
}

absl::StatusOr<std::string> TakePlain(char delimiter, std::string_view* rest) {
  const size_t end = std::min(rest->find(delimiter), rest->size());
  std::string field(rest->substr(0, end));
  if (field.find('"') != std::string::npos) {
    return ValidationError(messages::CsvQuoteUnexpected());
  }
  rest->remove_prefix(end);
  return field;
}

absl::Status AddKeyValue(Type type, std::string_view text, ItemBuilder* builder) {
  if (type == Type::kNumber) return builder->NumberText(text);
  if (type == Type::kString) {
    builder->String(text);
    return absl::OkStatus();
  }
  std::string bytes;
  if (!absl::Base64Unescape(ToAbsl(text), &bytes)) {
    return ValidationError(messages::CsvBinaryInvalid());
  }
  builder->Binary(bytes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseCsvRecord(std::string_view record, char delimiter) {
  std::vector<std::string> fields;
  for (std::string_view rest = record;;) {
    DYNOLITH_ASSIGN_OR_RETURN(
        std::string field, rest.starts_with('"') ? TakeQuoted(&rest) : TakePlain(delimiter, &rest));
    fields.push_back(std::move(field));
    if (rest.empty()) return fields;
    if (rest.front() != delimiter) return ValidationError(messages::CsvQuoteUnexpected());
    rest.remove_prefix(1);
  }
}

absl::Status CheckCsvHeaders(const std::vector<std::string>& headers) {
  const std::set<std::string_view> names(headers.begin(), headers.end());
  const bool are_names = std::all_of(headers.begin(), headers.end(), [](const std::string& name) {
    return !name.empty() && name.size() <= kAttributeNameBytesMax;
  });
  if (names.size() == headers.size() && are_names) return absl::OkStatus();
  return ValidationError(messages::CsvHeadersInvalid());
}

absl::StatusOr<Item> CsvItem(const std::vector<std::string>& headers,
                             const std::vector<std::string>& fields,
                             const std::vector<AttributeDefinition>& definitions) {
  if (fields.size() != headers.size()) {
    return ValidationError(messages::CsvColumnsDiffer(fields.size(), headers.size()));
  }
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = 0; i < headers.size(); ++i) {
    const auto definition = std::find_if(definitions.begin(), definitions.end(),
                                         [&](const AttributeDefinition& attribute) {
                                           return attribute.attribute_name == headers[i];
                                         });
    const Type type = definition == definitions.end() ? Type::kString : definition->attribute_type;
    builder.Key(headers[i]);
    DYNOLITH_RETURN_IF_ERROR(AddKeyValue(type, fields[i], &builder));
  }
  builder.EndMap();
  return builder.FinishItem();
}

}  // namespace dynolith
