// Prints JSON to the end of a string, attribute values straight from their encoded bytes.
#ifndef DYNOLITH_API_JSON_JSON_WRITER_H_
#define DYNOLITH_API_JSON_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/value/value.h"

namespace dynolith {

// Sets the commas. Every Begin needs its End, every Key its value.
//
//   JsonWriter writer(&body);
//   writer.BeginObject();
//   writer.Key("Count");
//   writer.Integer(3);
//   writer.EndObject();
class JsonWriter {
 public:
  // Borrows `out`.
  explicit JsonWriter(std::string* out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view name);

  void String(std::string_view text);
  void Integer(int64_t number);
  // As the service prints it: 0.5, 1.0.
  void Double(double number);
  void Bool(bool value);
  void Null();
  // Seconds since 1970, to the millisecond.
  void Timestamp(absl::Time time);
  // A text that is already JSON.
  void Json(std::string_view text);
  void Attribute(ValueView value);
  void Item(ItemView item);

 private:
  void Open(char bracket);
  void Close(char bracket);
  // Before a value or key.
  void Separate() {
    if (comma_) out_->push_back(',');
    comma_ = true;
  }

  std::string* const out_;
  bool comma_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JSON_WRITER_H_
