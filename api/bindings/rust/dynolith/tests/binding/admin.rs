//! The clock, sweeps and all else of the admin endpoint.

use crate::music::{block_on, music, s, title};
use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveSpecification};
use dynolith::testing::fresh;
use dynolith::{json, Value};
use std::time::{Duration, UNIX_EPOCH};

/// 2026-01-31T12:00:00Z.
const START: u64 = 1_769_860_800;

#[test]
fn the_clock_moves_and_items_expire() {
    block_on(async {
        let options = json!({"clock": "manual", "clock_start": "2026-01-31T12:00:00Z", "ttl_sweep_seconds": 0});
        let (database, client) = music(options).await;
        let start = UNIX_EPOCH + Duration::from_secs(START);
        assert_eq!(database.now(), Ok(start));
        let until = TimeToLiveSpecification::builder().attribute_name("until").enabled(true).build().expect("complete");
        client.update_time_to_live().table_name("music").time_to_live_specification(until).send().await.expect("TTL");
        let until = AttributeValue::N((START + 3600).to_string());
        let put = client.put_item().table_name("music").item("artist", s("Ray")).item("title", s("Georgia"));
        put.item("until", until).send().await.expect("PutItem");

        let later = Duration::from_millis(90 * 60 * 1000 + 250);
        assert_eq!(database.advance_clock(later), Ok(start + later));
        let tomorrow = start + Duration::from_secs(24 * 3600);
        assert_eq!(database.set_clock(tomorrow), Ok(tomorrow));
        assert_eq!(database.sweep(), Ok(1));
        assert_eq!(title(&client, "Ray").await, None);
    });
}

#[test]
fn errors() {
    let database = fresh();
    let refused = database.advance_clock(Duration::from_secs(1)).expect_err("the machine's clock does not move");
    assert!(!refused.message().is_empty() && !refused.message().starts_with('{'), "{refused}");
    assert_eq!(database.admin("GET", "/_dynolith/nothing", &Value::Null).expect_err("no such path").kind(), "NotFound");
    assert_eq!(database.admin("DELETE", "clock", &Value::Null).expect_err("no such method").kind(), "InvalidArgument");
    assert_eq!(database.admin("G\0T", "clock", &Value::Null).expect_err("no method at all").kind(), "InvalidArgument");
    assert_eq!(database.admin("GET", "faults", &Value::Null), Ok(json!({"faults": []})));
}
