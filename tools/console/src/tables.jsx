// A table with its indexes, their keys drawn, and what the service says of it.
import { indexesOf, keysOf } from "./schema.js";

function Keys({ of }) {
  return <span class="keys">{of.map((key) => <span key={key.AttributeName} class={`key-${key.KeyType}`}>
    <span class="soft">{key.KeyType === "HASH" ? "partition" : "sort"}</span> {key.AttributeName} <abbr title={{ S: "String", N: "Number", B: "Binary" }[key.type]}>{key.type}</abbr></span>)}</span>;
}

export function Table({ table, onRead }) {
  const own = [["Status", table.TableStatus], ["Capacity", table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST" ? "on demand" :
    `${table.ProvisionedThroughput?.ReadCapacityUnits} read, ${table.ProvisionedThroughput?.WriteCapacityUnits} write units`],
  ["Items", table.ItemCount?.toLocaleString("en")], ["Bytes", table.TableSizeBytes?.toLocaleString("en")], ["Stream", table.StreamSpecification?.StreamViewType ?? "none"], ["ARN", table.TableArn]];
  return <section aria-label={`Table ${table.TableName}`} class="table">
    <dl>{own.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    <table class="indexes"><caption>Keys</caption><thead><tr><th scope="col">Of</th><th scope="col">Keys</th><th scope="col">Holds</th><th scope="col" /></tr></thead><tbody>
      <tr><th scope="row">{table.TableName}</th><td><Keys of={keysOf(table)} /></td><td>everything</td><td><button type="button" onClick={() => onRead("")}>Items</button></td></tr>
      {indexesOf(table).map((index) => <tr key={index.IndexName}><th scope="row">{index.IndexName} <span class="soft">{index.kind}{index.IndexStatus && index.IndexStatus !== "ACTIVE" ? `, ${index.IndexStatus}` : ""}</span></th>
        <td><Keys of={keysOf(table, index.IndexName)} /></td><td>{{ ALL: "everything", KEYS_ONLY: "keys", INCLUDE: `keys, ${index.Projection?.NonKeyAttributes?.join(", ")}` }[index.Projection?.ProjectionType]}</td>
        <td><button type="button" onClick={() => onRead(index.IndexName)}>Items</button></td></tr>)}
    </tbody></table>
  </section>;
}
