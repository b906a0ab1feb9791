import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import type { SqliteOptions } from '../../src/stores/sqlite/database';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { makeTempFolder } from '../helpers/temp-folder';
import { describeStore } from './store-conformance';

// The hundreds of files are copies of an empty database, so that each is not migrated. They do not wait for the
// disk: sqlite/group-commit.test.ts tests what is on disk when.
const template = makeTempFolder();
const empty = join(template.path, 'empty.db');
await openSqliteStore(empty).close();
afterAll(template.remove);

function describeSqliteStore(name: string, options: SqliteOptions): void {
  describeStore(name, () => {
    const folder = makeTempFolder();
    const file = join(folder.path, 'tradepost.db');
    copyFileSync(empty, file);
    const open = () => openSqliteStore(file, { synchronous: 'off', ...options });
    return { open, remove: folder.remove };
  });
}

describeSqliteStore('the SQLite store', {});
describeSqliteStore('the SQLite store with a secret key', {
  secretKeys: parseSecretKeys(generateSecretKey()),
});
