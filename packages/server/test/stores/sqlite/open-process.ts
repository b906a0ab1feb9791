import { once } from 'node:events';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { addCaller } from '../../helpers/trade';

// A process that waits for a start time, then opens new databases one after another and writes to each.
const [mode, ...files] = process.argv.slice(2);
const mayMigrate = mode === 'which may migrate';
console.log('ready');
await once(process.stdin, 'data');
for (const file of files) {
  const store = openSqliteStore(file, { mayMigrate });
  await addCaller(store, 'buyer');
  await store.close();
}
console.log('done');
process.exit();
