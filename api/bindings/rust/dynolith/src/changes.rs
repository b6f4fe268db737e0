//! The changes of a table, in order.

use crate::database::Database;
use crate::error::Error;
use futures_core::Stream;
use serde_json::Value;
use std::collections::VecDeque;
use std::future::{poll_fn, Future};
use std::pin::Pin;
use std::task::{ready, Context, Poll};
use tokio::task::{spawn_blocking, JoinHandle};

/// Seconds that a call waits in the library.
const WAIT: &str = "0.5";

/// Where the changes of a table begin.
#[derive(Clone, Debug)]
pub enum ChangesFrom {
    /// What is written from now on.
    Now,
    /// The oldest that is kept, a day.
    Oldest,
    /// Behind the change with this place.
    After(String),
}

/// A change of an item, as the table's stream has it.
#[derive(Clone, Debug)]
pub struct Change {
    /// For `ChangesFrom::After`.
    pub place: String,
    /// As GetRecords has it, in the service's JSON.
    pub record: Value,
}

/// The changes of a table with a stream, in order: a `Stream`, or `next` after `next`. Ends when the table's stream has ended, and
/// after an error. Needs tokio, on whose threads it waits.
#[derive(Debug)]
pub struct Changes {
    database: Database,
    table: String,
    place: String,
    read: VecDeque<Change>,
    has_ended: bool,
    reading: Option<JoinHandle<Result<Value, Error>>>,
}

impl Database {
    /// The changes of a table with a stream. What is written after the call is seen.
    pub fn changes(&self, table: &str, from: ChangesFrom) -> Result<Changes, Error> {
        let more = match from {
            ChangesFrom::Now => String::new(),
            ChangesFrom::Oldest => "&oldest=true".to_string(),
            ChangesFrom::After(place) => format!("&after={place}"),
        };
        let first = self.admin("GET", &format!("changes?table={table}&most=1{more}"), &Value::Null)?;
        Ok(Changes {
            database: self.clone(),
            table: table.to_string(),
            place: text(&first["from"]),
            read: VecDeque::new(),
            has_ended: false,
            reading: None,
        })
    }
}

impl Changes {
    /// The next change; none: there are no more.
    pub async fn next(&mut self) -> Option<Result<Change, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    fn begin_reading(&self) -> JoinHandle<Result<Value, Error>> {
        let database = self.database.clone();
        let path = format!("changes?table={}&after={}&wait={WAIT}", self.table, self.place);
        spawn_blocking(move || database.admin("GET", &path, &Value::Null))
    }

    fn keep(&mut self, page: &Value) {
        self.place = text(&page["place"]);
        self.has_ended = page["ended"].as_bool().unwrap_or(false);
        let changes = page["changes"].as_array().into_iter().flatten();
        self.read
            .extend(changes.map(|change| Change { place: text(&change["place"]), record: change["record"].clone() }));
    }
}

impl Stream for Changes {
    type Item = Result<Change, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(change) = self.read.pop_front() {
                return Poll::Ready(Some(Ok(change)));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            if self.reading.is_none() {
                self.reading = Some(self.begin_reading());
            }
            let Some(reading) = self.reading.as_mut() else { continue };
            let read = ready!(Pin::new(reading).poll(context));
            self.reading = None;
            match read.unwrap_or_else(|error| Err(Error::new("Internal", error.to_string()))) {
                Ok(page) => self.keep(&page),
                Err(error) => {
                    self.has_ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}
