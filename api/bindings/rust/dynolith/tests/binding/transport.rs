//! What the SDK does around a call works as over HTTP: errors, retries, pages, checksums, timeouts.

use crate::music::{block_on, music, put, s, title};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::{Client, Config};
use dynolith::{json, Database, Value};
use std::time::{Duration, Instant};

#[test]
fn errors_are_the_sdks() {
    block_on(async {
        let (_database, client) = music(Value::Null).await;
        let missing =
            client.get_item().table_name("none").key("artist", s("Ray")).send().await.expect_err("no such table");
        let raw = missing.raw_response().expect("an answer");
        assert_eq!(raw.status().as_u16(), 400);
        assert_eq!(raw.headers().get("x-amzn-requestid").map(str::len), Some(52));
        assert_eq!(raw.headers().get("content-type"), Some("application/x-amz-json-1.0"));
        let missing = missing.into_service_error();
        assert!(missing.is_resource_not_found_exception());
        assert_eq!(missing.meta().message(), Some("Requested resource not found"));

        put(&client, "Ray", "Georgia").await;
        let again = client.put_item().table_name("music").item("artist", s("Ray"));
        let failed =
            again.condition_expression("attribute_not_exists(artist)").send().await.expect_err("the condition fails");
        assert!(failed.into_service_error().is_conditional_check_failed_exception());
        assert_eq!(title(&client, "Ray").await.as_deref(), Some("Georgia"));
    });
}

#[test]
fn pages() {
    block_on(async {
        let (_database, client) = music(Value::Null).await;
        for i in 0..10 {
            put(&client, &format!("artist {i}"), "a song").await;
        }
        let mut pages = client.scan().table_name("music").limit(3).into_paginator().send();
        let mut counts = Vec::new();
        while let Some(page) = pages.next().await {
            counts.push(page.expect("a page").count());
        }
        assert_eq!(counts, [3, 3, 3, 1]);
    });
}

/// Makes a rule by which calls fail on purpose.
fn fault(database: &Database, rule: Value) {
    database.admin("POST", "/_dynolith/faults", &rule).expect("a rule");
}

fn client_with(database: &Database, retries: RetryConfig) -> Client {
    Client::from_conf(Config::from(&database.config()).to_builder().retry_config(retries).build())
}

#[test]
fn dropped_connections_are_tried_again() {
    block_on(async {
        for kind in ["dropped_connection", "answer_lost", "unavailable", "throttle"] {
            let (database, _) = music(Value::Null).await;
            let quick = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
            let client = client_with(&database, quick);
            fault(&database, json!({"fault": kind, "operation": "PutItem", "hits_max": 2}));
            put(&client, "Ray", "Georgia").await;
            let rules = database.admin("GET", "faults", &Value::Null).expect("the rules");
            assert_eq!(rules["faults"][0]["hits"], 2, "{kind}");
            assert_eq!(title(&client, "Ray").await.as_deref(), Some("Georgia"), "{kind}");
        }
    });
}

#[test]
fn a_lost_answer_is_an_error_of_the_connection() {
    block_on(async {
        let (database, _) = music(Value::Null).await;
        let client = client_with(&database, RetryConfig::disabled());
        fault(&database, json!({"fault": "answer_lost", "operation": "PutItem"}));
        let put = client.put_item().table_name("music").item("artist", s("Ray")).item("title", s("Georgia"));
        let lost = put.send().await.expect_err("the answer is lost");
        assert!(matches!(&lost, SdkError::DispatchFailure(failure) if failure.is_io()), "{lost:?}");
        assert_eq!(title(&client, "Ray").await.as_deref(), Some("Georgia"));
    });
}

#[test]
fn a_delay_holds_up_nobody_else() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        fault(&database, json!({"fault": "latency", "latency": 0.3, "operation": "PutItem"}));
        let (started, late) = (Instant::now(), Duration::from_millis(300));
        let writer = client.clone();
        let write = tokio::spawn(async move {
            put(&writer, "Ray", "Georgia").await;
            started.elapsed()
        });
        tokio::task::yield_now().await;
        title(&client, "Otis").await;
        assert!(started.elapsed() < late);
        assert!(write.await.expect("the write") >= late);
    });
}

#[test]
fn a_timeout_ends_the_waiting_and_not_the_call() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        fault(&database, json!({"fault": "latency", "latency": 600, "operation": "PutItem"}));
        let timeouts = [
            TimeoutConfig::builder().read_timeout(Duration::from_millis(50)).build(),
            TimeoutConfig::builder().operation_timeout(Duration::from_millis(50)).build(),
        ];
        for (artist, timeout) in ["Ray", "Otis"].into_iter().zip(timeouts) {
            let config = Config::from(&database.config()).to_builder().timeout_config(timeout);
            let hasty = Client::from_conf(config.retry_config(RetryConfig::disabled()).build());
            let put = hasty.put_item().table_name("music").item("artist", s(artist)).item("title", s("a song"));
            put.send().await.expect_err("it takes ten minutes");
            assert_eq!(title(&client, artist).await.as_deref(), Some("a song"));
        }
    });
}

#[test]
fn many_at_once() {
    block_on(async {
        let (_database, client) = music(Value::Null).await;
        let callers = (0..16).map(|caller| {
            let client = client.clone();
            tokio::spawn(async move {
                for i in 0..20 {
                    let artist = format!("{i} of {caller}");
                    put(&client, &artist, &format!("song of {artist}")).await;
                    assert_eq!(title(&client, &artist).await, Some(format!("song of {artist}")));
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.expect("a caller");
        }
    });
}

/// Closing waits for calls whose callers have gone.
#[test]
fn closing_waits() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        for i in 0..50 {
            let scan = client.scan().table_name("music").send();
            let _ = tokio::time::timeout(Duration::from_micros(i * 10), scan).await;
        }
        database.close();
    });
}
