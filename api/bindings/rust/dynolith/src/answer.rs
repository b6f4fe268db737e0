//! Answers of the library's, copied out of memory that each thread keeps for one answer after the other.

use crate::error::text;
use dynolith_sys::{Library, Response};
use std::cell::RefCell;
use std::time::Duration;

/// What a call is answered with.
pub(crate) struct Answer {
    pub status: u16,
    pub crc32: u32,
    pub body: Vec<u8>,
    pub content_type: Option<String>,
    pub request_id: String,
    pub delay: Duration,
    pub is_dropped: bool,
}

/// The library's memory, which is freed when its thread ends.
struct Memory {
    library: &'static Library,
    response: Response,
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the response is default, or filled by the library.
        unsafe { (self.library.response_free)(&mut self.response) }
    }
}

thread_local! {
    static MEMORY: RefCell<Option<Memory>> = const { RefCell::new(None) };
}

impl Answer {
    /// The answer that `fill` makes the library write.
    pub fn from_library(library: &'static Library, fill: impl FnOnce(*mut Response)) -> Self {
        MEMORY.with_borrow_mut(|kept| {
            let memory = kept.get_or_insert_with(|| Memory { library, response: Response::default() });
            fill(&mut memory.response);
            // SAFETY: the library has filled it, and its pointers are good until the next answer.
            unsafe { Self::copied(&memory.response) }
        })
    }

    /// # Safety
    /// The library has filled it, and its pointers are good.
    pub unsafe fn copied(response: &Response) -> Self {
        let body = match response.body_size {
            0 => Vec::new(),
            size => unsafe { std::slice::from_raw_parts(response.body.cast(), size) }.to_vec(),
        };
        let has_type = !response.content_type.is_null();
        Self {
            status: response.status as u16,
            crc32: response.crc32,
            body,
            content_type: has_type.then(|| unsafe { text(response.content_type) }),
            request_id: unsafe { text(response.request_id.as_ptr()) },
            delay: Duration::from_nanos(response.delay_nanoseconds.max(0) as u64),
            is_dropped: response.is_dropped != 0,
        }
    }
}
