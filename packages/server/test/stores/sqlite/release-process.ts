import { noon } from '@tradepost/domain/test/builders';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';

// A process that releases the leases of dead workers, and prints how many.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the database');
const store = openSqliteStore(file);
console.log(await store.deliveries.releaseDeadLeases(noon + 1));
await store.close();
