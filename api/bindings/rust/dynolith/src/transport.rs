//! The SDK's connection: a request becomes a call, and its answer a response.

use crate::answer::Answer;
use crate::database::Database;
use aws_smithy_async::future::timeout::Timeout;
use aws_smithy_async::rt::sleep::{AsyncSleep, SharedAsyncSleep};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use std::io;
use std::time::Duration;

/// A database in place of a connection: an `HttpClient` of the SDK's. Where a request goes does not matter.
#[derive(Clone, Debug)]
pub struct Transport {
    database: Database,
}

impl Transport {
    pub(crate) fn new(database: Database) -> Self {
        Self { database }
    }
}

impl HttpClient for Transport {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Connector {
            database: self.database.clone(),
            read_timeout: settings.read_timeout(),
            sleep: components.sleep_impl(),
        })
    }
}

/// The transport with what one client has set.
#[derive(Clone, Debug)]
struct Connector {
    database: Database,
    read_timeout: Option<Duration>,
    sleep: Option<SharedAsyncSleep>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let connector = self.clone();
        HttpConnectorFuture::new(async move {
            let (Some(limit), Some(sleep)) = (connector.read_timeout, connector.sleep.clone()) else {
                return connector.answer(request).await;
            };
            // Who waits no longer leaves; the call itself goes on, as it would on a server.
            let late = || ConnectorError::timeout(io::Error::from(io::ErrorKind::TimedOut).into());
            Timeout::new(connector.answer(request), sleep.sleep(limit)).await.unwrap_or_else(|_| Err(late()))
        })
    }
}

impl Connector {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let call = Call::from_request(request).await?;
        let answer = self.run(call).await?;
        self.wait(answer.delay).await;
        if answer.is_dropped {
            return Err(ConnectorError::io(io::Error::from(io::ErrorKind::ConnectionReset).into()));
        }
        response(answer).map_err(|error| ConnectorError::other(error, None))
    }

    async fn run(&self, call: Call) -> Result<Answer, ConnectorError> {
        if self.database.is_quick() && OF_ONE_ITEM.contains(&call.operation()) {
            return call.on(&self.database);
        }
        if self.database.has_staleness() || call.operation() == "DescribeEndpoints" {
            // Who asks matters to few: the library's own threads are not told it.
            let database = self.database.clone();
            let called = tokio::task::spawn_blocking(move || call.on(&database)).await;
            return called.map_err(|error| ConnectorError::other(error.into(), None))?;
        }
        match self.database.begin_call(&call.target, call.body.bytes().unwrap_or_default()) {
            Ok(under_way) => Ok(under_way.await),
            // A child of a fork has none of these threads, and is answered at once.
            Err(error) if error.kind() == "AccessDeniedException" => call.on(&self.database),
            Err(error) => Err(ConnectorError::user(error.into())),
        }
    }

    async fn wait(&self, delay: Duration) {
        match &self.sleep {
            _ if delay.is_zero() => {}
            Some(sleep) => sleep.sleep(delay).await,
            None => tokio::time::sleep(delay).await,
        }
    }
}

/// Calls of microseconds while nobody waits for a disk: less than it takes to hand them to another thread.
const OF_ONE_ITEM: [&str; 4] = ["GetItem", "PutItem", "UpdateItem", "DeleteItem"];

/// What the library is told of a request.
struct Call {
    target: String,
    access_key: String,
    host: String,
    body: SdkBody,
}

impl Call {
    async fn from_request(mut request: HttpRequest) -> Result<Self, ConnectorError> {
        let header = |name| request.headers().get(name).unwrap_or_default().to_string();
        let (target, access_key) = (header("x-amz-target"), access_key(&header("authorization")).to_string());
        let host = host(&header("host"), request.uri()).to_string();
        let mut body = request.take_body();
        if body.bytes().is_none() {
            let collected = ByteStream::new(body).collect().await;
            body = SdkBody::from(collected.map_err(|error| ConnectorError::user(error.into()))?.into_bytes());
        }
        Ok(Self { target, access_key, host, body })
    }

    fn operation(&self) -> &str {
        self.target.rsplit('.').next().unwrap_or_default()
    }

    fn on(&self, database: &Database) -> Result<Answer, ConnectorError> {
        let body = self.body.bytes().unwrap_or_default();
        // A closed database stays closed: an error of the user's is not tried again.
        database
            .call(&self.target, body, &self.access_key, &self.host)
            .map_err(|error| ConnectorError::user(error.into()))
    }
}

/// Who signed: "AWS4-HMAC-SHA256 Credential=KEY/20260131/…".
fn access_key(authorization: &str) -> &str {
    let credential = authorization.split_once("Credential=").map(|(_, credential)| credential).unwrap_or_default();
    credential.split_once('/').map(|(key, _)| key).unwrap_or_default()
}

fn host<'a>(header: &'a str, uri: &'a str) -> &'a str {
    if !header.is_empty() {
        return header;
    }
    let authority = uri.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    authority.split(['/', '?']).next().unwrap_or_default()
}

fn response(answer: Answer) -> Result<HttpResponse, BoxError> {
    let mut response = HttpResponse::new(StatusCode::try_from(answer.status)?, SdkBody::from(answer.body));
    let headers = response.headers_mut();
    headers.try_insert("x-amzn-requestid", answer.request_id)?;
    headers.try_insert("x-amz-crc32", answer.crc32.to_string())?;
    if let Some(content_type) = answer.content_type {
        headers.try_insert("content-type", content_type)?;
    }
    Ok(response)
}
