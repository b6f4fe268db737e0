// An experiment of the lab whose design fails: all puts of a day have one key.
export const SHOP = `[experiment]
title = "Shop"
duration = "20s"
expect = { served = 1.0 }

[[table]]
name = "orders"
partition_key = "day"
item_size = 900

[keys.day]
distribution = "list"
values = ["2026-11-30"]

[[access]]
name = "place"
operation = "PutItem"
key = { day = "day" }
load = { rate = 1500 }
`;
