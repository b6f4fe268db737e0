//! The changes of a table as a stream.

use crate::music::{block_on, music, put};
use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use aws_sdk_dynamodb::Client;
use dynolith::changes::{Change, ChangesFrom};
use dynolith::{Error, Value};

async fn switch_stream(client: &Client, on: bool) {
    let stream = StreamSpecification::builder()
        .stream_enabled(on)
        .set_stream_view_type(on.then_some(StreamViewType::NewImage))
        .build()
        .expect("complete");
    client.update_table().table_name("music").stream_specification(stream).send().await.expect("UpdateTable");
}

fn title_of(change: Option<Result<Change, Error>>) -> Option<String> {
    let change = change?.expect("a change");
    Some(change.record["dynamodb"]["NewImage"]["title"]["S"].as_str().expect("a title").to_string())
}

#[test]
fn come_in_order() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        let refused = database.changes("music", ChangesFrom::Now).expect_err("there is no stream");
        assert_eq!(refused.kind(), "InvalidArgument");
        switch_stream(&client, true).await;
        let mut changes = database.changes("music", ChangesFrom::Now).expect("there is a stream");
        for i in 0..20 {
            put(&client, &format!("artist {}", i % 3), &i.to_string()).await;
        }
        let mut place = String::new();
        for i in 0..20 {
            let change = changes.next().await;
            if i == 11 {
                place = change.as_ref().and_then(|change| change.as_ref().ok()).expect("a change").place.clone();
            }
            assert_eq!(title_of(change), Some(i.to_string()));
        }
        let from_place = database.changes("music", ChangesFrom::After(place)).expect("a place");
        let from_oldest = database.changes("music", ChangesFrom::Oldest).expect("the stream is kept");
        switch_stream(&client, false).await;
        assert_eq!(title_of(changes.next().await), None);
        for (mut changes, first) in [(from_place, 12), (from_oldest, 0)] {
            for i in first..20 {
                assert_eq!(title_of(changes.next().await), Some(i.to_string()));
            }
            assert_eq!(title_of(changes.next().await), None);
        }
        let refused = database.changes("music", ChangesFrom::After("nowhere".into())).expect_err("no place");
        assert_eq!(refused.kind(), "InvalidArgument");
    });
}
