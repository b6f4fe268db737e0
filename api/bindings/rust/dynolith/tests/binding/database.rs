//! A database is opened, closed, kept on disk, and its errors are the language's own.

use crate::music::{block_on, create, music, put, title};
use aws_sdk_dynamodb::types::{
    CreateReplicationGroupMemberAction, ReplicationGroupUpdate, StreamSpecification, StreamViewType,
};
use aws_sdk_dynamodb::Client;
use dynolith::testing::{fork_of, fresh_with};
use dynolith::{json, Database, Value};

/// A folder that goes with this value.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dynolith_rust_{}_{name}", std::process::id()));
        std::fs::create_dir(&path).expect("a new folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn databases_do_not_meet() {
    block_on(async {
        let (_first, here) = music(Value::Null).await;
        let (_second, there) = music(Value::Null).await;
        put(&here, "Ray", "Georgia").await;
        assert_eq!(title(&here, "Ray").await.as_deref(), Some("Georgia"));
        assert_eq!(title(&there, "Ray").await, None);
    });
}

#[test]
fn on_disk() {
    let folder = Folder::new("on_disk");
    let (data, copy) = (folder.0.join("data"), folder.0.join("copy"));
    block_on(async {
        let database = Database::open(&json!({"path": data, "region": "eu-west-1"})).expect("a new store");
        let client = Client::new(&database.config());
        create(&client).await;
        put(&client, "Ray", "Georgia").await;
        let described = client.describe_table().table_name("music").send().await.expect("DescribeTable");
        let arn = described.table.expect("a table").table_arn.expect("an ARN");
        assert!(arn.starts_with("arn:aws:dynamodb:eu-west-1:"), "{arn}");
        let second = Database::open(&json!({"path": data})).expect_err("another opener is refused");
        assert_eq!(second.kind(), "Unavailable", "{second}");
        database.checkpoint(&copy).expect("a checkpoint");
        database.close();
        for kept in [&data, &copy] {
            let again = fresh_with(json!({"path": kept}));
            assert_eq!(title(&Client::new(&again.config()), "Ray").await.as_deref(), Some("Georgia"));
        }
    });
}

/// What clients hold keeps a database open, and the last one that goes closes it.
#[test]
fn clients_keep_it_open() {
    let folder = Folder::new("clients_keep_it_open");
    let options = json!({"path": folder.0.join("data")});
    block_on(async {
        let client = Client::new(&Database::open(&options).expect("a new store").config());
        create(&client).await;
        assert!(Database::open(&options).is_err());
        drop(client);
        Database::open(&options).expect("it is closed");
    });
}

#[test]
fn wrong_options() {
    let wrong = Database::open(&json!({"pth": "music"})).expect_err("an unknown member");
    assert_eq!(wrong.kind(), "InvalidArgument");
    assert!(wrong.message().contains("pth"), "{wrong}");
}

#[test]
fn closed() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        database.close();
        database.close();
        let failed = client.list_tables().send().await.expect_err("a call");
        let failed = failed.into_source().expect("a connector's error");
        assert!(format!("{failed:?}").contains("the database is closed"), "{failed:?}");
        assert_eq!(database.snapshot("late").expect_err("a snapshot").kind(), "FailedPrecondition");
        assert_eq!(database.now().expect_err("its clock").kind(), "FailedPrecondition");
    });
}

#[test]
fn snapshots() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        database.snapshot("empty").expect("a snapshot");
        put(&client, "Ray", "Georgia").await;
        database.snapshot("loaded").expect("a snapshot");
        put(&client, "Ray", "Mess Around").await;
        database.restore("loaded").expect("the way back");
        assert_eq!(title(&client, "Ray").await.as_deref(), Some("Georgia"));
        database.restore("empty").expect("the way back");
        assert_eq!(title(&client, "Ray").await, None);
        database.remove_snapshot("loaded").expect("it was there");
        assert_eq!(database.restore("loaded").expect_err("it is gone").kind(), "NotFound");
    });
}

#[test]
fn forks() {
    block_on(async {
        let (database, client) = music(Value::Null).await;
        database.snapshot("empty").expect("a snapshot");
        put(&client, "Ray", "Georgia").await;
        let (now, before) = (fork_of(&database, None), fork_of(&database, Some("empty")));
        let fork = Client::new(&now.config());
        put(&fork, "Ray", "Mess Around").await;
        assert_eq!(title(&client, "Ray").await.as_deref(), Some("Georgia"));
        assert_eq!(title(&fork, "Ray").await.as_deref(), Some("Mess Around"));
        assert_eq!(title(&Client::new(&before.config()), "Ray").await, None);
        assert_eq!(database.fork(Some("none"), None).expect_err("no such snapshot").kind(), "NotFound");
    });
}

/// A global table over two regions of this process: what is written in one is in the other once it is settled.
#[test]
fn regions() {
    block_on(async {
        let (east, client) = music(json!({"regions": ["us-east-1", "eu-west-1"]})).await;
        let west = east.in_region("eu-west-1").expect("it is served");
        let there = Client::new(&west.config());
        let images = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
        let images = images.build().expect("complete");
        client.update_table().table_name("music").stream_specification(images).send().await.expect("UpdateTable");
        let create = CreateReplicationGroupMemberAction::builder().region_name("eu-west-1").build().expect("complete");
        let update = ReplicationGroupUpdate::builder().create(create).build();
        client.update_table().table_name("music").replica_updates(update).send().await.expect("UpdateTable");
        put(&client, "Ray", "Georgia").await;
        east.admin("POST", "regions/settle", &Value::Null).expect("it is there");
        assert_eq!(title(&there, "Ray").await.as_deref(), Some("Georgia"));
        assert_eq!(west.config().region().map(|region| region.as_ref()), Some("eu-west-1"));
        east.close();
        assert_eq!(title(&there, "Ray").await.as_deref(), Some("Georgia"));
        assert_eq!(west.in_region("moon").expect_err("no such region").kind(), "NotFound");
    });
}

/// The version is the library's, and the one that the project has.
#[test]
fn version() {
    assert_eq!(dynolith::version().expect("a library"), env!("CARGO_PKG_VERSION"));
    let project = include_str!("../../../../../../CMakeLists.txt");
    assert!(project.contains(concat!("project(dynolith VERSION ", env!("CARGO_PKG_VERSION"), " ")));
}
