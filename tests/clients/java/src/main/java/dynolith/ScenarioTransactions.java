package dynolith;

import static dynolith.Items.key;
import static dynolith.Items.n;
import static dynolith.Items.with;
import static dynolith.Scenario.TABLE;
import static dynolith.ScenarioItems.CONDITION_FAILED;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Step 5: transactions commit, are cancelled with reasons, and are replayed by their token. */
final class ScenarioTransactions {
  private final DynamoDbClient db;

  ScenarioTransactions(DynamoDbClient db) {
    this.db = db;
  }

  private static Map<String, AttributeValue> account(int sk, int balance) {
    return with(key("accounts", sk), Map.of("balance", n(balance)));
  }

  private static TransactWriteItem open(int sk, int balance) {
    return TransactWriteItem.builder()
        .put(put -> put.tableName(TABLE).item(account(sk, balance)).conditionExpression("attribute_not_exists(pk)"))
        .build();
  }

  /** Adds to the balance when there is as much as said. */
  private static TransactWriteItem deposit(int sk, int amount, int atLeast) {
    return TransactWriteItem.builder()
        .update(
            update ->
                update
                    .tableName(TABLE)
                    .key(key("accounts", sk))
                    .updateExpression("SET balance = balance + :amount")
                    .conditionExpression("balance >= :least")
                    .expressionAttributeValues(Map.of(":amount", n(amount), ":least", n(atLeast)))
                    .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
        .build();
  }

  private static TransactWriteItem close(int sk) {
    return TransactWriteItem.builder().delete(delete -> delete.tableName(TABLE).key(key("accounts", sk))).build();
  }

  private static TransactWriteItem check(int sk) {
    return TransactWriteItem.builder()
        .conditionCheck(
            check -> check.tableName(TABLE).key(key("accounts", sk)).conditionExpression("attribute_exists(pk)"))
        .build();
  }

  private void transact(String token, TransactWriteItem... actions) {
    db.transactWriteItems(request -> request.transactItems(actions).clientRequestToken(token));
  }

  /** The accounts 1 to 5; null where there is none. */
  private List<Map<String, AttributeValue>> accounts() {
    List<TransactGetItem> gets =
        IntStream.rangeClosed(1, 5)
            .mapToObj(
                sk -> TransactGetItem.builder().get(get -> get.tableName(TABLE).key(key("accounts", sk))).build())
            .toList();
    return db.transactGetItems(request -> request.transactItems(gets)).responses().stream()
        .map(response -> response.hasItem() ? response.item() : null)
        .toList();
  }

  void write() {
    for (int sk = 1; sk <= 3; ++sk) {
      Map<String, AttributeValue> account = account(sk, 100);
      db.putItem(request -> request.tableName(TABLE).item(account));
    }
    transact(null, open(4, 40), deposit(1, 11, 100), close(2), check(3));
    Expect.equal(
        "all of it is done",
        accounts(),
        Arrays.asList(account(1, 111), null, account(3, 100), account(4, 40), null));
  }

  void cancel() {
    List<Map<String, AttributeValue>> before = accounts();
    TransactionCanceledException failed =
        Expect.thrown(
            "two conditions fail",
            TransactionCanceledException.class,
            () -> transact(null, open(5, 50), deposit(1, 1, 1000), check(2), close(3)));
    Expect.equal(
        "its message",
        failed.awsErrorDetails().errorMessage(),
        "Transaction cancelled, please refer cancellation reasons for specific reasons"
            + " [None, ConditionalCheckFailed, ConditionalCheckFailed, None]");
    CancellationReason none = CancellationReason.builder().code("None").build();
    CancellationReason condition =
        CancellationReason.builder().code("ConditionalCheckFailed").message(CONDITION_FAILED).build();
    CancellationReason withItem = condition.toBuilder().item(account(1, 111)).build();
    Expect.equal("its reasons", failed.cancellationReasons(), List.of(none, withItem, condition, none));
    Expect.equal("nothing is done", accounts(), before);
  }

  void replay() {
    // A token outlives the table; another run needs another one.
    String token = UUID.randomUUID().toString();
    transact(token, deposit(3, 10, 0));
    transact(token, deposit(3, 10, 0));
    Expect.equal("it is done once", ScenarioItems.get(db, key("accounts", 3)), account(3, 110));
    Expect.thrown(
        "another with this token",
        IdempotentParameterMismatchException.class,
        () -> transact(token, deposit(3, 20, 0)));
    Expect.equal("nothing is done", ScenarioItems.get(db, key("accounts", 3)), account(3, 110));
  }
}
