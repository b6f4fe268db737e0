// The records of a table's stream as they come.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./server.js";
import { brief, own } from "./values.js";
import { Problem } from "./parts.jsx";

const PERIOD = 1000;  // milliseconds between two looks
const KEPT = 500;

const changesOf = ({ Keys: keys, OldImage: before = {}, NewImage: after = {} }) => [...new Set([...Object.keys(before), ...Object.keys(after)])]
  .filter((name) => !Object.hasOwn(keys, name)).map((name) => [name, own(before, name), own(after, name)])
  .filter(([, was, is]) => JSON.stringify(was) !== JSON.stringify(is));

export function Stream({ table, onSettings }) {
  const [records, setRecords] = useState([]), [problem, setProblem] = useState(null), [isPaused, setPaused] = useState(false);
  const paused = useRef(false), arn = table.LatestStreamArn;
  paused.current = isPaused;
  useEffect(() => {
    if (!arn) return <p>{table.TableName} has no stream. <button type="button" onClick={onSettings}>Open settings</button></p>;
    let timer, isOver = false;
    const iterators = new Map(), known = new Set();
    async function look(isFirst) {
      try {
        if (!paused.current) {
          let from, found = [];
          do {
            const { StreamDescription: stream } = await call("DescribeStream", { StreamArn: arn, ...(from && { ExclusiveStartShardId: from }) });
            for (const { ShardId } of stream.Shards) {
              if (known.has(ShardId)) continue;
              known.add(ShardId);
              // What was there is seen, too: a stream keeps 24 hours.
              iterators.set(ShardId, (await call("GetShardIterator", { StreamArn: arn, ShardId, ShardIteratorType: "TRIM_HORIZON" })).ShardIterator);
            }
            from = stream.LastEvaluatedShardId;
          } while (from);
          for (const [shard, iterator] of iterators) {
            const answer = await call("GetRecords", { ShardIterator: iterator });
            answer.NextShardIterator ? iterators.set(shard, answer.NextShardIterator) : iterators.delete(shard);
            found = found.concat(answer.Records);
          }
          found.sort((a, b) => (BigInt(a.dynamodb.SequenceNumber) < BigInt(b.dynamodb.SequenceNumber) ? -1 : 1));
          if (found.length > 0 && !isOver) setRecords((before) => [...found.reverse(), ...before].slice(0, KEPT));
        }
        if (!isOver) setProblem(null);
      } catch (wrong) {
        if (!isOver) setProblem(wrong);
      }
      if (!isOver) timer = setTimeout(look, isFirst ? 200 : PERIOD);
    }
    setRecords([]);
    look(true);
    return () => { isOver = true; clearTimeout(timer); };
  }, [arn]);

  if (!arn) return <p>{table.TableName} has no stream. UpdateTable switches one on: <code>--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES</code></p>;
  return <section aria-label={`Stream of ${table.TableName}`}>
    <div class="bar"><button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>Pause</button>
      <span role="status" class="soft">{records.length} records{records.length === KEPT ? ", the last ones" : ""}, {table.StreamSpecification?.StreamViewType}</span></div>
    <Problem of={problem} />
    <ol class="records" aria-label="Records, the last one first">{records.map((record) => <li key={record.eventID} class={`event-${record.eventName}`}>
      <b>{record.eventName}</b> {Object.entries(record.dynamodb.Keys).map(([name, value]) => `${name} = ${brief(value)}`).join(", ")}{" "}
      <span class="soft">{new Date(record.dynamodb.ApproximateCreationDateTime * 1000).toISOString().replace(/\.000Z|Z/, "")}</span>
      {(record.dynamodb.OldImage || record.dynamodb.NewImage) && <dl>{changesOf(record.dynamodb).map(([name, before, after]) => <div key={name}><dt>{name}</dt>
        <dd>{before && <del>{brief(before)}</del>} {after && <ins>{brief(after)}</ins>}</dd></div>)}</dl>}
    </li>)}</ol>
  </section>;
}
