// The fields that say what is read: Scan, Query or PartiQL, of a table or an index, with filters.
import { Choice } from "../../shared/choice.jsx";
import { SORT_CONDITIONS, indexesOf, keysOf, newSort, queryOf } from "./schema.js";
import { CONDITIONS, VALUE_TYPES, filterOf } from "./filter.js";
import { TYPES, own } from "./values.js";

/** The call, its request and the member that leads to its next page. */
export function readOf(table, form) {
  if (form.operation === "PartiQL") return ["ExecuteStatement", { Statement: form.statement }, "NextToken"];
  const request = form.operation === "Query" ? queryOf(table, form.index, form.equals, form.sorts, form.isForward) :
    { TableName: table.TableName, ...(form.index && { IndexName: form.index }) };
  const filter = filterOf(form.filters, form.isAnyFilter);
  if (filter.text === "") return [form.operation, request, "ExclusiveStartKey"];
  const values = { ...request.ExpressionAttributeValues, ...filter.values };
  return [form.operation, { ...request, FilterExpression: filter.text, ExpressionAttributeNames: { ...request.ExpressionAttributeNames, ...filter.names },
                            ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }) }, "ExclusiveStartKey"];
}

function SortKey({ name, type, sort, onChange }) {
  const conditions = SORT_CONDITIONS.filter((each) => each !== "begins_with" || type !== "N");
  return <div class="field" role="group" aria-label={`Sort key ${name}`}><span>{name} <span class="soft">sort key</span></span><span class="joined">
    <Choice label={`Condition of ${name}`} isHidden value={sort.condition} options={conditions.map((each) => [each, each.replace("_", " ")])} onChange={(condition) => onChange({ ...sort, condition })} />
    <input aria-label={name} value={sort.first} spellcheck={false} placeholder="any" onInput={(event) => onChange({ ...sort, first: event.target.value })} />
    {sort.condition === "between" && <input aria-label={`${name}, upper end`} value={sort.second} spellcheck={false} placeholder="and" onInput={(event) => onChange({ ...sort, second: event.target.value })} />}</span></div>;
}

function KeyFields({ table, form, change }) {
  return <>{keysOf(table, form.index).map(({ AttributeName: name, KeyType: kind, type }) => kind === "HASH" ?
    <label key={name}><span>{name} <span class="soft">partition key</span></span><input aria-label={name} value={own(form.equals, name) ?? ""} spellcheck={false}
      onInput={(event) => change({ equals: { ...form.equals, [name]: event.target.value } })} /></label> :
    <SortKey key={name} name={name} type={type} sort={own(form.sorts, name) ?? newSort()} onChange={(sort) => change({ sorts: { ...form.sorts, [name]: sort } })} />)}
  <label class="check"><input type="checkbox" checked={!form.isForward} onChange={(event) => change({ isForward: !event.target.checked })} /> Descending</label></>;
}

function Filter({ filter, number, columns, onChange, onRemove }) {
  const set = (name) => (value) => onChange({ ...filter, [name]: value }), count = CONDITIONS.get(filter.condition);
  const types = filter.condition === "is of type" ? Object.entries(TYPES) : VALUE_TYPES.map((type) => [type, TYPES[type]]);
  const value = (name, label) => filter.type === "BOOL" ?
    <Choice label={label} isHidden value={filter[name] === "true" ? "true" : "false"} options={[["true", "true"], ["false", "false"]]} onChange={set(name)} /> :
    <input aria-label={label} value={filter[name]} spellcheck={false} placeholder={filter.condition === "is one of" ? "value, value, …" : "value"} onInput={(event) => set(name)(event.target.value)} />;
  const hasValue = count > 0 && filter.type !== "NULL";
  return <li><div role="group" aria-label={`Filter ${number}`}>
    <input aria-label="Attribute" list="filter-attributes" placeholder="attribute or path" title='A path such as address.city or lines[0].sku; a name with dots stands in "quotation marks".' value={filter.name} spellcheck={false} onInput={(event) => set("name")(event.target.value)} />
    <Choice label="Condition" isHidden value={filter.condition} options={[...CONDITIONS.keys()].map((each) => [each, each])} onChange={set("condition")} />
    {(count > 0 || filter.condition === "is of type") && <Choice label="Type of the value" isHidden value={filter.type} options={types} onChange={set("type")} />}
    {hasValue && value("first", "Value")}{hasValue && count > 1 && <>and {value("second", "Upper end")}</>}
    <button type="button" class="plain" aria-label={`Remove filter ${number}`} onClick={onRemove}>×</button>
    {number === 1 && <datalist id="filter-attributes">{columns.map((name) => <option key={name} value={name} />)}</datalist>}</div></li>;
}

const AddFilter = ({ form, change }) => <button type="button" onClick={() => change({ filters: [...form.filters, { name: "", condition: "=", type: "S", first: "", second: "" }] })}>Add filter</button>;

function Filters({ form, columns, change }) {
  const { filters } = form, replace = (i, ...made) => change({ filters: [...filters.slice(0, i), ...made, ...filters.slice(i + 1)] });
  return <div class="filters">
    <ul aria-label="Filters">{filters.map((filter, i) => <Filter key={i} filter={filter} number={i + 1} columns={columns} onChange={(made) => replace(i, made)} onRemove={() => replace(i)} />)}</ul>
    <AddFilter form={form} change={change} />
    {filters.length > 1 && <Choice label="Items match" isHidden value={form.isAnyFilter ? "any" : "all"} options={[["all", "all filters"], ["any", "any filter"]]} onChange={(value) => change({ isAnyFilter: value === "any" })} />}
  </div>;
}

/** `children`: what stands beside the button that reads. */
export function Reading({ table, form, columns, change, onRun, children }) {
  const indexes = [["", `${table.TableName} (table)`], ...indexesOf(table).map((each) => [each.IndexName, each.IndexName])];
  return <form class="reading" onSubmit={onRun}><div class="choices">
    <Choice label="Operation" value={form.operation} options={["Scan", "Query", "PartiQL"].map((each) => [each, each])} onChange={(operation) => change({ operation })} />
    {form.operation !== "PartiQL" && <Choice label="Table or index" value={form.index} options={indexes} onChange={(index) => change({ index, equals: {}, sorts: {} })} />}
    {form.operation === "Query" && <KeyFields table={table} form={form} change={change} />}
    {form.operation === "PartiQL" && <label class="wide">Statement<textarea rows={2} spellcheck={false} value={form.statement} onInput={(event) => change({ statement: event.target.value })}
      onKeyDown={(event) => event.key === "Enter" && event.ctrlKey && onRun(event)} /></label>}
    {form.operation !== "PartiQL" && form.filters.length === 0 && <AddFilter form={form} change={change} />}
    <button class="main">Run</button>{children}</div>
    {form.operation !== "PartiQL" && form.filters.length > 0 && <Filters form={form} columns={columns} change={change} />}
  </form>;
}
