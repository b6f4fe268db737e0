package dynolith;

import static dynolith.Items.key;
import static dynolith.Items.n;
import static dynolith.Items.s;
import static dynolith.Items.with;
import static dynolith.Scenario.TABLE;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementErrorCodeEnum;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DuplicateItemException;
import software.amazon.awssdk.services.dynamodb.model.ParameterizedStatement;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Step 8: the same table in PartiQL. */
final class ScenarioPartiQl {
  private final DynamoDbClient db;

  ScenarioPartiQl(DynamoDbClient db) {
    this.db = db;
  }

  private record Statement(String text, AttributeValue... parameters) {}

  private static Statement insert(int sk, String title) {
    return new Statement(
        "INSERT INTO \"" + TABLE + "\" VALUE {'pk': ?, 'sk': ?, 'title': ?}", s("books"), n(sk), s(title));
  }

  private static Statement select(int sk) {
    return new Statement("SELECT * FROM \"" + TABLE + "\" WHERE pk = ? AND sk = ?", s("books"), n(sk));
  }

  private static Statement rename(int sk, String title, String returning) {
    String text = "UPDATE \"" + TABLE + "\" SET title = ? WHERE pk = ? AND sk = ?" + returning;
    return new Statement(text, s(title), s("books"), n(sk));
  }

  private static Statement delete(int sk) {
    String text = "DELETE FROM \"" + TABLE + "\" WHERE pk = ? AND sk = ? RETURNING ALL OLD *";
    return new Statement(text, s("books"), n(sk));
  }

  private static Map<String, AttributeValue> book(int sk, String title) {
    return with(key("books", sk), Map.of("title", s(title)));
  }

  private List<Map<String, AttributeValue>> execute(Statement statement) {
    return db.executeStatement(request -> request.statement(statement.text()).parameters(statement.parameters())).items();
  }

  void statements() {
    Expect.equal("INSERT", execute(insert(1, "Sea")), List.of());
    Expect.equal("INSERT", execute(insert(2, "Hills")), List.of());
    Expect.equal("INSERT", execute(insert(3, "Bread")), List.of());
    DuplicateItemException failed =
        Expect.thrown("INSERT again", DuplicateItemException.class, () -> execute(insert(1, "Sea")));
    Expect.equal("its message", failed.awsErrorDetails().errorMessage(), "Duplicate primary key exists in table");

    Expect.equal("SELECT", execute(select(2)), List.of(book(2, "Hills")));
    String range = "SELECT sk, title FROM \"" + TABLE + "\" WHERE pk = ? AND sk >= ? ORDER BY sk DESC";
    Expect.equal(
        "SELECT a range",
        execute(new Statement(range, s("books"), n(2))),
        List.of(Map.of("sk", n(3), "title", s("Bread")), Map.of("sk", n(2), "title", s("Hills"))));
    Expect.equal("UPDATE", execute(rename(2, "Mountains", " RETURNING ALL NEW *")), List.of(book(2, "Mountains")));
    Expect.equal("DELETE", execute(delete(3)), List.of(book(3, "Bread")));
    Expect.equal("it is gone", ScenarioItems.get(db, key("books", 3)), null);
    Expect.equal("SELECT what is gone", execute(select(3)), List.of());
  }

  private List<Map<String, AttributeValue>> transact(Statement... statements) {
    List<ParameterizedStatement> list =
        Stream.of(statements)
            .map(one -> ParameterizedStatement.builder().statement(one.text()).parameters(one.parameters()).build())
            .toList();
    return db.executeTransaction(request -> request.transactStatements(list)).responses().stream()
        .map(response -> response.hasItem() ? response.item() : null)
        .toList();
  }

  void batchAndTransaction() {
    List<BatchStatementRequest> batch =
        Stream.of(insert(4, "Wind"), insert(1, "Sea"), insert(5, "Rain"))
            .map(one -> BatchStatementRequest.builder().statement(one.text()).parameters(one.parameters()).build())
            .toList();
    List<BatchStatementErrorCodeEnum> codes =
        db.batchExecuteStatement(request -> request.statements(batch)).responses().stream()
            .map(response -> response.error() == null ? null : response.error().code())
            .toList();
    Expect.equal(
        "only the second fails", codes, Arrays.asList(null, BatchStatementErrorCodeEnum.DUPLICATE_ITEM, null));

    Expect.equal("nothing to read", transact(insert(6, "Snow"), rename(4, "Storm", "")), List.of());
    Expect.equal(
        "read in a transaction",
        transact(select(6), select(7), select(4)),
        Arrays.asList(book(6, "Snow"), null, book(4, "Storm")));
    TransactionCanceledException failed =
        Expect.thrown(
            "insert again in a transaction",
            TransactionCanceledException.class,
            () -> transact(insert(7, "Fog"), insert(6, "Snow")));
    List<String> reasons = failed.cancellationReasons().stream().map(CancellationReason::code).toList();
    Expect.equal("its reasons", reasons, List.of("None", "DuplicateItem"));
    Expect.equal("nothing is done", ScenarioItems.get(db, key("books", 7)), null);
  }
}
