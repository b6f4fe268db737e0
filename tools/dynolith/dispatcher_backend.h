// The operations behind the wire, of one database or of many with names.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
#define DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_

#include <memory>
#include <optional>
#include <string_view>

#include "api/databases/named_databases.h"
#include "api/json/dispatch.h"
#include "tools/trace/trace_recorder.h"
#include "tools/wire/wire.h"

namespace dynolith {

// Borrows the dispatcher or the databases, and the recorder of a trace, which may be nullptr.
class DispatcherBackend final : public http::ApiBackend {
 public:
  explicit DispatcherBackend(const Dispatcher* dispatcher, trace::TraceRecorder* recorder = nullptr)
      : dispatcher_(dispatcher), recorder_(recorder) {}
  explicit DispatcherBackend(NamedDatabases* databases, trace::TraceRecorder* recorder = nullptr)
      : databases_(databases), recorder_(recorder) {}

  Verdict Call(const http::ApiCall& call, absl::FunctionRef<bool()> admit,
               http::ApiAnswer* answer) override;
  Effort EffortOf(std::string_view target) const override;
  bool IsReady(std::string_view name) const override;

 private:
  // Destroyed from the last to the first: the database is there as long as its state.
  struct Ready {
    std::shared_ptr<AnsweringDatabase> database;  // nullptr: the first
    std::optional<AnsweringDatabase::Use> use;    // nullopt: it takes a while
  };
  Ready FindReady(std::string_view name) const;
  Verdict Run(const Dispatcher& dispatcher, const http::ApiCall& call, Dispatcher::Call* prepared,
              http::ApiAnswer* answer) const;
  Verdict RunNamed(const http::ApiCall& call, Dispatcher::Call* prepared,
                   http::ApiAnswer* answer) const;

  const Dispatcher* const dispatcher_ = nullptr;
  NamedDatabases* const databases_ = nullptr;
  trace::TraceRecorder* const recorder_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
