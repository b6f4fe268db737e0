//! The clock, sweeps and all else that the server's admin endpoint does with a database.

use crate::answer::Answer;
use crate::database::Database;
use crate::error::Error;
use serde_json::{json, Value};
use std::ffi::CString;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl Database {
    /// What the admin endpoint does with a database: the clock, sweeps, faults, staleness, capacity, hot keys and heat. The path
    /// is the endpoint's, such as "/_dynolith/faults", or "faults"; a body of null is none. An answer that is no success is an
    /// error.
    pub fn admin(&self, method: &str, path: &str, body: &Value) -> Result<Value, Error> {
        let method = CString::new(method).map_err(|error| Error::new("InvalidArgument", error.to_string()))?;
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.call_admin(&method, path, text.as_bytes())?;
        let found = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        if answer.status == 200 {
            return Ok(found);
        }
        Err(admin_error(&answer, &found))
    }

    /// What the database's clock shows, to the millisecond.
    pub fn now(&self) -> Result<SystemTime, Error> {
        self.admin("GET", "clock", &Value::Null).map(|clock| time_of(&clock))
    }

    /// Moves a manual clock, and returns when all that this has made due is done.
    pub fn advance_clock(&self, by: Duration) -> Result<SystemTime, Error> {
        self.admin("POST", "clock/advance", &json!({"seconds": by.as_secs_f64()})).map(|clock| time_of(&clock))
    }

    /// Moves a manual clock to a later moment.
    pub fn set_clock(&self, to: SystemTime) -> Result<SystemTime, Error> {
        let seconds =
            to.duration_since(UNIX_EPOCH).map_err(|error| Error::new("InvalidArgument", error.to_string()))?;
        self.admin("POST", "clock/set", &json!({"now": seconds.as_secs_f64()})).map(|clock| time_of(&clock))
    }

    /// Deletes items whose time to live has passed, and says how many.
    pub fn sweep(&self) -> Result<u64, Error> {
        self.admin("POST", "ttl/sweep", &Value::Null).map(|swept| swept["deleted"].as_u64().unwrap_or_default())
    }
}

fn time_of(clock: &Value) -> SystemTime {
    let milliseconds = (clock["now"].as_f64().unwrap_or_default() * 1000.0).round();
    UNIX_EPOCH + Duration::from_millis(milliseconds as u64)
}

fn admin_error(answer: &Answer, found: &Value) -> Error {
    let kind = match answer.status {
        400 | 405 => "InvalidArgument",
        404 => "NotFound",
        409 => "AlreadyExists",
        410 => "TrimmedDataAccessException",
        _ => "Internal",
    };
    let message = found["error"].as_str().map(str::to_string);
    Error::new(kind, message.unwrap_or_else(|| String::from_utf8_lossy(&answer.body).into_owned()))
}
