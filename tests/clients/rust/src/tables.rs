//! Steps 1, 9 and 10: the table and its indexes come and go.

use crate::values::{expect, fail, numbers, s, succeed};
use crate::TABLE;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, IndexStatus, KeySchemaElement, KeyType, LocalSecondaryIndex,
    Projection, ProjectionType, ScalarAttributeType, StreamSpecification, StreamViewType, TableDescription, TableStatus,
};
use aws_sdk_dynamodb::Client;
use std::time::Duration;

pub const PATIENCE: Duration = Duration::from_secs(120);

fn attribute(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().expect("complete")
}

fn keys(hash: &str, range: &str) -> Vec<KeySchemaElement> {
    [(hash, KeyType::Hash), (range, KeyType::Range)]
        .into_iter()
        .map(|(name, kind)| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("complete"))
        .collect()
}

fn projection(kind: ProjectionType) -> Projection {
    Projection::builder().projection_type(kind).build()
}

fn definitions() -> Vec<AttributeDefinition> {
    vec![
        attribute("pk", ScalarAttributeType::S),
        attribute("sk", ScalarAttributeType::N),
        attribute("owner", ScalarAttributeType::S),
        attribute("score", ScalarAttributeType::N),
    ]
}

fn by_name(mut attributes: Vec<AttributeDefinition>) -> Vec<AttributeDefinition> {
    attributes.sort_by(|a, b| a.attribute_name.cmp(&b.attribute_name));
    attributes
}

async fn describe(db: &Client) -> TableDescription {
    let described = succeed("DescribeTable", db.describe_table().table_name(TABLE).send().await);
    described.table.expect("a table")
}

pub async fn create(db: &Client) {
    let owner = GlobalSecondaryIndex::builder()
        .index_name("ByOwner")
        .set_key_schema(Some(keys("owner", "sk")))
        .projection(projection(ProjectionType::All));
    let score = LocalSecondaryIndex::builder()
        .index_name("ByScore")
        .set_key_schema(Some(keys("pk", "score")))
        .projection(projection(ProjectionType::KeysOnly));
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let created = db
        .create_table()
        .table_name(TABLE)
        .set_attribute_definitions(Some(definitions()))
        .set_key_schema(Some(keys("pk", "sk")))
        .global_secondary_indexes(owner.build().expect("complete"))
        .local_secondary_indexes(score.build().expect("complete"))
        .stream_specification(stream.build().expect("complete"))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await;
    succeed("CreateTable", created);
    succeed("the table is there", db.wait_until_table_exists().table_name(TABLE).wait(PATIENCE).await);
    compare(&describe(db).await);
}

fn compare(table: &TableDescription) {
    expect("its name", table.table_name(), Some(TABLE));
    expect("its state", table.table_status(), Some(&TableStatus::Active));
    expect("its keys", table.key_schema(), &keys("pk", "sk")[..]);
    let attributes = by_name(table.attribute_definitions().to_vec());
    expect("its attributes", attributes, by_name(definitions()));
    let billing = table.billing_mode_summary().and_then(|summary| summary.billing_mode());
    expect("on demand", billing, Some(&BillingMode::PayPerRequest));
    let stream = table.stream_specification().map(|stream| (stream.stream_enabled(), stream.stream_view_type()));
    expect("its stream", stream, Some((true, Some(&StreamViewType::NewAndOldImages))));

    let [owner] = table.global_secondary_indexes() else { panic!("one global index: {table:?}") };
    expect("the global index", owner.index_name(), Some("ByOwner"));
    expect("its keys", owner.key_schema(), &keys("owner", "sk")[..]);
    expect("its projection", owner.projection(), Some(&projection(ProjectionType::All)));
    expect("its state", owner.index_status(), Some(&IndexStatus::Active));
    let [score] = table.local_secondary_indexes() else { panic!("one local index: {table:?}") };
    expect("the local index", score.index_name(), Some("ByScore"));
    expect("its keys", score.key_schema(), &keys("pk", "score")[..]);
    expect("its projection", score.projection(), Some(&projection(ProjectionType::KeysOnly)));
}

/// Waits until the table has these global indexes, all of them ready.
async fn wait_for_indexes(db: &Client, wanted: &[&str]) {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let table = describe(db).await;
        let indexes = table.global_secondary_indexes();
        let mut names: Vec<&str> = indexes.iter().filter_map(|index| index.index_name()).collect();
        names.sort();
        let ready = indexes.iter().all(|index| index.index_status() == Some(&IndexStatus::Active));
        if names == wanted && ready {
            return;
        }
        expect("the indexes are ready in time", std::time::Instant::now() < deadline, true);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn update_index(db: &Client, update: GlobalSecondaryIndexUpdate) {
    let updated = db
        .update_table()
        .table_name(TABLE)
        .attribute_definitions(attribute("pk", ScalarAttributeType::S))
        .attribute_definitions(attribute("sk", ScalarAttributeType::N))
        .attribute_definitions(attribute("team", ScalarAttributeType::S))
        .global_secondary_index_updates(update)
        .send()
        .await;
    succeed("UpdateTable", updated);
}

pub async fn add_and_delete_index(db: &Client) {
    let create = CreateGlobalSecondaryIndexAction::builder()
        .index_name("ByTeam")
        .set_key_schema(Some(keys("team", "sk")))
        .projection(projection(ProjectionType::KeysOnly));
    let create = create.build().expect("complete");
    update_index(db, GlobalSecondaryIndexUpdate::builder().create(create).build()).await;
    wait_for_indexes(db, &["ByOwner", "ByTeam"]).await;
    let found = db
        .query()
        .table_name(TABLE)
        .index_name("ByTeam")
        .key_condition_expression("team = :team")
        .expression_attribute_values(":team", s("team2"))
        .send()
        .await;
    let found = succeed("the new index", found);
    expect("what was there before is in the new index", numbers(found.items(), "sk"), vec![2, 7, 12, 17, 22, 27]);
    let mut names: Vec<&str> = found.items()[0].keys().map(String::as_str).collect();
    names.sort();
    expect("the keys only", names, vec!["pk", "sk", "team"]);

    let delete = DeleteGlobalSecondaryIndexAction::builder().index_name("ByTeam").build().expect("complete");
    update_index(db, GlobalSecondaryIndexUpdate::builder().delete(delete).build()).await;
    wait_for_indexes(db, &["ByOwner"]).await;
}

pub async fn delete(db: &Client) {
    succeed("DeleteTable", db.delete_table().table_name(TABLE).send().await);
    succeed("the table is gone", db.wait_until_table_not_exists().table_name(TABLE).wait(PATIENCE).await);
    let missing = fail("describe what is gone", db.describe_table().table_name(TABLE).send().await).into_service_error();
    expect("the error", missing.is_resource_not_found_exception(), true);
    let message = format!("Requested resource not found: Table: {TABLE} not found");
    expect("its message", missing.meta().message(), Some(message.as_str()));
    let missing = fail("read from it", db.scan().table_name(TABLE).send().await).into_service_error();
    expect("the error", missing.is_resource_not_found_exception(), true);
    expect("its message", missing.meta().message(), Some("Requested resource not found"));
}
