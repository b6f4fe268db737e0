// The functions of PostgreSQL's client library, which is loaded when the first store needs it: so
// neither a start without such a store nor a program that is installed pays for it.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_LIBPQ_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_LIBPQ_H_

#include <postgresql/libpq-fe.h>

#include <memory>

#include "absl/status/statusor.h"

namespace dynolith::postgres {

// Each has the name of libpq's function without its "PQ", and is that function. Of libpq.so.5,
// version 14 or later (pipelines).
struct Libpq {
  // Once for the process; the same for all, for good. kFailedPrecondition: it cannot be loaded.
  static absl::StatusOr<const Libpq*> Load();

  decltype(&PQclear) clear;
  decltype(&PQcmdStatus) cmdStatus;
  decltype(&PQconnectdbParams) connectdbParams;
  decltype(&PQconninfoFree) conninfoFree;
  decltype(&PQconninfoParse) conninfoParse;
  decltype(&PQconsumeInput) consumeInput;
  decltype(&PQenterPipelineMode) enterPipelineMode;
  decltype(&PQerrorMessage) errorMessage;
  decltype(&PQescapeIdentifier) escapeIdentifier;
  decltype(&PQfinish) finish;
  decltype(&PQflush) flush;
  decltype(&PQfreemem) freemem;
  decltype(&PQgetResult) getResult;
  decltype(&PQgetisnull) getisnull;
  decltype(&PQgetlength) getlength;
  decltype(&PQgetvalue) getvalue;
  decltype(&PQisBusy) isBusy;
  decltype(&PQntuples) ntuples;
  decltype(&PQpipelineSync) pipelineSync;
  decltype(&PQresultErrorField) resultErrorField;
  decltype(&PQresultErrorMessage) resultErrorMessage;
  decltype(&PQresultStatus) resultStatus;
  decltype(&PQsendPrepare) sendPrepare;
  decltype(&PQsendQuery) sendQuery;
  decltype(&PQsendQueryPrepared) sendQueryPrepared;
  decltype(&PQsetNoticeReceiver) setNoticeReceiver;
  decltype(&PQsetnonblocking) setnonblocking;
  decltype(&PQsocket) socket;
  decltype(&PQstatus) status;
};

// Frees what it is given by the library.
struct ResultDeleter {
  const Libpq* libpq = nullptr;
  void operator()(PGresult* result) const { libpq->clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ResultDeleter>;

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_LIBPQ_H_
