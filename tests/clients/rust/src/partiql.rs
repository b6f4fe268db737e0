//! Step 8: the same table in PartiQL.

use crate::items::get;
use crate::values::{expect, fail, item, key, n, s, succeed, with, Item};
use crate::TABLE;
use aws_sdk_dynamodb::operation::execute_statement::ExecuteStatementError;
use aws_sdk_dynamodb::operation::execute_transaction::ExecuteTransactionError;
use aws_sdk_dynamodb::types::{
    AttributeValue, BatchStatementErrorCodeEnum, BatchStatementRequest, ParameterizedStatement,
};
use aws_sdk_dynamodb::Client;

type Statement = (String, Vec<AttributeValue>);

fn insert(sk: i64, title: &str) -> Statement {
    (format!("INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'sk': ?, 'title': ?}}"), vec![s("books"), n(sk), s(title)])
}

fn select(sk: i64) -> Statement {
    (format!("SELECT * FROM \"{TABLE}\" WHERE pk = ? AND sk = ?"), vec![s("books"), n(sk)])
}

fn rename(sk: i64, title: &str) -> Statement {
    let text = format!("UPDATE \"{TABLE}\" SET title = ? WHERE pk = ? AND sk = ? RETURNING ALL NEW *");
    (text, vec![s(title), s("books"), n(sk)])
}

fn delete(sk: i64) -> Statement {
    let text = format!("DELETE FROM \"{TABLE}\" WHERE pk = ? AND sk = ? RETURNING ALL OLD *");
    (text, vec![s("books"), n(sk)])
}

fn book(sk: i64, title: &str) -> Item {
    with(key("books", sk), [("title", s(title))])
}

async fn execute(db: &Client, (text, parameters): Statement) -> Result<Vec<Item>, ExecuteStatementError> {
    let answer = db.execute_statement().statement(text).set_parameters(Some(parameters)).send().await;
    answer.map(|answer| answer.items.unwrap_or_default()).map_err(|error| error.into_service_error())
}

pub async fn statements(db: &Client) {
    for (sk, title) in [(1, "Sea"), (2, "Hills"), (3, "Bread")] {
        expect("INSERT", succeed("INSERT", execute(db, insert(sk, title)).await), vec![]);
    }
    let failed = fail("INSERT again", execute(db, insert(1, "Sea")).await);
    expect("the error", failed.is_duplicate_item_exception(), true);
    expect("its message", failed.meta().message(), Some("Duplicate primary key exists in table"));

    expect("SELECT", succeed("SELECT", execute(db, select(2)).await), vec![book(2, "Hills")]);
    let range = format!("SELECT sk, title FROM \"{TABLE}\" WHERE pk = ? AND sk >= ? ORDER BY sk DESC");
    let found = succeed("SELECT a range", execute(db, (range, vec![s("books"), n(2)])).await);
    let line = |sk, title| item([("sk", n(sk)), ("title", s(title))]);
    expect("SELECT a range", found, vec![line(3, "Bread"), line(2, "Hills")]);
    let found = succeed("UPDATE", execute(db, rename(2, "Mountains")).await);
    expect("UPDATE", found, vec![book(2, "Mountains")]);
    let found = succeed("DELETE", execute(db, delete(3)).await);
    expect("DELETE", found, vec![book(3, "Bread")]);
    expect("it is gone", get(db, key("books", 3)).await, None);
    expect("SELECT what is gone", succeed("SELECT", execute(db, select(3)).await), vec![]);
}

async fn transact(db: &Client, statements: Vec<Statement>) -> Result<Vec<Option<Item>>, ExecuteTransactionError> {
    let statements = statements.into_iter().map(|(text, parameters)| {
        let statement = ParameterizedStatement::builder().statement(text).set_parameters(Some(parameters));
        statement.build().expect("complete")
    });
    let answer = db.execute_transaction().set_transact_statements(Some(statements.collect())).send().await;
    let responses = answer.map_err(|error| error.into_service_error())?.responses.unwrap_or_default();
    Ok(responses.into_iter().map(|response| response.item).collect())
}

pub async fn batch_and_transaction(db: &Client) {
    let batch = [insert(4, "Wind"), insert(1, "Sea"), insert(5, "Rain")].map(|(text, parameters)| {
        let statement = BatchStatementRequest::builder().statement(text).set_parameters(Some(parameters));
        statement.build().expect("complete")
    });
    let answer = db.batch_execute_statement().set_statements(Some(batch.to_vec())).send().await;
    let answer = succeed("BatchExecuteStatement", answer);
    let codes: Vec<_> = answer.responses().iter().map(|response| response.error().and_then(|error| error.code())).collect();
    expect("only the second fails", codes, vec![None, Some(&BatchStatementErrorCodeEnum::DuplicateItem), None]);

    let update = |sk, title| (rename(sk, title).0.replace(" RETURNING ALL NEW *", ""), rename(sk, title).1);
    let answer = succeed("ExecuteTransaction", transact(db, vec![insert(6, "Snow"), update(4, "Storm")]).await);
    expect("nothing to read", answer, vec![]);
    let answer = succeed("read in a transaction", transact(db, vec![select(6), select(7), select(4)]).await);
    expect("read in a transaction", answer, vec![Some(book(6, "Snow")), None, Some(book(4, "Storm"))]);
    let failed = fail("insert again in a transaction", transact(db, vec![insert(7, "Fog"), insert(6, "Snow")]).await);
    let ExecuteTransactionError::TransactionCanceledException(failed) = failed else {
        panic!("the transaction is cancelled: {failed:?}")
    };
    let codes: Vec<_> = failed.cancellation_reasons().iter().map(|reason| reason.code.as_deref()).collect();
    expect("its reasons", codes, vec![Some("None"), Some("DuplicateItem")]);
    expect("nothing is done", get(db, key("books", 7)).await, None);
}
