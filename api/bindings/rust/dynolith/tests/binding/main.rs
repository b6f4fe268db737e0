//! The binding as a program uses it: what is the database's own, and what the SDK makes of its answers.

mod admin;
mod changes;
mod database;
mod forks;
mod music;
mod transport;
mod under_way;
