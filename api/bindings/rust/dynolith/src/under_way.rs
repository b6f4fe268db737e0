//! Calls that threads of the library's answer.

use crate::answer::Answer;
use dynolith_sys::{Answered, Response};
use std::cell::Cell;
use std::ffi::c_void;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

thread_local! {
    static IS_ANSWERING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is a thread that says an answer: its database waits for it when it closes.
pub(crate) fn is_answering() -> bool {
    IS_ANSWERING.get()
}

/// The answer to come of a call that has begun. Who drops it leaves; the call goes on.
pub(crate) struct UnderWay {
    place: Place,
}

/// Between who waits and the library; it goes with the last of them.
type Place = Arc<Mutex<Waiting>>;

#[derive(Default)]
struct Waiting {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

impl UnderWay {
    /// `begin` gives the library a function with its context. An error of it says that there will be no answer.
    pub fn begin<E>(begin: impl FnOnce(Answered, *mut c_void) -> Result<(), E>) -> Result<Self, E> {
        let place = Place::default();
        let context = Arc::into_raw(place.clone());
        if let Err(error) = begin(answered, context.cast_mut().cast()) {
            // SAFETY: the library does not have it.
            drop(unsafe { Arc::from_raw(context) });
            return Err(error);
        }
        Ok(Self { place })
    }
}

impl Future for UnderWay {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut waiting = lock(&self.place);
        if let Some(answer) = waiting.answer.take() {
            return Poll::Ready(answer);
        }
        if !waiting.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            waiting.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let waker = lock(&self.place).waker.take();
        // It may hold what waits, and so whatever that holds.
        drop(waker);
    }
}

fn lock(place: &Place) -> MutexGuard<'_, Waiting> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Called by the library, once for each call that has begun, on whichever thread.
unsafe extern "C" fn answered(context: *mut c_void, response: *const Response) {
    let was_answering = IS_ANSWERING.replace(true);
    // SAFETY: it is what `begin` gave away, and the response is good until this returns.
    let (place, answer) = unsafe { (Place::from_raw(context.cast_const().cast()), Answer::copied(&*response)) };
    let waker = {
        let mut waiting = lock(&place);
        waiting.answer = Some(answer);
        waiting.waker.take()
    };
    if let Some(waker) = waker {
        waker.wake();
    }
    drop(place);
    IS_ANSWERING.set(was_answering);
}
