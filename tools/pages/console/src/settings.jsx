// What can be changed of a table: capacity, stream, time to live, deletion protection. Each has a form of its own, as each is a call.
import { useEffect, useState } from "preact/hooks";
import { Choice } from "../../shared/choice.jsx";
import { call } from "./server.js";
import { STREAM_VIEWS, capacityRequest, streamRequest, ttlRequest } from "./design.js";
import { UnitFields } from "./schema_fields.jsx";
import { BILLING } from "./new_table.jsx";
import { Problem, Snippets, Text, useWork } from "./parts.jsx";

// `request`: what would be called now; null: there is nothing to change.
function Setting({ title, now, request, action, onChanged, children }) {
  const [run, problem, isBusy] = useWork();
  const change = (event) => { event.preventDefault(); run(async () => { await call(...request); onChanged(); }); };
  return <form class="setting" aria-label={title} onSubmit={change}><h3>{title} <span class="soft">{now}</span></h3>
    <div class="choices">{children}<button disabled={isBusy || request === null}>{action}</button>{request && <Snippets calls={[request]} />}</div><Problem of={problem} /></form>;
}

const throughputOf = ({ ProvisionedThroughput: units }) => ({ read: String(units?.ReadCapacityUnits || 5), write: String(units?.WriteCapacityUnits || 5) });

function Capacity({ table, onChanged }) {
  const own = table.BillingModeSummary?.BillingMode ?? "PROVISIONED", all = [["", table], ...(table.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName, index])];
  const [billing, setBilling] = useState(own), [units, setUnits] = useState(new Map());
  const unitsOf = (name, of) => units.get(name) ?? throughputOf(of), shown = new Map(all.map(([name, of]) => [name, unitsOf(name, of)]));
  const isSame = billing === own && (own === "PAY_PER_REQUEST" || units.size === 0);
  return <Setting title="Capacity" now={own === "PROVISIONED" ? `${table.ProvisionedThroughput?.ReadCapacityUnits} read and ${table.ProvisionedThroughput?.WriteCapacityUnits} write units provisioned` : "on demand"}
    request={isSame ? null : ["UpdateTable", capacityRequest(table, billing, shown)]} action="Change capacity" onChanged={() => { setUnits(new Map()); onChanged(); }}>
    <Choice label="Capacity mode" value={billing} options={BILLING} onChange={setBilling} />
    {billing === "PROVISIONED" && all.map(([name, of]) => <UnitFields key={name} of={name && `, ${name}`} value={unitsOf(name, of)} onChange={(value) => setUnits(new Map(units).set(name, value))} />)}</Setting>;
}

function Stream({ table, onChanged }) {
  const own = table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : "", [view, setView] = useState(own);
  useEffect(() => setView(own), [own]);
  return <Setting title="Stream" now={STREAM_VIEWS.get(own).toLowerCase()} request={view === own ? null : ["UpdateTable", streamRequest(table, view)]} action="Change stream" onChanged={onChanged}>
    <Choice label="Records contain" value={view} options={[...STREAM_VIEWS]} onChange={setView} /></Setting>;
}

function TimeToLive({ table, onChanged }) {
  const [own, setOwn] = useState(null), [name, setName] = useState(""), [run, problem] = useWork();
  const look = () => run(async () => setOwn((await call("DescribeTimeToLive", { TableName: table.TableName })).TimeToLiveDescription));
  useEffect(() => { look(); }, [table.TableName]);
  const isOn = own?.TimeToLiveStatus === "ENABLED" || own?.TimeToLiveStatus === "ENABLING", attribute = isOn ? own.AttributeName : name;
  return <><Setting title="Time to live" now={isOn ? `by the attribute ${attribute}` : "off"} request={own && attribute ? ["UpdateTimeToLive", ttlRequest(table.TableName, attribute, !isOn)] : null}
    action={isOn ? "Switch off" : "Switch on"} onChanged={() => { look(); onChanged(); }}>
    {isOn ? <span>Items are deleted after the time in <code>{attribute}</code>.</span> : <Text label="Attribute with the time, in seconds since 1970" value={name} onChange={setName} />}</Setting><Problem of={problem} /></>;
}

const Protection = ({ table, onChanged }) => <Setting title="Deletion protection" now={table.DeletionProtectionEnabled ? "on" : "off"}
  request={["UpdateTable", { TableName: table.TableName, DeletionProtectionEnabled: !table.DeletionProtectionEnabled }]} action={table.DeletionProtectionEnabled ? "Allow deletion" : "Protect from deletion"} onChanged={onChanged} />;

export const Settings = (props) => <section aria-label="Settings"><h2>Settings</h2>
  <Capacity {...props} /><Stream {...props} /><TimeToLive {...props} /><Protection {...props} /></section>;
