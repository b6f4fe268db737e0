//! Measures this binding: calls a second in process beside the same SDK over loopback, and the time to the first answered call.
//!
//!     cargo run --release --example measure PROGRAM          PROGRAM: dynolith, which serves the other side

use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use aws_sdk_dynamodb::{Client, Config};
use dynolith::Database;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const ROUND_TIME: Duration = Duration::from_millis(250);
const STARTS: usize = 15;
/// The argument of the process that starts, answers one call, and ends.
const FIRST_ANSWER: &str = "first-answer";

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

async fn prepare(client: &Client) {
    let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S).build();
    let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash).build();
    let created = client
        .create_table()
        .table_name("measured")
        .attribute_definitions(id.expect("complete"))
        .key_schema(key.expect("complete"))
        .billing_mode(BillingMode::PayPerRequest);
    created.send().await.expect("CreateTable");
    for i in 0..1000 {
        call(client, "PutItem", i).await;
    }
}

async fn call(client: &Client, operation: &str, i: usize) {
    let id = AttributeValue::S(format!("item{}", i % 1000));
    if operation == "Scan" {
        client.scan().table_name("measured").limit(50).send().await.expect("Scan");
        return;
    }
    if operation == "GetItem" {
        client.get_item().table_name("measured").key("id", id).send().await.expect("GetItem");
        return;
    }
    let text = AttributeValue::S("a hundred bytes or so, as items of tests have; ".repeat(2));
    client.put_item().table_name("measured").item("id", id).item("text", text).send().await.expect("PutItem");
}

/// Calls a second from so many tasks.
async fn rate(client: &Client, operation: &'static str, callers: usize) -> f64 {
    let started = Instant::now();
    let caller = |_| {
        let client = client.clone();
        tokio::spawn(async move {
            let mut count = 0;
            while started.elapsed() < ROUND_TIME {
                call(&client, operation, count).await;
                count += 1;
            }
            count
        })
    };
    let mut sum = 0;
    for caller in (0..callers).map(caller).collect::<Vec<_>>() {
        sum += caller.await.expect("a caller");
    }
    sum as f64 / started.elapsed().as_secs_f64()
}

/// The program with its endpoint.
fn serve(program: &str) -> (Child, String) {
    let command = [program, "serve", "--port", "0"];
    let mut server = Command::new(command[0]).args(&command[1..]).stdout(Stdio::piped()).spawn().expect("a server");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.split_once("http://").expect("an address").1;
    let end = address.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap_or(address.len());
    (server, format!("http://{}", address[..end].trim_end_matches('.')))
}

async fn compare_rates(program: &str) {
    let database = Database::in_memory().expect("a database");
    let (mut server, endpoint) = serve(program);
    let config = Config::from(&database.config());
    let http = aws_smithy_http_client::Builder::new().build_http();
    let loopback = config.to_builder().endpoint_url(endpoint).http_client(http).build();
    let clients = [Client::from_conf(config), Client::from_conf(loopback)];
    for client in &clients {
        prepare(client).await;
    }
    let kinds =
        [("GetItem", 1), ("PutItem", 1), ("Scan", 1), ("GetItem", 8), ("PutItem", 8), ("Scan", 8), ("Scan", 64)];
    let mut rates = vec![[Vec::new(), Vec::new()]; kinds.len()];
    for _ in 0..ROUNDS {
        for (side, client) in clients.iter().enumerate() {
            for (kind, (operation, callers)) in kinds.iter().enumerate() {
                rates[kind][side].push(rate(client, operation, *callers).await);
            }
        }
    }
    for ((operation, callers), sides) in kinds.iter().zip(rates) {
        let [inside, outside] = sides.map(median);
        println!(
            "{operation}, {callers} callers: {inside:.0} calls/s in process, {outside:.0} over loopback: {:.1} times",
            inside / outside
        );
    }
    server.kill().and_then(|_| server.wait()).expect("the server ends");
}

/// Opens a database and calls; says how long the library, the database and all of it took.
async fn answer_first() -> [f64; 3] {
    let started = Instant::now();
    dynolith::version().expect("a library");
    let loaded = started.elapsed();
    let database = Database::in_memory().expect("a database");
    let opened = started.elapsed();
    Client::new(&database.config()).list_tables().send().await.expect("ListTables");
    [loaded, opened - loaded, started.elapsed()].map(milliseconds)
}

async fn measure_start() {
    let mut times = vec![Vec::new(); 4];
    for _ in 0..STARTS {
        let started = Instant::now();
        let itself = std::env::current_exe().expect("this program");
        let output = Command::new(itself).arg(FIRST_ANSWER).output().expect("this program again");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for (kept, time) in times.iter_mut().zip(text.split_whitespace()) {
            kept.push(time.parse().expect("a time"));
        }
        times[3].push(milliseconds(started.elapsed()));
    }
    let [library, database, answer, process] = [0, 1, 2, 3].map(|i| median(times[i].clone()));
    println!(
        "from nothing to the first answer: {answer:.1} ms, of which the library is {library:.1} and the database \
         {database:.1}; the whole process: {process:.1} ms"
    );
    answer_first().await;
    let mut more = Vec::new();
    for _ in 0..STARTS {
        more.push(answer_first().await[2]);
    }
    println!("one more database in the same process, to its first answer: {:.2} ms", median(more));
}

fn main() {
    let argument = std::env::args().nth(1).expect("measure PROGRAM");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        if argument == FIRST_ANSWER {
            let times = answer_first().await;
            println!("{} {} {}", times[0], times[1], times[2]);
            return;
        }
        measure_start().await;
        compare_rates(&argument).await;
    });
}
