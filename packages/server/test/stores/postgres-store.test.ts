import { afterAll } from 'vitest';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import type { PostgresOptions } from '../../src/stores/postgres/database';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { describeStore, partsWithSecrets, type StorePlace } from './store-conformance';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

function newPlace(options: PostgresOptions) {
  return async (): Promise<StorePlace> => {
    const { url, remove } = await databases.take();
    return { open: () => openPostgresStore(url, options), remove };
  };
}

describeStore('the PostgreSQL store', newPlace({}));
describeStore(
  'the PostgreSQL store with a secret key',
  newPlace({ secretKeys: parseSecretKeys(generateSecretKey()) }),
  partsWithSecrets,
);
