//! Step 5: transactions commit, are cancelled with reasons, and are replayed by their token.

use crate::items::get;
use crate::values::{expect, fail, key, n, succeed, with, Item};
use crate::TABLE;
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsError, TransactWriteItemsOutput};
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Get, Put, ReturnValuesOnConditionCheckFailure, TransactGetItem, TransactWriteItem, Update,
};
use aws_sdk_dynamodb::Client;
use std::time::{SystemTime, UNIX_EPOCH};

fn put(wanted: Item) -> TransactWriteItem {
    let put = Put::builder().table_name(TABLE).set_item(Some(wanted)).condition_expression("attribute_not_exists(pk)");
    TransactWriteItem::builder().put(put.build().expect("complete")).build()
}

/// Adds to the balance when there is as much as said.
fn deposit(sk: i64, amount: i64, at_least: i64) -> TransactWriteItem {
    let update = Update::builder()
        .table_name(TABLE)
        .set_key(Some(key("accounts", sk)))
        .update_expression("SET balance = balance + :amount")
        .condition_expression("balance >= :least")
        .expression_attribute_values(":amount", n(amount))
        .expression_attribute_values(":least", n(at_least))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    TransactWriteItem::builder().update(update.build().expect("complete")).build()
}

fn delete(sk: i64) -> TransactWriteItem {
    let delete = Delete::builder().table_name(TABLE).set_key(Some(key("accounts", sk)));
    TransactWriteItem::builder().delete(delete.build().expect("complete")).build()
}

fn check_exists(sk: i64) -> TransactWriteItem {
    let check = ConditionCheck::builder()
        .table_name(TABLE)
        .set_key(Some(key("accounts", sk)))
        .condition_expression("attribute_exists(pk)");
    TransactWriteItem::builder().condition_check(check.build().expect("complete")).build()
}

fn account(sk: i64, balance: i64) -> Item {
    with(key("accounts", sk), [("balance", n(balance))])
}

async fn transact(
    db: &Client,
    actions: Vec<TransactWriteItem>,
    token: Option<&str>,
) -> Result<TransactWriteItemsOutput, TransactWriteItemsError> {
    let request = db.transact_write_items().set_transact_items(Some(actions));
    let request = request.set_client_request_token(token.map(str::to_string));
    request.send().await.map_err(|error| error.into_service_error())
}

async fn accounts(db: &Client) -> Vec<Option<Item>> {
    let gets = (1..=5)
        .map(|sk| Get::builder().table_name(TABLE).set_key(Some(key("accounts", sk))).build().expect("complete"))
        .map(|get| TransactGetItem::builder().get(get).build());
    let answer = db.transact_get_items().set_transact_items(Some(gets.collect())).send().await;
    succeed("TransactGetItems", answer).responses.unwrap_or_default().into_iter().map(|response| response.item).collect()
}

pub async fn write(db: &Client) {
    for sk in 1..=3 {
        let answer = db.put_item().table_name(TABLE).set_item(Some(account(sk, 100))).send().await;
        succeed("PutItem", answer);
    }
    let actions = vec![put(account(4, 40)), deposit(1, 11, 100), delete(2), check_exists(3)];
    succeed("a transaction of each kind", transact(db, actions, None).await);
    let wanted = vec![Some(account(1, 111)), None, Some(account(3, 100)), Some(account(4, 40)), None];
    expect("all of it is done", accounts(db).await, wanted);
}

pub async fn cancel(db: &Client) {
    let before = accounts(db).await;
    let actions = vec![put(account(5, 50)), deposit(1, 1, 1000), check_exists(2), delete(3)];
    let failed = fail("two conditions fail", transact(db, actions, None).await);
    let TransactWriteItemsError::TransactionCanceledException(failed) = failed else {
        panic!("the transaction is cancelled: {failed:?}")
    };
    let message = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                   [None, ConditionalCheckFailed, ConditionalCheckFailed, None]";
    expect("its message", failed.message.as_deref(), Some(message));
    let reasons: Vec<_> = failed
        .cancellation_reasons()
        .iter()
        .map(|reason| (reason.code.as_deref(), reason.message.as_deref(), reason.item.clone()))
        .collect();
    let none = (Some("None"), None, None);
    let condition = |item| (Some("ConditionalCheckFailed"), Some("The conditional request failed"), item);
    expect("its reasons", reasons, vec![none.clone(), condition(Some(account(1, 111))), condition(None), none]);
    expect("nothing is done", accounts(db).await, before);
}

pub async fn replay(db: &Client) {
    // A token outlives the table; another run needs another one.
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let token = format!("rust-{moment}");
    let token = Some(token.as_str());
    succeed("with a token", transact(db, vec![deposit(3, 10, 0)], token).await);
    succeed("the same again", transact(db, vec![deposit(3, 10, 0)], token).await);
    expect("it is done once", get(db, key("accounts", 3)).await, Some(account(3, 110)));
    let failed = fail("another with this token", transact(db, vec![deposit(3, 20, 0)], token).await);
    expect("the error", failed.is_idempotent_parameter_mismatch_exception(), true);
}
