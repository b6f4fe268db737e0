import static org.junit.jupiter.api.Assertions.assertEquals;

import dynolith.inprocess.DynolithExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;

/** As a stranger would begin: the jar and the SDK, nothing else of Dynolith. */
@ExtendWith(DynolithExtension.class)
class AnswerTest {
  @Test
  void answers(DynamoDbClient client) {
    client.createTable(table -> table.tableName("music").billingMode(BillingMode.PAY_PER_REQUEST)
        .keySchema(key -> key.attributeName("artist").keyType(KeyType.HASH))
        .attributeDefinitions(attribute -> attribute.attributeName("artist").attributeType("S")));
    client.putItem(put -> put.tableName("music")
        .item(Map.of("artist", AttributeValue.fromS("Ray"), "plays", AttributeValue.fromN("1"))));
    assertEquals("1", client.getItem(get -> get.tableName("music").key(Map.of("artist", AttributeValue.fromS("Ray"))))
        .item().get("plays").n());
  }
}
