package dynolith;

import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBMapper;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBMapperConfig;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBMapperConfig.SaveBehavior;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBQueryExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBSaveExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBScanExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBTransactionWriteExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.QueryResultPage;
import com.amazonaws.services.dynamodbv2.datamodeling.TransactionLoadRequest;
import com.amazonaws.services.dynamodbv2.datamodeling.TransactionWriteRequest;
import com.amazonaws.services.dynamodbv2.model.AttributeValue;
import com.amazonaws.services.dynamodbv2.model.BillingMode;
import com.amazonaws.services.dynamodbv2.model.CancellationReason;
import com.amazonaws.services.dynamodbv2.model.ComparisonOperator;
import com.amazonaws.services.dynamodbv2.model.Condition;
import com.amazonaws.services.dynamodbv2.model.ConditionalCheckFailedException;
import com.amazonaws.services.dynamodbv2.model.CreateTableRequest;
import com.amazonaws.services.dynamodbv2.model.DescribeTableRequest;
import com.amazonaws.services.dynamodbv2.model.ExpectedAttributeValue;
import com.amazonaws.services.dynamodbv2.model.Projection;
import com.amazonaws.services.dynamodbv2.model.ProjectionType;
import com.amazonaws.services.dynamodbv2.model.StreamSpecification;
import com.amazonaws.services.dynamodbv2.model.StreamViewType;
import com.amazonaws.services.dynamodbv2.model.TransactionCanceledException;
import com.amazonaws.waiters.WaiterParameters;
import dynolith.MapperRecords.Entry;
import dynolith.MapperRecords.Favourite;
import dynolith.MapperRecords.Tag;
import dynolith.MapperRecords.User;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Users, tags and favourites: three mapped kinds of record on one table, with version 1's DynamoDBMapper. */
final class MapperFavourites {
  private static final Date JOINED = new Date(1_700_000_000_123L);

  private final AmazonDynamoDB low;
  private final DynamoDBMapper mapper;
  private final List<Favourite> favourites =
      List.of(
          Favourite.of("place", "travel", "2024-01-06", "Lisbon by the river"),
          Favourite.of("recipe", "food", "2024-02-02", "Bread with olives"),
          Favourite.of("place", "travel", "2024-02-20", "Bakery in Porto"),
          Favourite.of("song", "music", "2024-03-05", "River song"),
          Favourite.of("place", "travel", "2024-03-01", "Opera in Vienna"));

  private MapperFavourites(AmazonDynamoDB low) {
    this.low = low;
    mapper = new DynamoDBMapper(low);
  }

  private void create() {
    CreateTableRequest request = mapper.generateCreateTableRequest(Favourite.class).withBillingMode(BillingMode.PAY_PER_REQUEST);
    Projection all = new Projection().withProjectionType(ProjectionType.ALL);
    request.getGlobalSecondaryIndexes().forEach(index -> index.setProjection(all));
    request.getLocalSecondaryIndexes().forEach(index -> index.setProjection(all));
    request.setStreamSpecification(
        new StreamSpecification().withStreamEnabled(true).withStreamViewType(StreamViewType.NEW_AND_OLD_IMAGES));
    low.createTable(request);
    low.waiters().tableExists().run(new WaiterParameters<>(new DescribeTableRequest(MapperRecords.TABLE)));
    Expect.equal("global indexes", request.getGlobalSecondaryIndexes().size(), 2);
    Expect.equal("local indexes", request.getLocalSecondaryIndexes().size(), 3);
  }

  /** The mapper writes with the older parameters: AttributeUpdates and Expected. */
  private void save() {
    DynamoDBSaveExpression absent =
        new DynamoDBSaveExpression().withExpectedEntry("PK", new ExpectedAttributeValue(false));
    mapper.save(User.of("ann", JOINED), absent);
    Expect.thrown(
        "the user is there",
        ConditionalCheckFailedException.class,
        () -> mapper.save(User.of("ann", JOINED), absent));
    User ann = mapper.load(User.class, "USER#ann", "#PROFILE");
    Expect.equal("a moment", ann.getJoined(), JOINED);
    Expect.equal("flags", List.of(ann.getActive(), ann.getAdmin()), List.of(true, false));
    Map<String, AttributeValue> stored =
        low.getItem(MapperRecords.TABLE, Map.of("PK", new AttributeValue("USER#ann"), "SK", new AttributeValue("#PROFILE")))
            .getItem();
    Expect.equal("a BOOL", stored.get("active"), new AttributeValue().withBOOL(true));
    Expect.equal("a flag as a number", stored.get("admin"), new AttributeValue().withN("0"));

    User partly = new User();
    partly.setPk("USER#ann");
    partly.setSk("#PROFILE");
    partly.setAdmin(true);
    mapper.save(partly, SaveBehavior.UPDATE_SKIP_NULL_ATTRIBUTES.config());
    ann = mapper.load(partly);
    Expect.equal("what is null stays", List.of(ann.getName(), ann.getAdmin()), List.of("ann", true));
    mapper.save(partly);
    Expect.equal("what is null goes", mapper.load(partly).getName(), null);
    mapper.save(User.of("ann", JOINED), SaveBehavior.CLOBBER.config());

    for (String[] tag : new String[][] {{"travel", "01-05", "03-01"}, {"food", "02-01", "02-20"}, {"music", "01-20", "03-05"}}) {
      mapper.save(Tag.of(tag[0], "2024-" + tag[1], "2024-" + tag[2]));
    }
  }

  private void batch() {
    List<Object> records = new ArrayList<>(favourites);
    records.add(User.of("bob", JOINED));
    Expect.equal("all are written", mapper.batchSave(records), List.of());
    for (Favourite favourite : favourites) {
      Expect.equal("a key was made", favourite.getSk().length(), 36);
    }
    List<Object> wanted = new ArrayList<>(favourites);
    wanted.add(Tag.key("food"));
    wanted.add(Tag.key("absent"));
    // What the mapper loads from one table it maps to one class; their keys tell the records apart.
    List<String> found =
        mapper.batchLoad(wanted).get(MapperRecords.TABLE).stream().map(record -> ((Entry) record).getSk()).sorted().toList();
    Stream<String> keys = Stream.concat(favourites.stream().map(Favourite::getSk), Stream.of("TAG#food"));
    Expect.equal("the batch", found, keys.sorted().toList());
  }

  /** Of two that read the same version, the second to write is told. */
  private void lock() {
    Tag first = mapper.load(Tag.key("food"));
    Tag second = mapper.load(Tag.key("food"));
    Expect.equal("the first version", first.getVersion(), 1L);
    first.setByUse("TAG#2024-04-01");
    mapper.save(first);
    Expect.equal("the next version", first.getVersion(), 2L);
    second.setByUse("TAG#2024-05-01");
    Expect.thrown("an old version", ConditionalCheckFailedException.class, () -> mapper.save(second));
    Expect.thrown("an old version", ConditionalCheckFailedException.class, () -> mapper.delete(second));
    Expect.thrown(
        "no version",
        ConditionalCheckFailedException.class,
        () -> mapper.save(Tag.of("food", "2024-02-01", "2024-02-20")));
    DynamoDBMapperConfig strong = DynamoDBMapperConfig.ConsistentReads.CONSISTENT.config();
    Expect.equal("the first has written", mapper.load(Tag.key("food"), strong).getByUse(), "TAG#2024-04-01");
  }

  private List<String> tagsBy(String index, String attribute, boolean forward) {
    Condition isTag =
        new Condition()
            .withComparisonOperator(ComparisonOperator.BEGINS_WITH)
            .withAttributeValueList(new AttributeValue("TAG#"));
    DynamoDBQueryExpression<Tag> query =
        new DynamoDBQueryExpression<Tag>()
            .withHashKeyValues(Tag.key("any"))
            .withRangeKeyCondition(attribute, isTag)
            .withIndexName(index)
            .withScanIndexForward(forward);
    return mapper.query(Tag.class, query).stream().map(Tag::getName).toList();
  }

  private static DynamoDBQueryExpression<Favourite> newestFirst(String attribute, String partition) {
    return new DynamoDBQueryExpression<Favourite>()
        .withIndexName(attribute.substring(0, 4))
        .withConsistentRead(false)
        .withScanIndexForward(false)
        .withKeyConditionExpression(attribute + " = :partition")
        .withExpressionAttributeValues(Map.of(":partition", new AttributeValue(partition)));
  }

  private List<String> texts(String attribute, String partition) {
    return mapper.query(Favourite.class, newestFirst(attribute, partition)).stream().map(Favourite::getText).toList();
  }

  private void query() {
    Expect.equal("tags by name", tagsBy("ByName", "byName", true), List.of("food", "music", "travel"));
    Expect.equal("tags by creation", tagsBy("ByCreation", "byCreation", true), List.of("travel", "music", "food"));
    Expect.equal("by last use", tagsBy("ByUse", "byUse", false), List.of("food", "music", "travel"));
    List<String> places = List.of("Opera in Vienna", "Bakery in Porto", "Lisbon by the river");
    Expect.equal("places", texts("GSI1PK", "USER#ann#TYPE#place"), places);
    Expect.equal("by tag", texts("GSI2PK", "USER#ann#TAG#music"), List.of("River song"));
    Expect.equal("counted", mapper.count(Favourite.class, newestFirst("GSI1PK", "USER#ann#TYPE#place")), 3);

    Favourite partition = new Favourite();
    partition.setPk("FAVOURITES#ann");
    DynamoDBQueryExpression<Favourite> all =
        new DynamoDBQueryExpression<Favourite>().withHashKeyValues(partition).withLimit(2);
    List<Integer> sizes = new ArrayList<>();
    TreeSet<String> words = new TreeSet<>();
    QueryResultPage<Favourite> page;
    do {
      page = mapper.queryPage(Favourite.class, all);
      sizes.add(page.getResults().size());
      page.getResults().forEach(favourite -> words.addAll(favourite.getWords()));
      all.setExclusiveStartKey(page.getLastEvaluatedKey());
    } while (page.getLastEvaluatedKey() != null);
    Expect.equal("pages", sizes, List.of(2, 2, 1));
    Expect.equal("words", words.size(), 14);
  }

  private void scan() {
    Condition isTag =
        new Condition()
            .withComparisonOperator(ComparisonOperator.BEGINS_WITH)
            .withAttributeValueList(new AttributeValue("TAG#"));
    DynamoDBScanExpression tags = new DynamoDBScanExpression().withFilterConditionEntry("SK", isTag);
    Expect.equal("tags", mapper.scan(Tag.class, tags).stream().map(Tag::getName).sorted().toList(), List.of("food", "music", "travel"));
    DynamoDBScanExpression texts = new DynamoDBScanExpression().withFilterExpression("attribute_exists(words)").withLimit(3);
    List<String> found = mapper.parallelScan(Favourite.class, texts, 4).stream().map(Favourite::getText).sorted().toList();
    Expect.equal("in segments", found, favourites.stream().map(Favourite::getText).sorted().toList());
    Expect.equal("all records", mapper.count(User.class, new DynamoDBScanExpression()), 10);
  }

  /** A tag's name is in its key, so renaming is a delete and a put, in one transaction with what refers to it. */
  private void rename() {
    Favourite song = favourites.get(3);
    song.setGsi2Pk("USER#ann#TAG#melody");
    DynamoDBTransactionWriteExpression exists =
        new DynamoDBTransactionWriteExpression().withConditionExpression("attribute_exists(PK)");
    mapper.transactionWrite(
        new TransactionWriteRequest()
            .addDelete(mapper.load(Tag.key("music")))
            .addPut(Tag.of("melody", "2024-01-20", "2024-03-05"))
            .addUpdate(song)
            .addConditionCheck(User.of("ann", null), exists));
    Expect.equal("tags by name", tagsBy("ByName", "byName", true), List.of("food", "melody", "travel"));
    Expect.equal("its favourites follow", texts("GSI2PK", "USER#ann#TAG#melody"), List.of("River song"));
    Expect.equal("nothing is left", texts("GSI2PK", "USER#ann#TAG#music"), List.of());

    TransactionCanceledException failed =
        Expect.thrown(
            "two conditions fail",
            TransactionCanceledException.class,
            () ->
                mapper.transactionWrite(
                    new TransactionWriteRequest()
                        .addPut(Tag.of("melody", "2024-01-20", "2024-03-05"))
                        .addDelete(song)
                        .addConditionCheck(User.of("eve", null), exists)));
    Expect.equal(
        "its reasons",
        failed.getCancellationReasons().stream().map(CancellationReason::getCode).toList(),
        List.of("ConditionalCheckFailed", "None", "ConditionalCheckFailed"));
    List<Object> read =
        mapper.transactionLoad(
            new TransactionLoadRequest().addLoad(User.of("ann", null)).addLoad(Tag.key("melody")).addLoad(song).addLoad(Tag.key("music")));
    Expect.equal("a user", ((User) read.get(0)).getJoined(), JOINED);
    Expect.equal("a tag", ((Tag) read.get(1)).getVersion(), 1L);
    Expect.equal("a favourite", ((Favourite) read.get(2)).getText(), "River song");
    Expect.equal("no old tag", read.get(3), null);
  }

  private void delete() {
    Expect.equal("all are deleted", mapper.batchDelete(favourites), List.of());
    mapper.delete(mapper.load(Tag.key("travel")));
    Map<String, Integer> left = new HashMap<>();
    mapper.scan(User.class, new DynamoDBScanExpression()).forEach(record -> left.merge(record.getSk(), 1, Integer::sum));
    Expect.equal("what is left", left, Map.of("#PROFILE", 2, "TAG#food", 1, "TAG#melody", 1));
  }

  public static void main(String[] arguments) {
    VersionOne clients = new VersionOne();
    MapperFavourites program = new MapperFavourites(clients.tables());
    program.create();
    program.save();
    program.batch();
    program.lock();
    program.query();
    program.scan();
    program.rename();
    program.delete();
    // Everything above, write by write: two users, four tags and five favourites came; some changed; seven went.
    Expect.equal("the stream", clients.countRecords(MapperRecords.TABLE), Map.of("INSERT", 11, "MODIFY", 5, "REMOVE", 7));
    clients.checkBodies(MapperRecords.TABLE);
    clients.deleteTable(MapperRecords.TABLE);
  }
}
