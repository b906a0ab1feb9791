import { afterAll } from 'vitest';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import type { PostgresOptions } from '../../src/stores/postgres/database';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { createRoles } from '../helpers/postgres-roles';
import { describeStore, partsWithSecrets, type StorePlace } from './store-conformance';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

/** The URLs of the role of the server, by those of the databases. */
const servers = new Map<string, string>();

function newPlace(options: PostgresOptions) {
  return async (): Promise<StorePlace> => {
    const { url, remove } = await databases.take();
    // A server needs no more rights than these.
    const server = servers.get(url) ?? (await createRoles(url)).server;
    servers.set(url, server);
    return { open: () => openPostgresStore(server, options), remove };
  };
}

describeStore('the PostgreSQL store', newPlace({}));
describeStore(
  'the PostgreSQL store with a secret key',
  newPlace({ secretKeys: parseSecretKeys(generateSecretKey()) }),
  partsWithSecrets,
);
