// Which tables there are, and what the service says of those that are shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./server.js";
import { own } from "./values.js";
import { useWork } from "./parts.jsx";

const PERIOD = 5000;  // milliseconds between two looks at the tables
const SOON = 1000;  // where one is being made or changed
const AT_ONCE = 8;  // descriptions that are asked for at the same time

async function readNames() {
  const names = [];
  for (let from; ;) {
    const answer = await call("ListTables", from ? { ExclusiveStartTableName: from } : {});
    names.push(...answer.TableNames);
    from = answer.LastEvaluatedTableName;
    if (!from) return names;
  }
}

const isMoving = (table) => table && (table.TableStatus !== "ACTIVE" || (table.GlobalSecondaryIndexes ?? []).some((index) => index.IndexStatus !== "ACTIVE"));

/** `shown`: names of the tables whose descriptions are wanted. { names, tables, problem, look, forget }; a table that is gone is null. */
export function useTables(shown) {
  const [names, setNames] = useState(null), [tables, setTables] = useState({}), [run, problem] = useWork(), last = useRef({});
  last.current = { tables, shown };
  const describe = async (name) => {
    let table = null;
    try {
      table = (await call("DescribeTable", { TableName: name })).Table;
    } catch (wrong) {
      if (wrong.kind !== "ResourceNotFoundException") throw wrong;
    }
    setTables((before) => JSON.stringify(own(before, name)) === JSON.stringify(table) ? before : { ...before, [name]: table });
  };
  const look = () => run(async () => {
    const found = await readNames(), waiting = [...new Set(last.current.shown)];
    setNames((before) => JSON.stringify(before) === JSON.stringify(found) ? before : found);
    await Promise.all(Array.from({ length: AT_ONCE }, async () => { while (waiting.length > 0) await describe(waiting.shift()); }));
  });
  useEffect(() => {
    let timer, isOver = false;
    const go = async () => {
      if (!document.hidden) await look();
      if (!isOver) timer = setTimeout(go, last.current.shown.some((name) => isMoving(own(last.current.tables, name))) ? SOON : PERIOD);
    };
    go();
    return () => { isOver = true; clearTimeout(timer); };
  }, [shown.join("\n")]);
  return { names, tables, problem, look, forget: () => { setNames(null); setTables({}); } };
}
