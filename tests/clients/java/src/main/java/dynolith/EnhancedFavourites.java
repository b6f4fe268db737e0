package dynolith;

import dynolith.EnhancedRecords.Favourite;
import dynolith.EnhancedRecords.Tag;
import dynolith.EnhancedRecords.User;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverterProvider;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.Document;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableMetadata;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.model.BatchWriteResult;
import software.amazon.awssdk.enhanced.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.enhanced.dynamodb.model.EnhancedGlobalSecondaryIndex;
import software.amazon.awssdk.enhanced.dynamodb.model.EnhancedLocalSecondaryIndex;
import software.amazon.awssdk.enhanced.dynamodb.model.IgnoreNullsMode;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.Projection;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Users, tags and favourites: three mapped kinds of record on one table, with the enhanced client of version 2. */
final class EnhancedFavourites {
  private static final String NAME = "favourites_enhanced";
  private static final List<Favourite> FAVOURITES =
      List.of(
          Favourite.of("ann", "f1", "place", List.of("travel"), "2024-01-06", "Lisbon by the river"),
          Favourite.of("ann", "f2", "recipe", List.of("food"), "2024-02-02", "Bread with olives"),
          Favourite.of("ann", "f3", "place", List.of("travel", "food"), "2024-02-20", "Bakery in Porto"),
          Favourite.of("ann", "f4", "song", List.of("music"), "2024-03-05", "River song"),
          Favourite.of("ann", "f5", "place", List.of("travel", "music"), "2024-03-01", "Opera in Vienna"));

  private final DynamoDbClient low;
  private final DynamoDbEnhancedClient db;
  private final DynamoDbTable<User> users;
  private final DynamoDbTable<Tag> tags;
  private final DynamoDbTable<Favourite> favourites;

  private EnhancedFavourites(DynamoDbClient low) {
    this.low = low;
    db = DynamoDbEnhancedClient.builder().dynamoDbClient(low).build();
    users = db.table(NAME, TableSchema.fromBean(User.class));
    tags = db.table(NAME, TableSchema.fromBean(Tag.class));
    favourites = db.table(NAME, TableSchema.fromBean(Favourite.class));
  }

  private static Key key(String sk) {
    return Key.builder().partitionValue("USER#ann").sortValue(sk).build();
  }

  private void create() {
    Projection all = Projection.builder().projectionType(ProjectionType.ALL).build();
    users.createTable(
        request ->
            request
                .globalSecondaryIndices(
                    Stream.of("GSI1", "GSI2")
                        .map(name -> EnhancedGlobalSecondaryIndex.builder().indexName(name).projection(all).build())
                        .toList())
                .localSecondaryIndices(
                    Stream.of("ByName", "ByCreation", "ByUse")
                        .map(name -> EnhancedLocalSecondaryIndex.create(name, all))
                        .toList()));
    low.waiter().waitUntilTableExists(request -> request.tableName(NAME));
    Expect.equal("global indexes", users.describeTable().table().globalSecondaryIndexes().size(), 2);
    Expect.equal("local indexes", users.describeTable().table().localSecondaryIndexes().size(), 3);
  }

  /** A condition, the item of its failure, and a counter that no caller sets. */
  private void putUser() {
    Expression absent = Expression.builder().expression("attribute_not_exists(PK)").build();
    users.putItem(request -> request.item(User.of("ann")).conditionExpression(absent));
    ConditionalCheckFailedException failed =
        Expect.thrown(
            "the user is there",
            ConditionalCheckFailedException.class,
            () ->
                users.putItem(
                    request ->
                        request
                            .item(User.of("ann"))
                            .conditionExpression(absent)
                            .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
    Expect.equal("the item of the error", users.tableSchema().mapToItem(failed.item()).getName(), "ann");
    Expect.equal("a new counter", users.getItem(key("#PROFILE")).getVisits(), 0L);
    User named = new User();
    named.setPk("USER#ann");
    named.setSk("#PROFILE");
    Supplier<User> visit =
        () -> users.updateItem(request -> request.item(named).ignoreNullsMode(IgnoreNullsMode.SCALAR_ONLY));
    Expect.equal("one visit", visit.get().getVisits(), 1L);
    User updated = visit.get();
    Expect.equal("two visits", updated.getVisits(), 2L);
    Expect.equal("what is null stays", updated.getName(), "ann");
  }

  private void fill() {
    tags.putItem(Tag.of("ann", "travel", "2024-01-05", "2024-03-01"));
    tags.putItem(Tag.of("ann", "food", "2024-02-01", "2024-02-20"));
    tags.putItem(Tag.of("ann", "music", "2024-01-20", "2024-03-05"));
    WriteBatch.Builder<Favourite> batch = WriteBatch.builder(Favourite.class).mappedTableResource(favourites);
    FAVOURITES.forEach(batch::addPutItem);
    WriteBatch other = WriteBatch.builder(User.class).mappedTableResource(users).addPutItem(User.of("bob")).build();
    BatchWriteResult written = db.batchWriteItem(request -> request.writeBatches(batch.build(), other));
    Expect.equal("all are written", written.unprocessedPutItemsForTable(favourites), List.of());
    Favourite third = favourites.getItem(request -> request.key(key("FAV#f3")).consistentRead(true));
    Expect.equal("consistently read", third, FAVOURITES.get(2));
    Expect.equal("what is not there", favourites.getItem(key("FAV#f6")), null);

    ReadBatch.Builder<Favourite> keys = ReadBatch.builder(Favourite.class).mappedTableResource(favourites);
    FAVOURITES.forEach(favourite -> keys.addGetItem(key(favourite.getSk())));
    List<Favourite> found = new ArrayList<>();
    db.batchGetItem(request -> request.addReadBatch(keys.build())).resultsForTable(favourites).forEach(found::add);
    found.sort(Comparator.comparing(Favourite::getSk));
    Expect.equal("the batch", found, FAVOURITES);
  }

  /** Of two that read the same version, the second to write is told. */
  private void lock() {
    Tag first = tags.getItem(key("TAG#food"));
    Tag second = tags.getItem(key("TAG#food"));
    long version = first.getVersion();
    first.setByUse("TAG#2024-04-01");
    Expect.equal("the next version", tags.updateItem(first).getVersion(), version + 1);
    second.setByUse("TAG#2024-05-01");
    Expect.thrown("an old version", ConditionalCheckFailedException.class, () -> tags.updateItem(second));
    Expect.thrown("an old version", ConditionalCheckFailedException.class, () -> tags.putItem(second));
    Tag unread = Tag.of("ann", "food", "2024-02-01", "2024-02-20");
    Expect.thrown("no version", ConditionalCheckFailedException.class, () -> tags.putItem(unread));
    Expect.equal("the first has written", tags.getItem(key("TAG#food")).getByUse(), "TAG#2024-04-01");
  }

  private List<String> tagsBy(String index, boolean forward) {
    QueryConditional isTag =
        QueryConditional.sortBeginsWith(start -> start.partitionValue("USER#ann").sortValue("TAG#"));
    return tags.index(index).query(request -> request.queryConditional(isTag).scanIndexForward(forward)).stream()
        .flatMap(page -> page.items().stream())
        .map(Tag::getName)
        .toList();
  }

  private List<String> newestFirst(String index, String partition) {
    QueryConditional equal = QueryConditional.keyEqualTo(start -> start.partitionValue(partition));
    return favourites.index(index).query(request -> request.queryConditional(equal).scanIndexForward(false)).stream()
        .flatMap(page -> page.items().stream())
        .map(Favourite::getSk)
        .toList();
  }

  private void query() {
    Expect.equal("tags by name", tagsBy("ByName", true), List.of("food", "music", "travel"));
    Expect.equal("tags by creation", tagsBy("ByCreation", true), List.of("travel", "music", "food"));
    Expect.equal("by last use, newest first", tagsBy("ByUse", false), List.of("food", "music", "travel"));
    Expect.equal("places", newestFirst("GSI1", "USER#ann#TYPE#place"), List.of("FAV#f5", "FAV#f3", "FAV#f1"));
    Expect.equal("by tag", newestFirst("GSI2", "USER#ann#TAG#music"), List.of("FAV#f4"));

    QueryConditional all = QueryConditional.sortBeginsWith(start -> start.partitionValue("USER#ann").sortValue("FAV#"));
    List<Integer> sizes = new ArrayList<>();
    for (Page<Favourite> page : favourites.query(request -> request.queryConditional(all).limit(2))) {
      sizes.add(page.items().size());
    }
    Expect.equal("pages", sizes, List.of(2, 2, 1));
    Expression river =
        Expression.builder()
            .expression("contains(#text, :small) OR contains(#text, :large)")
            .putExpressionName("#text", "text")
            .putExpressionValue(":small", Items.s("river"))
            .putExpressionValue(":large", Items.s("River"))
            .build();
    List<Favourite> found =
        favourites
            .query(request -> request.queryConditional(all).filterExpression(river).attributesToProject("PK", "SK", "text"))
            .items()
            .stream()
            .toList();
    Expect.equal("word search", found.stream().map(Favourite::getSk).toList(), List.of("FAV#f1", "FAV#f4"));
    Expect.equal("only what is asked for", found.get(0).getKind(), null);
  }

  /** A tag's name is in its key, so renaming is a delete and a put, in one transaction with what refers to it. */
  private void rename() {
    Tag renamed = Tag.of("ann", "melody", "2024-01-20", "2024-03-05");
    Favourite song = favourites.getItem(key("FAV#f4"));
    song.setTags(List.of("melody"));
    song.setGsi2Pk("USER#ann#TAG#melody");
    ConditionCheck<User> userExists =
        ConditionCheck.builder()
            .key(key("#PROFILE"))
            .conditionExpression(Expression.builder().expression("attribute_exists(PK)").build())
            .build();
    Runnable transaction =
        () ->
            db.transactWriteItems(
                request ->
                    request
                        .addDeleteItem(tags, key("TAG#music"))
                        .addPutItem(tags, renamed)
                        .addUpdateItem(favourites, song)
                        .addConditionCheck(users, userExists));
    transaction.run();
    Expect.equal("tags by name", tagsBy("ByName", true), List.of("food", "melody", "travel"));
    Expect.equal("its favourites follow", newestFirst("GSI2", "USER#ann#TAG#melody"), List.of("FAV#f4"));
    Expect.equal("nothing is left", newestFirst("GSI2", "USER#ann#TAG#music"), List.of());
    TransactionCanceledException failed =
        Expect.thrown("the new tag is there", TransactionCanceledException.class, transaction::run);
    Expect.equal(
        "its reasons",
        failed.cancellationReasons().stream().map(CancellationReason::code).toList(),
        List.of("None", "ConditionalCheckFailed", "None", "None"));

    List<Document> read =
        db.transactGetItems(
            request ->
                request
                    .addGetItem(users, key("#PROFILE"))
                    .addGetItem(tags, key("TAG#melody"))
                    .addGetItem(favourites, key("FAV#f4"))
                    .addGetItem(tags, key("TAG#music")));
    Expect.equal("a user", read.get(0).getItem(users).getVisits(), 2L);
    Expect.equal("a tag", read.get(1).getItem(tags).getVersion(), 1L);
    Expect.equal("a favourite", read.get(2).getItem(favourites).getTags(), List.of("melody"));
    Expect.equal("no old tag", read.get(3).getItem(tags), null);
  }

  /** All records whatever their kind, in parallel segments, as documents. */
  private void scan() {
    DynamoDbTable<EnhancedDocument> documents =
        db.table(
            NAME,
            TableSchema.documentSchemaBuilder()
                .addIndexPartitionKey(TableMetadata.primaryIndexName(), "PK", AttributeValueType.S)
                .addIndexSortKey(TableMetadata.primaryIndexName(), "SK", AttributeValueType.S)
                .attributeConverterProviders(AttributeConverterProvider.defaultProvider())
                .build());
    Map<String, Integer> kinds = new TreeMap<>();
    for (int segment = 0; segment < 3; ++segment) {
      int number = segment;
      documents
          .scan(request -> request.segment(number).totalSegments(3).limit(4))
          .items()
          .forEach(document -> kinds.merge(document.getString("SK").split("#")[0], 1, Integer::sum));
    }
    Expect.equal("the records", kinds, Map.of("", 2, "TAG", 3, "FAV", 5));
  }

  private void delete() {
    Expect.equal("what was deleted", favourites.deleteItem(key("FAV#f1")), FAVOURITES.get(0));
    Expect.equal("nothing to delete", favourites.deleteItem(key("FAV#f1")), null);
    users.deleteTable();
    low.waiter().waitUntilTableNotExists(request -> request.tableName(NAME));
  }

  public static void main(String[] arguments) {
    try (DynamoDbClient low = Scenario.connect()) {
      EnhancedFavourites program = new EnhancedFavourites(low);
      program.create();
      program.putUser();
      program.fill();
      program.lock();
      program.query();
      program.rename();
      program.scan();
      program.delete();
    }
  }
}
