//! Calls under way: they hold up neither the runtime nor a thread of its pool, and those who wait may go at any moment.

use crate::database::Folder;
use crate::music::{block_on, create, music, put, s, title};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::{Client, Config};
use dynolith::{json, Database, Value};
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::{mpsc, Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

/// More than anything here takes.
const LONG: Duration = Duration::from_secs(60);

async fn count(client: &Client) -> i32 {
    client.scan().table_name("music").send().await.expect("Scan").count()
}

#[test]
fn many_at_once_need_no_thread_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let (release, released) = mpsc::channel::<()>();
    let blocked = runtime.spawn_blocking(move || released.recv());
    runtime.block_on(async {
        let (_database, client) = music(Value::Null).await;
        for i in 0..20 {
            put(&client, &format!("artist {i}"), "a song").await;
        }
        let calls = (0..1000).map(|i| {
            let client = client.clone();
            tokio::spawn(async move {
                let artist = format!("artist {}", i % 30);
                let query = client.query().table_name("music").key_condition_expression("artist = :a");
                let found = query.expression_attribute_values(":a", s(&artist)).send().await.expect("Query");
                let artists: Vec<_> = found.items().iter().map(|item| item["artist"].clone()).collect();
                assert_eq!(artists, if i % 30 < 20 { vec![s(&artist)] } else { vec![] });
            })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.expect("its own answer");
        }
    });
    release.send(()).expect("it waits");
    runtime.block_on(blocked).expect("it ends").expect("it was told");
}

/// A service that answers one call, once the runtime that has asked has told it that it goes on.
fn endpoint(goes_on: mpsc::Receiver<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let mut request = [0; 4096];
        let read = stream.read(&mut request).expect("a request");
        assert!(read > 0);
        let artist = if goes_on.recv_timeout(Duration::from_secs(5)).is_ok() { "Ray" } else { "Nobody" };
        let body = format!(r#"{{"Item":{{"artist":{{"S":"{artist}"}},"title":{{"S":"by {artist}"}}}}}}"#);
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).expect("it listens");
    });
    format!("http://{address}")
}

/// It is asked with the credentials of the process, so this runs in one of its own.
#[test]
fn an_endpoint_does_not_hold_up_the_runtime() {
    let key = "AWS_ACCESS_KEY_ID";
    if std::env::var_os(key).is_none_or(|value| value != "of this test") {
        let itself = std::env::current_exe().expect("this program");
        let mut child = std::process::Command::new(itself);
        child.args(["--exact", "under_way::an_endpoint_does_not_hold_up_the_runtime"]);
        let run = child.env(key, "of this test").env("AWS_SECRET_ACCESS_KEY", "secret").output().expect("it runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
        return;
    }
    block_on(async {
        let (go_on, goes_on) = mpsc::channel();
        let database = Database::open(&json!({"endpoint": endpoint(goes_on)})).expect("nothing is asked yet");
        let client = Client::new(&database.config());
        let asked = tokio::spawn(async move { title(&client, "Ray").await });
        tokio::task::yield_now().await;
        go_on.send(()).expect("it waits");
        assert_eq!(asked.await.expect("an answer").as_deref(), Some("by Ray"));
    });
}

/// Also while others follow each other without waiting.
#[test]
fn other_tasks_have_their_turn() {
    block_on(async {
        let (_database, client) = music(Value::Null).await;
        let calls = tokio::spawn(async move {
            loop {
                title(&client, "Ray").await;
            }
        });
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        calls.abort();
    });
}

/// Polls once, and says whether it is still to come.
fn begin<F: Future>(future: Pin<&mut F>, waker: &Waker) -> bool {
    future.poll(&mut Context::from_waker(waker)).is_pending()
}

#[test]
fn who_waits_may_go_at_any_moment() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (database, client) = runtime.block_on(music(Value::Null));
    runtime.block_on(async {
        for i in 0..200 {
            put(&client, &format!("artist {i}"), &"a song ".repeat(50)).await;
        }
        for i in 0..200 {
            let mut scan = Box::pin(client.scan().table_name("music").send());
            begin(scan.as_mut(), Waker::noop());
            if i % 2 == 0 {
                std::thread::sleep(Duration::from_micros(i * 10));
            }
        }
        let left: Vec<_> = (0..200)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { count(&client).await })
            })
            .collect();
        left.iter().step_by(2).for_each(|call| call.abort());
        for call in left.into_iter().skip(1).step_by(2) {
            assert_eq!(call.await.expect("an answer"), 200);
        }
        for _ in 0..200 {
            let client = client.clone();
            tokio::spawn(async move { count(&client).await });
        }
    });
    drop(runtime); // with calls under way
    assert_eq!(block_on(count(&client)), 200);
    database.close();
}

struct Told(mpsc::Sender<&'static str>, &'static str);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(self.1);
    }
}

#[test]
fn the_last_waker_is_woken() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (_database, client) = runtime.block_on(music(Value::Null));
    let _entered = runtime.enter();
    let (tell, told) = mpsc::channel();
    let wakers = ["first", "last"].map(|name| Waker::from(Arc::new(Told(tell.clone(), name))));
    let mut have_changed = 0;
    let started = Instant::now();
    while have_changed < 3 {
        assert!(started.elapsed() < LONG, "each call was answered at once");
        let mut scan = Box::pin(client.scan().table_name("music").send());
        // Most are answered between the two, or before.
        if !begin(scan.as_mut(), &wakers[0]) || !begin(scan.as_mut(), &wakers[1]) {
            told.try_iter().for_each(drop);
            continue;
        }
        while told.recv_timeout(LONG).expect("somebody is woken") != "last" {}
        assert!(!begin(scan.as_mut(), Waker::noop()), "it was woken for the answer");
        have_changed += 1;
    }
}

/// An executor's task that is dropped, with what it waits for and the last owner of the database, by the one that wakes it.
struct Task<F>(Mutex<Option<Pin<Box<F>>>>);

impl<F: Send> Wake for Task<F> {
    fn wake(self: Arc<Self>) {
        let future = self.0.lock().expect("nobody panics").take();
        drop(future);
    }
}

#[test]
fn a_thread_that_answers_may_drop_the_database() {
    let folder = Folder::new("dropped_by_its_thread");
    let options = json!({"path": folder.0.join("data")});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _entered = runtime.enter();
    let mut were_dropped = 0;
    for round in 0..10 {
        let started = Instant::now();
        // Until the task of the round before has been dropped, and its database closed.
        let database = loop {
            match Database::open(&options) {
                Ok(database) => break database,
                Err(error) => assert!(started.elapsed() < LONG, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let client = Client::new(&database.config());
        if round == 0 {
            runtime.block_on(create(&client));
        }
        let future = async move {
            let _last = database;
            client.scan().table_name("music").send().await
        };
        let task = Arc::new(Task(Mutex::new(None)));
        let mut future = Box::pin(future);
        let waker = Waker::from(task.clone());
        let mut kept = task.0.lock().expect("nobody panics");
        if begin(future.as_mut(), &waker) {
            *kept = Some(future);
            were_dropped += 1;
        }
    }
    assert!(were_dropped > 0);
}

#[test]
fn staleness_knows_who_asks() {
    block_on(async {
        let (database, client) = music(json!({"clock": "manual", "staleness": ["1h,monotonic"]})).await;
        database.advance_clock(Duration::from_secs(7200)).expect("a manual clock");
        put(&client, "Ray", "Georgia").await;
        let [one, two] = ["AKIAONE", "AKIATWO"].map(|key| {
            let credentials = Credentials::new(key, "secret", None, None, "test");
            Client::from_conf(Config::from(&database.config()).to_builder().credentials_provider(credentials).build())
        });
        let newest = one.scan().table_name("music").consistent_read(true).send().await.expect("Scan");
        // Who has seen the newest state sees none that is older.
        assert_eq!([newest.count(), count(&one).await, count(&two).await], [1, 1, 0]);
    });
}

#[test]
fn a_closed_database_says_so() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        database.close();
        let failed = client.scan().table_name("music").send().await.expect_err("a call");
        assert!(format!("{failed:?}").contains("the database is closed"), "{failed:?}");
    });
}

/// What a fork asks of its parent's database is refused, also where that has threads for it.
pub fn refused_in_a_fork(client: &Client) -> Result<(), String> {
    let config = client.config().to_builder().retry_config(RetryConfig::disabled()).build();
    let scan = Client::from_conf(config).scan().table_name("music").send();
    let failed = block_on(scan).err().ok_or("the parent's database was used")?;
    let said = format!("{failed:?}");
    said.contains("AccessDeniedException").then_some(()).ok_or(said)
}
