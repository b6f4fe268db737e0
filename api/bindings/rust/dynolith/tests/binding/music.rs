//! What all tests here work on: a table "music" with the key "artist".

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use aws_sdk_dynamodb::Client;
use dynolith::testing::{fresh_with, TestDatabase};
use dynolith::Value;
use std::future::Future;
use std::time::Duration;

/// Runs a test's calls.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_string())
}

pub async fn create(client: &Client) {
    let artist = AttributeDefinition::builder().attribute_name("artist").attribute_type(ScalarAttributeType::S).build();
    let key = KeySchemaElement::builder().attribute_name("artist").key_type(KeyType::Hash).build();
    let created = client
        .create_table()
        .table_name("music")
        .attribute_definitions(artist.expect("complete"))
        .key_schema(key.expect("complete"))
        .billing_mode(BillingMode::PayPerRequest);
    created.send().await.expect("CreateTable");
    client
        .wait_until_table_exists()
        .table_name("music")
        .wait(Duration::from_secs(60))
        .await
        .expect("the table is there");
}

/// A fresh database with the table.
pub async fn music(options: Value) -> (TestDatabase, Client) {
    let database = fresh_with(options);
    let client = Client::new(&database.config());
    create(&client).await;
    (database, client)
}

pub async fn put(client: &Client, artist: &str, title: &str) {
    client
        .put_item()
        .table_name("music")
        .item("artist", s(artist))
        .item("title", s(title))
        .send()
        .await
        .expect("PutItem");
}

pub async fn title(client: &Client, artist: &str) -> Option<String> {
    let found = client.get_item().table_name("music").key("artist", s(artist)).send().await.expect("GetItem");
    found.item?.get("title")?.as_s().ok().cloned()
}
