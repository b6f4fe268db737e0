// The calls that save an item: a put of a new one, or an update of what was changed of one that was read. None overwrites unseen
// what somebody else has written meanwhile.
import { keyOf, own } from "./values.js";

// So that the condition stays below the service's 300 operators and 4 KB, however the attributes are called.
const CHANGES_MAX = 100;

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Only if there is none with its key. */
export const putOf = (table, keys, item) => ({ TableName: table.TableName, Item: item, ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  ConditionExpression: "attribute_not_exists(#key)", ExpressionAttributeNames: { "#key": keys[0].AttributeName } });

/** Whether an edit is of the item that was read, and not of another key. */
export const isUpdate = (keys, before, item) => before !== null && isSame(keyOf(keys, before), keyOf(keys, Object(item)));

/**
 * The update that makes `before` into `item`, only if what it changes is as it was, or, if `isForced`, whatever it is: other
 * attributes stay as they are. It answers the whole item. null: nothing is changed. Requires: `isUpdate`. Errors: RangeError of
 * more attributes than one call takes.
 */
export function updateOf(table, keys, before, item, isForced) {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(item)])].filter((name) => !isSame(own(before, name), own(item, name)));
  if (changed.length === 0) return null;
  if (changed.length > CHANGES_MAX) {
    throw new RangeError(`${changed.length} attributes were changed, and one save takes at most ${CHANGES_MAX}: save some of them first.`);
  }
  const names = { "#key": keys[0].AttributeName }, values = {}, set = [], remove = [];
  // An update of an item that was deleted meanwhile would make one of a few attributes.
  const conditions = ["attribute_exists(#key)"];
  changed.forEach((name, i) => {
    const old = own(before, name), now = own(item, name);
    names[`#a${i}`] = name;
    if (now) values[`:n${i}`] = now;
    (now ? set : remove).push(now ? `#a${i} = :n${i}` : `#a${i}`);
    if (isForced) return;
    if (old) values[`:o${i}`] = old;
    conditions.push(old ? `#a${i} = :o${i}` : `attribute_not_exists(#a${i})`);
  });
  const actions = [["SET", set], ["REMOVE", remove]].filter(([, list]) => list.length > 0).map(([action, list]) => `${action} ${list.join(", ")}`);
  return { TableName: table.TableName, Key: keyOf(keys, before), UpdateExpression: actions.join(" "), ConditionExpression: conditions.join(" AND "),
           ExpressionAttributeNames: names, ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
           ReturnValues: "ALL_NEW", ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
}
