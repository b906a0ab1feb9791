import Database from 'better-sqlite3';

// A process that commits to a database all the time, and prints a line after each hundred commits.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the database');
const connection = new Database(file, { timeout: 5_000 });
// An event whose body changes with each commit.
connection.exec(
  `INSERT INTO events (id, event_type, order_id, body, created_at) VALUES ('evt_last', 'order.created', NULL, '{"count":0}', 1)`,
);
const change = connection.prepare(
  `UPDATE events SET body = json_set(body, '$.count', ?) WHERE id IN ('evt_last', 'evt_000000')`,
);
for (let count = 1; ; count += 1) {
  change.run(count);
  if (count % 100 === 0) console.log(count);
  // Output is written, and a signal handled, only between turns of the event loop.
  if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
