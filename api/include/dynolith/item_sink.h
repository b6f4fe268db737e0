// Receives the items of a read without copying them: any function of an ItemView, as GetItem, Query
// and Scan take it, and BatchGetItem with the number of the table.
//
//   database->Query(request, [&](ItemView item) { Print(item); });
//   database->Scan(request, [&](ItemView item) {
//     return Found(item) ? SinkAnswer::kStop : SinkAnswer::kContinue;
//   });
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_ITEM_SINK_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_ITEM_SINK_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "engine/value/value.h"

namespace dynolith {

// Whether a sink wants more items. A page that a sink has stopped has a last_evaluated_key, from
// which the next page continues after the last delivered item.
enum class SinkAnswer : uint8_t { kContinue, kStop };

// Refers to a function that takes the items one by one and returns nothing or a SinkAnswer. The
// view is valid during the call. The function must outlive the sink, as a lambda in the call of an
// operation does.
//
// The thread that called the operation calls it, with no lock held: it may call every method of the
// same database. The read continues in the initial state of the database; a table whose deletion is
// finished meanwhile may lose rows of it.
class ItemSink {
 public:
  template <typename Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, ItemSink> &&
           std::is_object_v<std::remove_reference_t<Function>> &&
           (std::is_void_v<std::invoke_result_t<Function&, ItemView>> ||
            std::same_as<std::invoke_result_t<Function&, ItemView>, SinkAnswer>))
      // Passing a lambda makes one; the constraint leaves copies to the constructors of copies.
      // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
      ItemSink(Function&& function)
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_(&Call<std::remove_reference_t<Function>>) {}

  SinkAnswer operator()(ItemView item) const { return call_(function_, item); }

 private:
  template <typename Function>
  static SinkAnswer Call(void* function, ItemView item) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function&, ItemView>>) {
      (*static_cast<Function*>(function))(item);
      return SinkAnswer::kContinue;
    } else {
      return (*static_cast<Function*>(function))(item);
    }
  }

  void* function_;
  SinkAnswer (*call_)(void* function, ItemView item);
};

// The same for a read of several tables, one after the other; `table` is its index in the request.
using TableItemSink = absl::FunctionRef<void(size_t table, ItemView item)>;

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_ITEM_SINK_H_
