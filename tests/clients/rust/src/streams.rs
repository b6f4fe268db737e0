//! Steps 6 and 7: every effective write is one record of the stream, and so is the deletion of an expired item.

use crate::items::get;
use crate::tables::PATIENCE;
use crate::values::{expect, image, key, n, s, succeed, with, Item};
use crate::{Clients, TABLE};
use aws_sdk_dynamodb::types::{TimeToLiveSpecification, TimeToLiveStatus};
use aws_sdk_dynamodbstreams::types::{OperationType, Record, ShardIteratorType, StreamStatus, StreamViewType};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

type Change = (OperationType, Option<Item>, Option<Item>);

/// The table's stream. Streams of deleted tables of the same name may be listed beside it for a day.
async fn stream_of_table(clients: &Clients) -> String {
    let described = succeed("DescribeTable", clients.tables.describe_table().table_name(TABLE).send().await);
    let latest = described.table.and_then(|table| table.latest_stream_arn).expect("a stream");
    let listed = succeed("ListStreams", clients.streams.list_streams().table_name(TABLE).send().await);
    let found = listed.streams().iter().any(|stream| stream.stream_arn() == Some(latest.as_str()));
    expect("the stream is listed", found, true);
    latest
}

/// All records so far, shard by shard.
async fn read(clients: &Clients) -> Vec<Record> {
    let arn = stream_of_table(clients).await;
    let described = succeed("DescribeStream", clients.streams.describe_stream().stream_arn(&arn).send().await);
    let stream = described.stream_description.expect("a description");
    expect("the table of the stream", stream.table_name(), Some(TABLE));
    expect("its state", stream.stream_status(), Some(&StreamStatus::Enabled));
    expect("its images", stream.stream_view_type(), Some(&StreamViewType::NewAndOldImages));
    expect("no more shards", stream.last_evaluated_shard_id(), None);
    let names: Vec<_> = stream.key_schema().iter().map(|element| element.attribute_name()).collect();
    expect("its keys", names, vec!["pk", "sk"]);
    let mut records = vec![];
    for shard in stream.shards() {
        let start = clients
            .streams
            .get_shard_iterator()
            .stream_arn(&arn)
            .shard_id(shard.shard_id().expect("an id"))
            .shard_iterator_type(ShardIteratorType::TrimHorizon);
        let mut iterator = succeed("GetShardIterator", start.send().await).shard_iterator;
        while let Some(place) = iterator {
            let page = clients.streams.get_records().shard_iterator(place).limit(20).send().await;
            let page = succeed("GetRecords", page);
            // An open shard always goes on; without records its end is reached.
            iterator = page.next_shard_iterator().filter(|_| !page.records().is_empty()).map(str::to_string);
            records.extend(page.records.unwrap_or_default());
        }
    }
    records
}

fn change(record: &Record) -> Change {
    let data = record.dynamodb().expect("data");
    (record.event_name().expect("a name").clone(), image(data.old_image()), image(data.new_image()))
}

fn of_item<'a>(records: &'a [Record], key: &Item) -> Vec<&'a Record> {
    let has_key = |record: &&Record| image(record.dynamodb().and_then(|data| data.keys())).as_ref() == Some(key);
    records.iter().filter(has_key).collect()
}

fn count(records: &[Record], kind: OperationType) -> usize {
    records.iter().filter(|record| record.event_name() == Some(&kind)).count()
}

pub async fn follow_one_item(clients: &Clients) {
    let db = &clients.tables;
    let small = with(key("river", 1), [("width", n(3))]);
    let wide = with(key("river", 1), [("width", n(90))]);
    // The second of each pair changes nothing.
    for _ in 0..2 {
        let put = db.put_item().table_name(TABLE).set_item(Some(small.clone()));
        succeed("PutItem", put.send().await);
    }
    for _ in 0..2 {
        let update = db
            .update_item()
            .table_name(TABLE)
            .set_key(Some(key("river", 1)))
            .update_expression("SET width = :wide")
            .expression_attribute_values(":wide", n(90));
        succeed("UpdateItem", update.send().await);
    }
    for _ in 0..2 {
        let delete = db.delete_item().table_name(TABLE).set_key(Some(key("river", 1)));
        succeed("DeleteItem", delete.send().await);
    }

    let records = read(clients).await;
    let found = of_item(&records, &key("river", 1));
    let changes: Vec<Change> = found.iter().map(|record| change(record)).collect();
    let wanted = vec![
        (OperationType::Insert, None, Some(small.clone())),
        (OperationType::Modify, Some(small), Some(wide.clone())),
        (OperationType::Remove, Some(wide), None),
    ];
    expect("the records of one item", changes, wanted);
    for record in &found {
        expect("the source", record.event_source(), Some("aws:dynamodb"));
        expect("the region", record.aws_region(), Some("us-east-1"));
        expect("nobody but the caller", record.user_identity(), None);
    }
    let order: Vec<u128> = found.iter().map(|record| sequence_number(record)).collect();
    expect("sequence numbers grow", order[0] < order[1] && order[1] < order[2], true);
    // 55 items, one painted, three accounts and one more, one river.
    let kinds = [OperationType::Insert, OperationType::Modify, OperationType::Remove];
    expect("one record for each write", kinds.map(|kind| count(&records, kind)), [61, 7, 3]);
}

fn sequence_number(record: &Record) -> u128 {
    let number = record.dynamodb().and_then(|data| data.sequence_number()).expect("a sequence number");
    number.parse().expect("digits")
}

pub async fn expire(clients: &Clients) {
    let db = &clients.tables;
    let live = TimeToLiveSpecification::builder().attribute_name("expires").enabled(true).build().expect("complete");
    let enabled = db.update_time_to_live().table_name(TABLE).time_to_live_specification(live).send().await;
    succeed("UpdateTimeToLive", enabled);
    let described = succeed("DescribeTimeToLive", db.describe_time_to_live().table_name(TABLE).send().await);
    let described = described.time_to_live_description.expect("a description");
    expect("time to live", described.time_to_live_status(), Some(&TimeToLiveStatus::Enabled));
    expect("its attribute", described.attribute_name(), Some("expires"));

    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as i64;
    let old = with(key("leaf", 1), [("expires", n(now - 3600)), ("color", s("brown"))]);
    let fresh = with(key("leaf", 2), [("expires", n(now + 3600)), ("color", s("green"))]);
    for leaf in [&old, &fresh] {
        succeed("PutItem", db.put_item().table_name(TABLE).set_item(Some(leaf.clone())).send().await);
    }
    let deadline = Instant::now() + PATIENCE;
    while get(db, key("leaf", 1)).await.is_some() {
        expect("the expired item goes in time", Instant::now() < deadline, true);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    expect("the other one stays", get(db, key("leaf", 2)).await, Some(fresh));

    let records = read(clients).await;
    let found = of_item(&records, &key("leaf", 1));
    let changes: Vec<Change> = found.iter().map(|record| change(record)).collect();
    let wanted = vec![(OperationType::Insert, None, Some(old.clone())), (OperationType::Remove, Some(old), None)];
    expect("the records of the expired item", changes, wanted);
    let who = found[1].user_identity().map(|who| (who.r#type(), who.principal_id()));
    expect("who deleted it", who, Some((Some("Service"), Some("dynamodb.amazonaws.com"))));
}
