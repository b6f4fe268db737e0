//! What a database says of everything but calls, whose errors are the SDK's.

use dynolith_sys::{ErrorHandle, Library};
use std::ffi::{c_char, CStr};
use std::fmt;

/// An error of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: String,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into() }
    }

    pub(crate) fn closed() -> Self {
        Self::new("FailedPrecondition", "the database is closed")
    }

    /// The exception's name where it is the service's, else a canonical code: "InvalidArgument", "NotFound", "AlreadyExists",
    /// "FailedPrecondition", "Unavailable", "DataLoss" and so on.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// For people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {}

pub(crate) fn library() -> Result<&'static Library, Error> {
    dynolith_sys::library().map_err(|reason| Error::new("NotFound", reason))
}

/// # Safety
/// The text ends with a zero.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The library's error as one of ours; the library's is freed.
///
/// # Safety
/// The handle is null or an error that the library has given, and is not used again.
pub(crate) unsafe fn taken(library: &Library, failure: *mut ErrorHandle) -> Result<(), Error> {
    if failure.is_null() {
        return Ok(());
    }
    unsafe {
        let error = Error::new(text((library.error_kind)(failure)), text((library.error_message)(failure)));
        (library.error_free)(failure);
        Err(error)
    }
}
