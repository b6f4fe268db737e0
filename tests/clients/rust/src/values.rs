//! Items in few words, and exact expectations.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::types::AttributeValue as StreamValue;
use std::collections::HashMap;
use std::fmt::Debug;

pub type Item = HashMap<String, AttributeValue>;

pub fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub fn n(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub fn list(texts: &[&str]) -> AttributeValue {
    AttributeValue::L(texts.iter().map(|text| s(*text)).collect())
}

pub fn item<const COUNT: usize>(attributes: [(&str, AttributeValue); COUNT]) -> Item {
    attributes.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

pub fn key(pk: &str, sk: i64) -> Item {
    item([("pk", s(pk)), ("sk", n(sk))])
}

/// The key with these attributes added or replaced.
pub fn with<const COUNT: usize>(mut base: Item, attributes: [(&str, AttributeValue); COUNT]) -> Item {
    base.extend(item(attributes));
    base
}

pub fn number_of(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(text)) => text.parse().expect("a whole number"),
        other => panic!("{name} is not a number: {other:?}"),
    }
}

pub fn numbers(items: &[Item], name: &str) -> Vec<i64> {
    items.iter().map(|item| number_of(item, name)).collect()
}

/// An image of a stream as an item: the two clients have a type of their own each.
pub fn image(found: Option<&HashMap<String, StreamValue>>) -> Option<Item> {
    Some(found?.iter().map(|(name, value)| (name.clone(), from_stream(value))).collect())
}

fn from_stream(value: &StreamValue) -> AttributeValue {
    match value {
        StreamValue::S(text) => s(text),
        StreamValue::N(number) => AttributeValue::N(number.clone()),
        StreamValue::L(values) => AttributeValue::L(values.iter().map(from_stream).collect()),
        other => panic!("the scenario has no such value: {other:?}"),
    }
}

/// Ends the program unless the answer is exactly the one that is wanted.
pub fn expect<T: Debug + PartialEq>(what: &str, got: T, wanted: T) {
    if got != wanted {
        println!("{what}:\n  expected {wanted:?}\n  got      {got:?}");
        std::process::exit(1);
    }
}

/// The answer of a call that must succeed.
pub fn succeed<T, E: Debug>(what: &str, result: Result<T, E>) -> T {
    match result {
        Ok(answer) => answer,
        Err(error) => {
            println!("{what}:\n  expected success\n  got      {error:?}");
            std::process::exit(1);
        }
    }
}

/// The error of a call that must fail.
pub fn fail<T: Debug, E>(what: &str, result: Result<T, E>) -> E {
    match result {
        Err(error) => error,
        Ok(answer) => {
            println!("{what}:\n  expected an error\n  got      {answer:?}");
            std::process::exit(1);
        }
    }
}
