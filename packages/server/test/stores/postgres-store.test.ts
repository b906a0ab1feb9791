import { afterAll } from 'vitest';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import type { PostgresOptions } from '../../src/stores/postgres/database';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { describeStore } from './store-conformance';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

function describePostgresStore(name: string, options: PostgresOptions): void {
  describeStore(name, async () => {
    const { url, remove } = await databases.take();
    return { open: () => openPostgresStore(url, options), remove };
  });
}

describePostgresStore('the PostgreSQL store', {});
describePostgresStore('the PostgreSQL store with a secret key', {
  secretKeys: parseSecretKeys(generateSecretKey()),
});
