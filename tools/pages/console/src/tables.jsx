// A table with its indexes, their keys drawn, what the service says of it, and its settings.
import { useState } from "preact/hooks";
import { call } from "./server.js";
import { indexRequest, newIndex } from "./design.js";
import { indexesOf, keysOf, sizeOf } from "./schema.js";
import { IndexFields } from "./schema_fields.jsx";
import { Shards, WaitingTags, useShards } from "./shards.jsx";
import { Settings } from "./settings.jsx";
import { Confirm, Dialog, Problem, Snippets, useWork } from "./parts.jsx";

const Keys = ({ of }) => <span class="keys">{of.map((key) => <span key={key.AttributeName} class={`key-${key.KeyType}`}>
  <span class="soft">{key.KeyType === "HASH" ? "partition" : "sort"}</span> {key.AttributeName} <abbr title={{ S: "String", N: "Number", B: "Binary" }[key.type]}>{key.type}</abbr></span>)}</span>;

const projectionOf = ({ Projection: projection }) => ({ ALL: "all attributes", KEYS_ONLY: "keys", INCLUDE: `keys, ${projection?.NonKeyAttributes?.join(", ")}` }[projection?.ProjectionType]);

function NewIndex({ table, onClose, onChanged }) {
  const [index, setIndex] = useState(newIndex()), [run, problem, isBusy] = useWork(), request = indexRequest(table, index);
  const add = (event) => { event.preventDefault(); run(async () => { await call("UpdateTable", request); onChanged(); onClose(); }); };
  return <Dialog class="editor" label="Add index" onClose={onClose}><form onSubmit={add}><h2>Add index <span class="soft">to {table.TableName}</span></h2>
    <IndexFields value={index} kinds={["global"]} isProvisioned={table.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST"} onChange={setIndex} />
    <Problem of={problem} />
    <div class="bar end"><Snippets calls={[["UpdateTable", request]]} /><button type="button" onClick={onClose}>Cancel</button><button class="main" disabled={isBusy}>Add index</button></div></form></Dialog>;
}

function Index({ table, index, shards, onRead, onDelete }) {
  const status = index.IndexStatus && index.IndexStatus !== "ACTIVE" ? `, ${index.IndexStatus}${index.Backfilling ? ", being filled" : ""}` : "";
  return <tr><th scope="row">{index.IndexName} <span class="soft">{index.kind}{status}</span></th>
    <td><Keys of={keysOf(table, index.IndexName)} /></td><td data-head="Contains">{projectionOf(index)}</td><td class="number" data-head="Items">{index.ItemCount?.toLocaleString("en")}</td><td data-head="Shards"><Shards of={shards} /></td>
    <td><span class="joined"><button type="button" aria-label={`Items of ${index.IndexName}`} onClick={() => onRead(index.IndexName)}>Items</button>
      {index.kind === "global" && <button type="button" aria-label={`Delete index ${index.IndexName}`} onClick={() => onDelete(index.IndexName)}>Delete…</button>}</span></td></tr>;
}

/** `onChanged`: the table is not as it was. */
export function Table({ table, onRead, onChanged }) {
  const [isAdding, setAdding] = useState(false), [deleting, setDeleting] = useState(null), [run, problem] = useWork(), shards = useShards(table.TableName);
  const own = [["Status", table.TableStatus], ["Items", table.ItemCount?.toLocaleString("en")], ["Size", sizeOf(table.TableSizeBytes)], ["Created", table.CreationDateTime && new Date(table.CreationDateTime * 1000).toISOString().slice(0, 19).replace("T", " ")], ["ARN", table.TableArn]];
  const remove = () => run(async () => {
    const request = deleting.index === undefined ? ["DeleteTable", {}] : ["UpdateTable", { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: deleting.index } }] }];
    setDeleting(null);
    await call(request[0], { TableName: table.TableName, ...request[1] });
    onChanged();
  });
  return <section aria-label={`Table ${table.TableName}`} class="table">
    <dl>{own.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    <h2>Keys and indexes</h2>
    <div class="scroll" role="region" aria-label="Keys and indexes" tabIndex={0}><table class="list indexes"><thead><tr><th scope="col">Table or index</th><th scope="col">Keys</th><th scope="col">Contains</th><th scope="col" class="number">Items</th><th scope="col">Shards</th><td /></tr></thead><tbody>
      <tr><th scope="row">{table.TableName} <span class="soft">table</span></th><td><Keys of={keysOf(table)} /></td><td data-head="Contains">all attributes</td><td class="number" data-head="Items">{table.ItemCount?.toLocaleString("en")}</td><td data-head="Shards">–</td>
        <td><button type="button" aria-label={`Items of ${table.TableName}`} onClick={() => onRead("")}>Items</button></td></tr>
      {indexesOf(table).map((index) => <Index key={index.IndexName} table={table} index={index} shards={shards?.indexes.find((each) => each.index === index.IndexName)} onRead={onRead} onDelete={(name) => setDeleting({ index: name })} />)}
    </tbody></table></div>
    <WaitingTags of={shards} />
    <div class="bar"><button type="button" onClick={() => setAdding(true)}>Add index</button></div>
    <Settings table={table} onChanged={onChanged} />
    <h2>Delete</h2>
    <div class="bar"><button type="button" class="bad" onClick={() => setDeleting({})}>Delete table…</button></div>
    <Problem of={problem} />
    {isAdding && <NewIndex table={table} onClose={() => setAdding(false)} onChanged={onChanged} />}
    {deleting && <Confirm text={deleting.index === undefined ? `Delete the table ${table.TableName} with all its items? This cannot be undone.` : `Delete the index ${deleting.index}? Items stay.`} action={deleting.index === undefined ? "Delete table" : "Delete index"}
      onYes={remove} onNo={() => setDeleting(null)} />}
  </section>;
}
