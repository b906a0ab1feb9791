import { inspectFile } from './inspect-file';

const bodyBytes = 4_000;

/** Makes a database larger by this many megabytes of events that nothing refers to, all with one body. */
export function fillDatabase(file: string, megabytes: number): void {
  const body = JSON.stringify({ count: 0, text: 'x'.repeat(bodyBytes) });
  inspectFile(file, (connection) => {
    const insert = connection.prepare(
      'INSERT INTO events (id, event_type, order_id, body, created_at) VALUES (?, ?, NULL, ?, 1)',
    );
    connection.transaction(() => {
      for (let count = 0; count < (megabytes * 1_000_000) / bodyBytes; count += 1) {
        insert.run(`evt_${String(count).padStart(6, '0')}`, 'order.created', body);
      }
    })();
  });
}
