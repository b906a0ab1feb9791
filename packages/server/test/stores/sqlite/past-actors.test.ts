import { onTestFinished, test } from 'vitest';
import { firstSchema } from '../../../src/stores/sqlite/migrations/001-first-schema';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { expectActors, pastOrder } from '../actors-of-the-past';
import { inspectFile } from './inspect-file';

test('events of a file of the first schema have no actor, and new ones have theirs', async () => {
  const file = tempFile();
  inspectFile(file, (connection) => {
    connection.exec(firstSchema);
    connection.exec(pastOrder.replace('ACCOUNT_EVENT_COLUMN', 'seq').replace("'0'", '0'));
    connection.exec('PRAGMA application_id = 0x54505354; PRAGMA user_version = 1');
  });
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  await expectActors(store);
});
