//! Processes that are started, or forked, while a database is open.

use crate::database::Folder;
use crate::music::{block_on, music, put, title};
use crate::under_way::refused_in_a_fork;
use aws_sdk_dynamodb::Client;
use dynolith::{json, Database, Value};
use std::process::{Child, Command};

/// A program that runs until this value goes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that was started meanwhile has nothing of the folder.
#[test]
fn a_folder_outlived_by_a_child() {
    let folder = Folder::new("outlived");
    let data = folder.0.join("data");
    let database = Database::open(&json!({"path": data})).expect("a new store");
    let _child = Running(Command::new("sleep").arg("1000").spawn().expect("sleep"));
    database.close();
    let held = Command::new("flock").arg("--nonblock").arg(&data).arg("true").status().expect("flock");
    assert!(held.success(), "the child holds the folder");
    Database::open(&json!({"path": data})).expect("nobody holds it").close();
}

/// What `work` says in a fork of this process: nothing, or what is wrong.
fn in_fork(work: impl FnOnce() -> Result<(), String>) {
    // SAFETY: the child has the memory of this thread alone, calls `work`, and ends.
    match unsafe { libc::fork() } {
        0 => {
            let wrong = work();
            if let Err(what) = &wrong {
                eprintln!("in the fork: {what}");
            }
            unsafe { libc::_exit(i32::from(wrong.is_err())) }
        }
        child => {
            assert!(child > 0, "a fork");
            let mut status = 0;
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    }
}

#[test]
fn a_fork_opens_its_own() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        in_fork(|| {
            let refused = database.snapshot("late").err().ok_or("the parent's database was used")?;
            if refused.kind() != "AccessDeniedException" {
                return Err(refused.to_string());
            }
            // A runtime of its own, in a thread that knows no other.
            std::thread::scope(|scope| scope.spawn(|| refused_in_a_fork(&client)).join())
                .map_err(|_| "it panics")??;
            let own = Database::in_memory().map_err(|failure| failure.to_string())?;
            own.snapshot("first").map_err(|failure| failure.to_string())
        });
        put(&client, "Ray", "Georgia").await;
        assert_eq!(title(&Client::new(&database.config()), "Ray").await.as_deref(), Some("Georgia"));
    });
}
