#include "engine/store/postgres/libpq.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <string>

#include "engine/store/postgres/messages.h"

namespace dynolith::postgres {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

absl::Status CannotLoad(const std::string& why) {
  return absl::FailedPreconditionError(messages::LibpqNotLoaded(why));
}

// Finds the functions of one loaded library; the first that is missing is remembered.
class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <typename Function>
  void Find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library_, name));
    if (*function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

absl::StatusOr<const Libpq*> LoadOnce() {
  // A program that is linked statically has no loader, and would take a second C library with it.
  if (getauxval(AT_BASE) == 0) return CannotLoad(messages::LinkedStatically());
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return CannotLoad(dlerror());
  static Libpq libpq;
  Finder finder(library);
  finder.Find("PQclear", &libpq.clear);
  finder.Find("PQcmdStatus", &libpq.cmdStatus);
  finder.Find("PQconnectdbParams", &libpq.connectdbParams);
  finder.Find("PQconninfoFree", &libpq.conninfoFree);
  finder.Find("PQconninfoParse", &libpq.conninfoParse);
  finder.Find("PQconsumeInput", &libpq.consumeInput);
  finder.Find("PQenterPipelineMode", &libpq.enterPipelineMode);
  finder.Find("PQerrorMessage", &libpq.errorMessage);
  finder.Find("PQescapeIdentifier", &libpq.escapeIdentifier);
  finder.Find("PQfinish", &libpq.finish);
  finder.Find("PQflush", &libpq.flush);
  finder.Find("PQfreemem", &libpq.freemem);
  finder.Find("PQgetResult", &libpq.getResult);
  finder.Find("PQgetisnull", &libpq.getisnull);
  finder.Find("PQgetlength", &libpq.getlength);
  finder.Find("PQgetvalue", &libpq.getvalue);
  finder.Find("PQisBusy", &libpq.isBusy);
  finder.Find("PQntuples", &libpq.ntuples);
  finder.Find("PQpipelineSync", &libpq.pipelineSync);
  finder.Find("PQresultErrorField", &libpq.resultErrorField);
  finder.Find("PQresultErrorMessage", &libpq.resultErrorMessage);
  finder.Find("PQresultStatus", &libpq.resultStatus);
  finder.Find("PQsendPrepare", &libpq.sendPrepare);
  finder.Find("PQsendQuery", &libpq.sendQuery);
  finder.Find("PQsendQueryPrepared", &libpq.sendQueryPrepared);
  finder.Find("PQsetNoticeReceiver", &libpq.setNoticeReceiver);
  finder.Find("PQsetnonblocking", &libpq.setnonblocking);
  finder.Find("PQsocket", &libpq.socket);
  finder.Find("PQstatus", &libpq.status);
  if (!finder.missing().empty()) return CannotLoad(messages::LibpqTooOld(finder.missing()));
  return &libpq;
}

}  // namespace

absl::StatusOr<const Libpq*> Libpq::Load() {
  static const absl::StatusOr<const Libpq*> loaded = LoadOnce();
  return loaded;
}

}  // namespace dynolith::postgres
