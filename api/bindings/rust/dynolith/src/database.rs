//! The open database.

use crate::answer::Answer;
use crate::error::{library, taken, Error};
use crate::transport::Transport;
use crate::under_way::{is_answering, UnderWay};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_types::region::Region;
use aws_types::SdkConfig;
use dynolith_sys::{DatabaseHandle, ErrorHandle, Library};
use serde_json::Value;
use std::ffi::c_char;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

/// Names no host: should a client be given another transport, its calls reach nobody.
const ENDPOINT: &str = "http://dynolith.invalid";

/// An open database, for any number of threads at once. A clone is the same database, and so is what clients hold; it is closed
/// when the last one is gone, or by `close`.
#[derive(Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

struct Shared {
    library: &'static Library,
    region: String,
    traits: Traits,
    /// Held shared while the library works, so that closing waits; none when closed.
    handle: RwLock<Option<Handle>>,
}

/// What calls go by.
#[derive(Clone)]
struct Traits {
    /// Whether calls of one item wait for nothing: neither a disk, nor an endpoint, nor other regions.
    is_quick: bool,
    /// Of it, its regions and its forks: whether there are, or were, rules of staleness, which may be of each client.
    has_staleness: Arc<AtomicBool>,
}

#[derive(Clone, Copy)]
struct Handle(NonNull<DatabaseHandle>);

// SAFETY: dynolith.h: every function may be called from many threads at once, on the same database too.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Database").field("region", &self.shared.region).finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn close(&self) {
        let handle = self.handle.write().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let (Some(open), library) = (handle, self.library) else { return };
        let close = move || {
            // All of it, so that it may go to another thread.
            let open = open;
            // SAFETY: it is open, nobody works on it but threads that the library waits for, and nobody finds it again.
            unsafe { (library.close)(open.0.as_ptr()) }
        };
        if is_answering() {
            std::thread::spawn(close); // the library may wait for this thread
        } else {
            close();
        }
    }
}

impl Database {
    /// Opens a database in memory, on the machine's clock.
    pub fn in_memory() -> Result<Self, Error> {
        Self::open(&Value::Null)
    }

    /// Opens a database with the members that dynolith.h has at `dynolith_open`: `json!({"path": folder})`,
    /// `json!({"clock": "manual"})` and so on. Blocks while a folder is read.
    pub fn open(options: &Value) -> Result<Self, Error> {
        let library = library()?;
        let region = options["region"].as_str().or(options["regions"][0].as_str()).unwrap_or("us-east-1").to_string();
        let is_none = |name: &str| options[name].is_null();
        let traits = Traits {
            is_quick: is_none("path") && is_none("endpoint") && is_none("regions"),
            has_staleness: Arc::new(AtomicBool::new(!is_none("staleness"))),
        };
        let text = if options.is_null() { String::new() } else { options.to_string() };
        // SAFETY: the text outlives the call.
        Self::opened(library, region, traits, |handle| unsafe {
            (library.open)(text.as_ptr().cast(), text.len(), handle)
        })
    }

    fn opened(
        library: &'static Library,
        region: String,
        traits: Traits,
        open: impl FnOnce(*mut *mut DatabaseHandle) -> *mut ErrorHandle,
    ) -> Result<Self, Error> {
        let mut handle = ptr::null_mut();
        // SAFETY: `open` gives a new error or none.
        unsafe { taken(library, open(&mut handle)) }?;
        let handle = NonNull::new(handle).map(Handle);
        Ok(Self { shared: Arc::new(Shared { library, region, traits, handle: RwLock::new(handle) }) })
    }

    /// Waits for calls under way and closes. What is called later fails; a second one does nothing. A thread that wakes a task
    /// with an answer cannot wait for itself: there, another one closes.
    pub fn close(&self) {
        self.shared.close();
    }

    /// For `Client::new` of any of the service's crates: this database behind the SDK, in its region and with credentials that
    /// mean nothing.
    pub fn config(&self) -> SdkConfig {
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.shared.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::from_keys("local", "local", None)))
            .endpoint_url(ENDPOINT)
            .http_client(self.transport())
            .build()
    }

    /// This database in place of a connection, for configurations that are made otherwise.
    pub fn transport(&self) -> Transport {
        Transport::new(self.clone())
    }

    /// Makes a consistent copy of a database on disk in a folder that is made, or is empty.
    pub fn checkpoint(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        self.named(self.shared.library.checkpoint, folder.as_ref().as_os_str().as_encoded_bytes())
    }

    /// Keeps the present state of the whole database under a name.
    pub fn snapshot(&self, name: &str) -> Result<(), Error> {
        self.named(self.shared.library.snapshot, name.as_bytes())
    }

    /// Goes back to a state that `snapshot` kept.
    pub fn restore(&self, name: &str) -> Result<(), Error> {
        self.named(self.shared.library.restore, name.as_bytes())
    }

    /// Forgets a state.
    pub fn remove_snapshot(&self, name: &str) -> Result<(), Error> {
        self.named(self.shared.library.remove_snapshot, name.as_bytes())
    }

    /// Opens a database of its own that begins as this one is now, or as a snapshot is. Without a folder it lives in memory, as
    /// this one then has to.
    pub fn fork(&self, snapshot: Option<&str>, folder: Option<&Path>) -> Result<Self, Error> {
        let library = self.shared.library;
        let name = snapshot.unwrap_or_default();
        let path = folder.map(|folder| folder.as_os_str().as_encoded_bytes()).unwrap_or_default();
        let traits = Traits { is_quick: self.is_quick() && folder.is_none(), ..self.shared.traits.clone() };
        self.while_open(|handle| {
            // SAFETY: the texts outlive the call.
            Self::opened(library, self.shared.region.clone(), traits, |fork| unsafe {
                (library.fork)(handle, name.as_ptr().cast(), name.len(), path.as_ptr().cast(), path.len(), fork)
            })
        })?
    }

    /// Opens the database of one of the option `regions`, whose tables have replicas in each other; the one that `open` gave is
    /// that of the first. The regions stay open until the last of their databases is closed.
    pub fn in_region(&self, region: &str) -> Result<Self, Error> {
        let library = self.shared.library;
        self.while_open(|handle| {
            // SAFETY: the text outlives the call.
            Self::opened(library, region.to_string(), self.shared.traits.clone(), |opened| unsafe {
                (library.region)(handle, region.as_ptr().cast(), region.len(), opened)
            })
        })?
    }

    pub(crate) fn is_quick(&self) -> bool {
        self.shared.traits.is_quick
    }

    /// Whether it may matter to an answer who asks.
    pub(crate) fn has_staleness(&self) -> bool {
        self.shared.traits.has_staleness.load(Ordering::Relaxed)
    }

    /// One call as the wire has it.
    pub(crate) fn call(&self, target: &str, body: &[u8], access_key: &str, host: &str) -> Result<Answer, Error> {
        let library = self.shared.library;
        self.while_open(|handle| {
            // SAFETY: the texts outlive the call.
            Answer::from_library(library, |response| unsafe {
                let (target_text, body_text) = (target.as_ptr().cast(), body.as_ptr().cast());
                let (key_text, host_text) = (access_key.as_ptr().cast(), host.as_ptr().cast());
                (library.call_as)(
                    handle,
                    target_text,
                    target.len(),
                    body_text,
                    body.len(),
                    key_text,
                    access_key.len(),
                    host_text,
                    host.len(),
                    response,
                )
            })
        })
    }

    /// The same by one of the database's threads, which is not told who asks.
    pub(crate) fn begin_call(&self, target: &str, body: &[u8]) -> Result<UnderWay, Error> {
        let library = self.shared.library;
        self.while_open(|handle| {
            UnderWay::begin(|answered, context| {
                let (target_text, body_text) = (target.as_ptr().cast(), body.as_ptr().cast());
                // SAFETY: the library copies the texts, and gives a new error or none.
                unsafe {
                    let failure = (library.call_async)(
                        handle,
                        target_text,
                        target.len(),
                        body_text,
                        body.len(),
                        answered,
                        context,
                    );
                    taken(library, failure)
                }
            })
        })?
    }

    /// What the admin endpoint does.
    pub(crate) fn call_admin(&self, method: &std::ffi::CStr, path: &str, body: &[u8]) -> Result<Answer, Error> {
        if path.contains("staleness") {
            self.shared.traits.has_staleness.store(true, Ordering::Relaxed);
        }
        let library = self.shared.library;
        self.while_open(|handle| {
            // SAFETY: the texts outlive the call.
            Answer::from_library(library, |response| unsafe {
                let (path_text, body_text) = (path.as_ptr().cast(), body.as_ptr().cast());
                (library.admin)(handle, method.as_ptr(), path_text, path.len(), body_text, body.len(), response)
            })
        })
    }

    fn named(
        &self,
        act: unsafe extern "C" fn(*mut DatabaseHandle, *const c_char, usize) -> *mut ErrorHandle,
        name: &[u8],
    ) -> Result<(), Error> {
        // SAFETY: the text outlives the call, which gives a new error or none.
        self.while_open(|handle| unsafe { taken(self.shared.library, act(handle, name.as_ptr().cast(), name.len())) })?
    }

    /// Works on the open database, which nobody closes meanwhile.
    fn while_open<T>(&self, work: impl FnOnce(*mut DatabaseHandle) -> T) -> Result<T, Error> {
        let handle = self.shared.handle.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let open = (*handle).ok_or_else(Error::closed)?;
        Ok(work(open.0.as_ptr()))
    }
}
