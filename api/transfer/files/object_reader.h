// The records of one object of a source.
#ifndef DYNOLITH_API_TRANSFER_FILES_OBJECT_READER_H_
#define DYNOLITH_API_TRANSFER_FILES_OBJECT_READER_H_

#include <string_view>

#include "absl/status/status.h"
#include "api/transfer/files/bucket.h"
#include "dynolith/bulk_transfer.h"

namespace dynolith {

// Gives each record of the object of that name to `receiver`, in the object's order. An error that
// makes the rest of the object unreadable (damaged compression, a record that is too long, an
// invalid header) is given as one record that is no item, and ends it. Errors: those of `receiver`;
// TransferFailure.
absl::Status ReadObject(std::string_view name, const ObjectFile& object,
                        const ImportTableDescription& description, ImportReceiver* receiver);

// The same for a bulk put.
absl::Status ReadBulkObject(std::string_view name, const ObjectFile& object,
                            const InputS3Configuration& input, BulkPutReceiver* receiver);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_OBJECT_READER_H_
