//! Databases for tests: each its own, and closed when it goes out of scope, also while clients are left.

use crate::{Database, Value};
use std::ops::Deref;

/// A database that is closed with this value.
#[derive(Debug)]
pub struct TestDatabase {
    database: Database,
}

impl Deref for TestDatabase {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.database
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.database.close();
    }
}

/// A fresh database in memory.
///
/// # Panics
/// If it cannot be opened, with the reason.
pub fn fresh() -> TestDatabase {
    fresh_with(Value::Null)
}

/// A fresh database, in memory unless an option says otherwise: `fresh_with(json!({"clock": "manual"}))`.
///
/// # Panics
/// If it cannot be opened, with the reason.
pub fn fresh_with(options: Value) -> TestDatabase {
    owned(Database::open(&options))
}

/// A database in memory that begins as another is now, or as a snapshot of it: what many tests need is loaded once.
///
/// # Panics
/// If it cannot be made, with the reason.
pub fn fork_of(database: &Database, snapshot: Option<&str>) -> TestDatabase {
    owned(database.fork(snapshot, None))
}

fn owned(opened: Result<Database, crate::Error>) -> TestDatabase {
    match opened {
        Ok(database) => TestDatabase { database },
        Err(error) => panic!("no database: {error}"),
    }
}
