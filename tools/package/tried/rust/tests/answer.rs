//! As a stranger would begin: the crates and the SDK, nothing else of Dynolith.
use aws_sdk_dynamodb::types::{AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType};

#[tokio::test]
async fn answers() {
    let database = dynolith::testing::fresh();
    let client = aws_sdk_dynamodb::Client::new(&database.config());
    let key = KeySchemaElement::builder().attribute_name("artist").key_type(KeyType::Hash).build().unwrap();
    let attribute = AttributeDefinition::builder().attribute_name("artist").attribute_type(ScalarAttributeType::S).build().unwrap();
    let create = client.create_table().table_name("music").billing_mode(BillingMode::PayPerRequest);
    create.key_schema(key).attribute_definitions(attribute).send().await.unwrap();
    let artist = AttributeValue::S("Ray".into());
    client.put_item().table_name("music").item("artist", artist.clone()).send().await.unwrap();
    let got = client.get_item().table_name("music").key("artist", artist.clone()).send().await.unwrap();
    assert_eq!(got.item.unwrap()["artist"], artist);
}
