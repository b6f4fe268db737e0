#include "api/json/write_vectors.h"

namespace dynolith {

void WriteOutputJson(const SearchVectorsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  if (output.vector_search_request_bytes) {
    writer->Key("ConsumedCapacity");
    writer->BeginObject();
    writer->Key("VectorSearchRequestBytes");
    writer->Double(*output.vector_search_request_bytes);
    writer->EndObject();
  }
  writer->Key("SearchResults");
  writer->BeginArray();
  for (const SearchResult& result : output.search_results) {
    writer->BeginObject();
    writer->Key("Item");
    writer->Item(result.item.view());
    writer->Key("Score");
    writer->Double(result.score);
    writer->EndObject();
  }
  writer->EndArray();
  writer->EndObject();
}

}  // namespace dynolith
