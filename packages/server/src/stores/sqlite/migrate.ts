import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';
import { initial } from './migrations/001-initial';
import { endpointQueues } from './migrations/002-endpoint-queues';
import { secretsAndWaits } from './migrations/003-secrets-and-waits';

/** In order; `user_version` counts how many of them a database has had. Never change one that was released. */
const migrations = [initial, endpointQueues, secretsAndWaits];

function versionOf(connection: Database.Database): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

/** Marks a file as ours: "TPST" in ASCII. Source: SQLite, "PRAGMA application_id". */
const applicationId = 0x54505354;

function isOurs(connection: Database.Database): boolean {
  return connection.pragma('application_id', { simple: true }) === applicationId;
}

function isEmpty(connection: Database.Database): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** Refuses a database of somebody else's before anything is written into it. */
function requireOurs(connection: Database.Database): void {
  // In this order: between the two looks another server may have made it, which fills it and marks it
  // in one step.
  if (isEmpty(connection) || isOurs(connection)) return;
  throw new StoreUnavailableError(
    `${connection.name} is the database of another program and was left alone. Name another --database.`,
  );
}

/**
 * Brings a database to the newest schema, each migration in a transaction of its own.
 *
 * @throws StoreUnavailableError for a database that is not ours, or that a newer server has migrated.
 */
export function migrate(connection: Database.Database): void {
  const step = connection.transaction(() => {
    requireOurs(connection);
    const version = versionOf(connection);
    const migration = migrations[version];
    if (migration === undefined) return;
    connection.exec(migration);
    connection.pragma(`application_id = ${applicationId}`);
    connection.pragma(`user_version = ${version + 1}`);
  });
  requireOurs(connection);
  // Two servers may start on one file at once: each step reads the version once it holds the lock.
  while (versionOf(connection) < migrations.length) step.immediate();
  if (versionOf(connection) > migrations.length) {
    throw new StoreUnavailableError(
      `The database has schema ${versionOf(connection)}, this server knows ${migrations.length}. Start a newer server, or name another --database.`,
    );
  }
}
