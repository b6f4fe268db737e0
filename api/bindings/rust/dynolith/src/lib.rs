//! A database with Amazon DynamoDB's semantics inside the program's own process, behind the AWS SDK for Rust:
//!
//! ```no_run
//! # use aws_sdk_dynamodb::Client;
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let database = dynolith::Database::in_memory()?;
//! let client = Client::new(&database.config());
//! client.list_tables().send().await?;
//! # Ok(())
//! # }
//! ```

mod admin;
mod answer;
pub mod changes;
mod database;
mod error;
pub mod testing;
mod transport;
mod under_way;

pub use database::Database;
pub use error::Error;
pub use serde_json::{json, Value};
pub use transport::Transport;

/// The library's version, such as "0.1.0".
pub fn version() -> Result<String, Error> {
    let library = error::library()?;
    // SAFETY: the text is static.
    Ok(unsafe { error::text((library.version)()) })
}
