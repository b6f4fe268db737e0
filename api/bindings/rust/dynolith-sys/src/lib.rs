//! Dynolith's C face, as dynolith.h has it, found and opened while the program runs: neither compiling nor linking needs the
//! library. What functions do and require stands in dynolith.h; names here are without `dynolith_`.
//!
//! The library is the file that the environment variable DYNOLITH_LIBRARY names; without it `libdynolith.so.0` beside the
//! program, in the build folder of the tree in which this crate lies, where pkg-config knew it when this crate was compiled, or
//! where the system's linker finds it.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

const LIBRARY_NAME: &str = "libdynolith.so.0";

/// `dynolith_database`.
#[repr(C)]
pub struct DatabaseHandle {
    _opaque: [u8; 0],
}

/// `dynolith_error`.
#[repr(C)]
pub struct ErrorHandle {
    _opaque: [u8; 0],
}

/// `dynolith_response`; the default is `DYNOLITH_RESPONSE_INIT`.
#[repr(C)]
pub struct Response {
    pub status: i32,
    pub crc32: u32,
    pub body: *const c_char,
    pub body_size: usize,
    pub error: *const c_char,
    pub content_type: *const c_char,
    pub delay_nanoseconds: i64,
    pub is_dropped: i32,
    pub request_id: [c_char; 56],
    pub memory: *mut c_void,
}

impl Default for Response {
    fn default() -> Self {
        Self {
            status: 0,
            crc32: 0,
            body: ptr::null(),
            body_size: 0,
            error: ptr::null(),
            content_type: ptr::null(),
            delay_nanoseconds: 0,
            is_dropped: 0,
            request_id: [0; 56],
            memory: ptr::null_mut(),
        }
    }
}

/// `dynolith_answered`.
pub type Answered = unsafe extern "C" fn(*mut c_void, *const Response);

type Text = *const c_char;
type Named = unsafe extern "C" fn(*mut DatabaseHandle, Text, usize) -> *mut ErrorHandle;

/// Declares the functions, and how they are found.
macro_rules! functions {
    ($($name:ident: $kind:ty, $symbol:literal;)*) => {
        /// The functions of an opened library.
        pub struct Library {
            $(pub $name: $kind,)*
        }

        impl Library {
            /// # Safety
            /// The handle is a libdynolith's.
            unsafe fn from_handle(handle: *mut c_void) -> Result<Self, String> {
                Ok(Self {
                    $($name: unsafe { std::mem::transmute::<*mut c_void, $kind>(symbol(handle, $symbol)?) },)*
                })
            }
        }
    };
}

functions! {
    version: unsafe extern "C" fn() -> Text, c"dynolith_version";
    error_kind: unsafe extern "C" fn(*const ErrorHandle) -> Text, c"dynolith_error_kind";
    error_message: unsafe extern "C" fn(*const ErrorHandle) -> Text, c"dynolith_error_message";
    error_free: unsafe extern "C" fn(*mut ErrorHandle), c"dynolith_error_free";
    open: unsafe extern "C" fn(Text, usize, *mut *mut DatabaseHandle) -> *mut ErrorHandle, c"dynolith_open";
    region: unsafe extern "C" fn(*mut DatabaseHandle, Text, usize, *mut *mut DatabaseHandle) -> *mut ErrorHandle,
        c"dynolith_region";
    close: unsafe extern "C" fn(*mut DatabaseHandle), c"dynolith_close";
    checkpoint: Named, c"dynolith_checkpoint";
    snapshot: Named, c"dynolith_snapshot";
    restore: Named, c"dynolith_restore";
    remove_snapshot: Named, c"dynolith_remove_snapshot";
    fork: unsafe extern "C" fn(*mut DatabaseHandle, Text, usize, Text, usize, *mut *mut DatabaseHandle) -> *mut ErrorHandle,
        c"dynolith_fork";
    call_as: unsafe extern "C" fn(*mut DatabaseHandle, Text, usize, Text, usize, Text, usize, Text, usize, *mut Response),
        c"dynolith_call_as";
    call_async: unsafe extern "C" fn(*mut DatabaseHandle, Text, usize, Text, usize, Answered, *mut c_void) -> *mut ErrorHandle,
        c"dynolith_call_async";
    admin: unsafe extern "C" fn(*mut DatabaseHandle, Text, Text, usize, Text, usize, *mut Response), c"dynolith_admin";
    response_free: unsafe extern "C" fn(*mut Response), c"dynolith_response_free";
}

/// The library, which is opened once for the process. An error says where it was looked for.
pub fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(open_library).as_ref().map_err(String::as_str)
}

fn open_library() -> Result<Library, String> {
    let mut reasons = Vec::new();
    for path in library_paths() {
        match open_at(&path) {
            Ok(library) => return Ok(library),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(format!("{}: set DYNOLITH_LIBRARY to where {LIBRARY_NAME} is", reasons.join("; ")))
}

/// Where the library may be, the best place first. A place that the user names is the only one.
fn library_paths() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("DYNOLITH_LIBRARY").filter(|named| !named.is_empty()) {
        return vec![named.into()];
    }
    let mut folders = Vec::new();
    if let Ok(program) = std::env::current_exe() {
        folders.extend(program.parent().map(Path::to_path_buf));
    }
    // Beside this crate, and where its tree is built.
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf());
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../build/api/c"));
    folders.extend(option_env!("DYNOLITH_INSTALLED").map(PathBuf::from));
    let mut paths: Vec<PathBuf> =
        folders.into_iter().map(|folder| folder.join(LIBRARY_NAME)).filter(|path| path.exists()).collect();
    paths.push(LIBRARY_NAME.into());
    paths
}

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

const RTLD_LAZY: c_int = 1;

fn open_at(path: &Path) -> Result<Library, String> {
    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the library's own start-up code is what any program runs that is linked with it; its handle is never closed.
    unsafe {
        let handle = dlopen(name.as_ptr(), RTLD_LAZY);
        if handle.is_null() {
            return Err(linker_error());
        }
        Library::from_handle(handle)
    }
}

unsafe fn symbol(handle: *mut c_void, name: &CStr) -> Result<*mut c_void, String> {
    let found = unsafe { dlsym(handle, name.as_ptr()) };
    if found.is_null() {
        return Err(linker_error());
    }
    Ok(found)
}

/// What the last failure in this thread was.
fn linker_error() -> String {
    // SAFETY: the text belongs to this thread until its next call of the linker.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            return "the dynamic linker failed".to_string();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}
