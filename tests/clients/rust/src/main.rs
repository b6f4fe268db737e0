//! The common scenario, with the AWS SDK for Rust. Each step leaves the table as the next one expects it.

mod items;
mod partiql;
mod streams;
mod tables;
mod transactions;
mod values;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};

pub const TABLE: &str = "scenario_rust";

/// The two clients of one database.
pub struct Clients {
    pub tables: aws_sdk_dynamodb::Client,
    pub streams: aws_sdk_dynamodbstreams::Client,
}

/// The database in this process, or the one behind DYNOLITH_ENDPOINT.
fn connect() -> Clients {
    if std::env::var("DYNOLITH_IN_PROCESS").is_ok_and(|value| value == "1") {
        let config = dynolith::Database::in_memory().expect("a database").config();
        return Clients {
            tables: aws_sdk_dynamodb::Client::new(&config),
            streams: aws_sdk_dynamodbstreams::Client::new(&config),
        };
    }
    let endpoint = std::env::var("DYNOLITH_ENDPOINT").expect("DYNOLITH_ENDPOINT says where the server is");
    let credentials = Credentials::from_keys("local", "local", None);
    let region = Region::new("us-east-1");
    let http = aws_smithy_http_client::Builder::new().build_http();
    let tables = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(&endpoint)
        .region(region.clone())
        .credentials_provider(credentials.clone())
        .http_client(http.clone())
        .build();
    let streams = aws_sdk_dynamodbstreams::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(&endpoint)
        .region(region)
        .credentials_provider(credentials)
        .http_client(http)
        .build();
    Clients {
        tables: aws_sdk_dynamodb::Client::from_conf(tables),
        streams: aws_sdk_dynamodbstreams::Client::from_conf(streams),
    }
}

async fn scenario(clients: &Clients) {
    let db = &clients.tables;
    tables::create(db).await;
    items::fill(db).await;
    items::write_conditionally(db).await;
    items::query(db).await;
    items::scan_in_segments(db).await;
    transactions::write(db).await;
    transactions::cancel(db).await;
    transactions::replay(db).await;
    streams::follow_one_item(clients).await;
    streams::expire(clients).await;
    partiql::statements(db).await;
    partiql::batch_and_transaction(db).await;
    tables::add_and_delete_index(db).await;
    tables::delete(db).await;
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(scenario(&connect()));
}
