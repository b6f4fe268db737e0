// Songs in a table of this page's own database, which IndexedDB keeps.
import {CreateTableCommand, DynamoDBClient} from '@aws-sdk/client-dynamodb';
import {DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand, paginateScan} from '@aws-sdk/lib-dynamodb';
import {openDatabase} from 'dynolith/browser';

const TABLE = 'songs';
const element = (id) => document.getElementById(id);

/** A transaction of one request on the place in IndexedDB where the database is kept. */
async function kept(mode, ask) {
  const opening = indexedDB.open('songs', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('databases');
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const storage = await done(opening);
  try {
    return await done(ask(storage.transaction('databases', mode).objectStore('databases')));
  } finally {
    storage.close();
  }
}

async function openSongs() {
  const saved = await kept('readonly', (databases) => databases.get(TABLE));
  const database = await openDatabase(fetch('dynolith.wasm'), {saved});
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(database.clientConfig()));
  if (!saved) {
    await client.send(new CreateTableCommand({
      TableName: TABLE,
      AttributeDefinitions: [{AttributeName: 'artist', AttributeType: 'S'}, {AttributeName: 'song', AttributeType: 'S'}],
      KeySchema: [{AttributeName: 'artist', KeyType: 'HASH'}, {AttributeName: 'song', KeyType: 'RANGE'}],
      BillingMode: 'PAY_PER_REQUEST',
    }));
  }
  return {database, client};
}

function button(text, act) {
  return Object.assign(document.createElement('button'), {type: 'button', textContent: text, onclick: act});
}

function rowOf(song, change) {
  const row = document.createElement('tr');
  for (const text of [song.artist, song.song, String(song.plays)]) row.insertCell().textContent = text;
  const key = {artist: song.artist, song: song.song};
  row.insertCell().append(
    button('Play', () => change(new UpdateCommand({TableName: TABLE, Key: key, UpdateExpression: 'ADD plays :one',
      ExpressionAttributeValues: {':one': 1}}))), ' ',
    button('Delete', () => change(new DeleteCommand({TableName: TABLE, Key: key}))));
  return row;
}

async function main() {
  const {database, client} = await openSongs();

  async function show() {
    const songs = [];
    for await (const page of paginateScan({client}, {TableName: TABLE})) songs.push(...page.Items);
    element('songs').replaceChildren(...songs.map((song) => rowOf(song, change)));
  }

  // One after the other, so that the last to be kept is the newest.
  let last = Promise.resolve();
  function change(command) {
    last = last.then(async () => {
      await client.send(command);
      const saved = await database.save();
      await kept('readwrite', (databases) => databases.put(saved, TABLE));
      await show();
      element('state').textContent = `Kept in this browser: ${Math.ceil(saved.length / 1024)} KB.`;
    }).catch(failed);
    return last;
  }

  element('add').onsubmit = (event) => {
    event.preventDefault();
    const form = event.target;
    const {artist, song} = Object.fromEntries(new FormData(form));
    form.reset();
    return change(new PutCommand({TableName: TABLE, Item: {artist, song, plays: 0}}));
  };
  await show();
  element('state').textContent = 'The database is open.';
}

function failed(problem) {
  element('state').textContent = `${problem.name}: ${problem.message}`;
}

// Also where what is kept cannot be opened, as another version of the module has saved it.
element('forget').onclick = () => kept('readwrite', (databases) => databases.delete(TABLE)).then(() => location.reload(), failed);
main().catch(failed);
