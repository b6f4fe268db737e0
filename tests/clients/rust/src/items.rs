//! Steps 2 to 4: items written, read, changed under conditions, queried and scanned.

use crate::values::{expect, fail, item, key, list, n, number_of, numbers, s, succeed, with, Item};
use crate::TABLE;
use aws_sdk_dynamodb::types::error::ConditionalCheckFailedException;
use aws_sdk_dynamodb::types::{
    KeysAndAttributes, PutRequest, ReturnValue, ReturnValuesOnConditionCheckFailure, WriteRequest,
};
use aws_sdk_dynamodb::{Client, Error};
use std::fmt::Debug;

/// Note n of 30: three owners, five teams, each score from 0 to 29 once.
fn note(number: i64) -> Item {
    with(
        key("notes", number),
        [
            ("owner", s(format!("owner{}", number % 3))),
            ("score", n(number * 7 % 30)),
            ("team", s(format!("team{}", number % 5))),
            ("text", s(format!("note {number}"))),
        ],
    )
}

/// One of 25 items, five in each of five partitions.
fn other(number: i64) -> Item {
    with(key(&format!("other{}", number / 5), number % 5), [("text", s(format!("other {number}")))])
}

pub async fn get(db: &Client, key: Item) -> Option<Item> {
    let answer = db.get_item().table_name(TABLE).set_key(Some(key)).consistent_read(true).send().await;
    succeed("GetItem", answer).item
}

pub async fn fill(db: &Client) {
    for number in 0..30 {
        let answer = db.put_item().table_name(TABLE).set_item(Some(note(number))).send().await;
        expect("no old item", succeed("PutItem", answer).attributes, None);
    }
    let requests = (0..25)
        .map(|number| PutRequest::builder().set_item(Some(other(number))).build().expect("complete"))
        .map(|put| WriteRequest::builder().put_request(put).build());
    let answer = db.batch_write_item().request_items(TABLE, requests.collect()).send().await;
    let left = succeed("BatchWriteItem", answer).unprocessed_items.unwrap_or_default();
    expect("all of the batch is written", left.len(), 0);

    for number in [0, 17, 29] {
        expect("a note reads back", get(db, key("notes", number)).await, Some(note(number)));
    }
    expect("what is not there", get(db, key("notes", 30)).await, None);
    read_batch(db).await;
}

async fn read_batch(db: &Client) {
    let mut wanted: Vec<Item> = (0..10).map(note).chain((0..10).map(other)).collect();
    let keys = wanted.iter().map(item_key).collect();
    let keys = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().expect("complete");
    let answer = succeed("BatchGetItem", db.batch_get_item().request_items(TABLE, keys).send().await);
    expect("all of the batch is read", answer.unprocessed_keys.unwrap_or_default().len(), 0);
    let mut found = answer.responses.and_then(|mut tables| tables.remove(TABLE)).unwrap_or_default();
    // The service leaves the order open.
    found.sort_by_key(place);
    wanted.sort_by_key(place);
    expect("the batch", found, wanted);
}

fn place(item: &Item) -> (String, i64) {
    (item["pk"].as_s().expect("a string").clone(), number_of(item, "sk"))
}

fn item_key(item: &Item) -> Item {
    ["pk", "sk"].iter().map(|name| (name.to_string(), item[*name].clone())).collect()
}

/// The error of a call whose condition must fail.
fn fail_condition<T: Debug, E: Into<Error>>(what: &str, result: Result<T, E>) -> ConditionalCheckFailedException {
    let Error::ConditionalCheckFailedException(failed) = fail(what, result).into() else {
        panic!("{what}: not for its condition")
    };
    expect("its message", failed.message.as_deref(), Some("The conditional request failed"));
    failed
}

pub async fn write_conditionally(db: &Client) {
    let wanted = with(key("paint", 1), [("color", s("blue")), ("count", n(1)), ("tags", list(&["a"]))]);
    let put = db
        .put_item()
        .table_name(TABLE)
        .set_item(Some(wanted.clone()))
        .condition_expression("attribute_not_exists(pk)");
    succeed("put what is not there", put.clone().send().await);
    let failed = fail_condition("put it again", put.clone().send().await);
    expect("no item unless asked for", failed.item, None);
    let put = put.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let failed = fail_condition("put it again", put.send().await);
    expect("the item of the error", failed.item, Some(wanted));
    update(db).await;
    delete(db).await;
}

async fn update(db: &Client) {
    let update = || {
        db.update_item().table_name(TABLE).set_key(Some(key("paint", 1))).return_values(ReturnValue::UpdatedNew)
    };
    let repaint = update()
        .update_expression("SET color = :new")
        .condition_expression("color = :old")
        .expression_attribute_values(":new", s("red"))
        .expression_attribute_values(":old", s("blue"));
    let answer = succeed("repaint", repaint.clone().send().await);
    expect("what was updated", answer.attributes, Some(item([("color", s("red"))])));
    let failed = fail_condition("repaint again", repaint.send().await);
    expect("no item unless asked for", failed.item, None);

    for (step, wanted) in [(5, 6), (-2, 4)] {
        let count = update().update_expression("ADD #count :step").expression_attribute_names("#count", "count");
        let answer = succeed("count", count.expression_attribute_values(":step", n(step)).send().await);
        expect("the counter", answer.attributes, Some(item([("count", n(wanted))])));
    }
    let append = update()
        .update_expression("SET tags = list_append(tags, :more)")
        .expression_attribute_values(":more", list(&["b", "c"]));
    let answer = succeed("append", append.send().await);
    expect("the list", answer.attributes, Some(item([("tags", list(&["a", "b", "c"]))])));
}

async fn delete(db: &Client) {
    let wanted = with(key("paint", 1), [("color", s("red")), ("count", n(4)), ("tags", list(&["a", "b", "c"]))]);
    let delete = |color: &str| {
        db.delete_item()
            .table_name(TABLE)
            .set_key(Some(key("paint", 1)))
            .condition_expression("color = :color")
            .expression_attribute_values(":color", s(color))
            .return_values(ReturnValue::AllOld)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
    let failed = fail_condition("delete what is blue", delete("blue").send().await);
    expect("the item of the error", failed.item, Some(wanted.clone()));
    let answer = succeed("delete what is red", delete("red").send().await);
    expect("what was deleted", answer.attributes, Some(wanted));
    expect("it is gone", get(db, key("paint", 1)).await, None);
}

pub async fn query(db: &Client) {
    let notes = || {
        db.query()
            .table_name(TABLE)
            .key_condition_expression("pk = :pk")
            .expression_attribute_values(":pk", s("notes"))
    };
    let mut pages = notes().into_paginator().page_size(7).send();
    let (mut sizes, mut found) = (vec![], vec![]);
    while let Some(page) = pages.next().await {
        let items = succeed("Query", page).items.unwrap_or_default();
        sizes.push(items.len());
        found.extend(items);
    }
    expect("pages", sizes, vec![7, 7, 7, 7, 2]);
    expect("every note once, in order", found, (0..30).map(note).collect());

    let answer = succeed("backwards", notes().scan_index_forward(false).limit(4).send().await);
    expect("the last four notes", numbers(answer.items(), "sk"), vec![29, 28, 27, 26]);
    expect("where to go on", answer.last_evaluated_key, Some(key("notes", 26)));

    let filtered = notes().filter_expression("score < :few").expression_attribute_values(":few", n(5)).send().await;
    let filtered = succeed("a filter", filtered);
    expect("notes with a low score", numbers(filtered.items(), "sk"), vec![0, 9, 13, 22, 26]);
    expect("all were looked at", (filtered.count, filtered.scanned_count), (5, 30));
    query_indexes(db).await;
}

async fn query_indexes(db: &Client) {
    let owned = db
        .query()
        .table_name(TABLE)
        .index_name("ByOwner")
        .key_condition_expression("#owner = :owner AND sk > :sk")
        .expression_attribute_names("#owner", "owner")
        .expression_attribute_values(":owner", s("owner1"))
        .expression_attribute_values(":sk", n(20));
    let answer = succeed("the global index", owned.send().await);
    expect("whole items", answer.items(), &[note(22), note(25), note(28)][..]);

    let scored = db
        .query()
        .table_name(TABLE)
        .index_name("ByScore")
        .key_condition_expression("pk = :pk AND score BETWEEN :low AND :high")
        .expression_attribute_values(":pk", s("notes"))
        .expression_attribute_values(":low", n(10))
        .expression_attribute_values(":high", n(12));
    let entry = |sk, score| with(key("notes", sk), [("score", n(score))]);
    let answer = succeed("the local index", scored.clone().send().await);
    expect("keys only", answer.items(), &[entry(10, 10), entry(23, 11), entry(6, 12)][..]);
    let projected = scored.projection_expression("score, #text").expression_attribute_names("#text", "text");
    let answer = succeed("a projection", projected.send().await);
    let line = |score, number| item([("score", n(score)), ("text", s(format!("note {number}")))]);
    expect("the text is fetched", answer.items(), &[line(10, 10), line(11, 23), line(12, 6)][..]);
}

pub async fn scan_in_segments(db: &Client) {
    let mut found = vec![];
    for segment in 0..4 {
        let scan = db.scan().table_name(TABLE).segment(segment).total_segments(4);
        let mut pages = scan.into_paginator().page_size(10).send();
        while let Some(page) = pages.next().await {
            found.extend(succeed("Scan", page).items.unwrap_or_default());
        }
    }
    found.sort_by_key(place);
    let wanted: Vec<Item> = (0..30).map(note).chain((0..25).map(other)).collect();
    expect("every item once", found, wanted);
}
