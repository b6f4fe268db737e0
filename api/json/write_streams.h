// Outputs of the Streams operations -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_STREAMS_H_
#define DYNOLITH_API_JSON_WRITE_STREAMS_H_

#include "api/json/json_writer.h"
#include "dynolith/streams.h"

namespace dynolith {

// Each writes one whole output object.
void WriteOutputJson(const ListStreamsOutput& output, JsonWriter* writer);
void WriteOutputJson(const DescribeStreamOutput& output, JsonWriter* writer);
void WriteOutputJson(const GetShardIteratorOutput& output, JsonWriter* writer);
void WriteOutputJson(const GetRecordsOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_STREAMS_H_
