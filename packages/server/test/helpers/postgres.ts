import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startPostgresServer } from './embedded-postgres';
import { makeTempFolder } from './temp-folder';

/** A database that a test has for itself. */
export interface TestDatabase {
  /** Its URL. */
  url: string;
  /** Removes it, even if it is in use. */
  remove(): Promise<void>;
}

/** A running PostgreSQL server. */
export interface TestPostgres {
  /**
   * Creates a database.
   *
   * @param template The name of the database to copy; none for an empty one.
   */
  createDatabase(template?: string): Promise<TestDatabase>;
  /** Stops the server, if it was started here. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server without durability, for tests that do not stop it. */
async function startEmbedded(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = makeTempFolder();
  const server = await startPostgresServer({ folder: folder.path, isDurable: false });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}

/** Starts a PostgreSQL server, or uses the one at `TRADEPOST_TEST_POSTGRES`, whose user must be a superuser. */
export async function startPostgres(): Promise<TestPostgres> {
  const { TRADEPOST_TEST_POSTGRES: existing } = process.env;
  const { url, stop } =
    existing === undefined ? await startEmbedded() : { url: existing, stop: async () => {} };
  const admin = new pg.Pool({ connectionString: url, max: 2 });
  admin.on('error', () => {});
  return {
    async createDatabase(template = 'template0') {
      const name = `tradepost_test_${randomUUID().replaceAll('-', '')}`;
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return {
        url: address.href,
        async remove() {
          await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        },
      };
    },
    async stop() {
      await admin.end();
      await stop();
    },
  };
}

/** Databases that are emptied and used again, which takes a small part of the time of a new one. Their tables stay. */
export class ReusedDatabases {
  readonly #postgres: TestPostgres;
  readonly #free: TestDatabase[] = [];

  constructor(postgres: TestPostgres) {
    this.#postgres = postgres;
  }

  /** Returns a database without rows, perhaps without tables. */
  async take(): Promise<TestDatabase> {
    const database = this.#free.pop() ?? (await this.#postgres.createDatabase());
    return {
      url: database.url,
      remove: async () => {
        await removeRows(database.url);
        this.#free.push(database);
      },
    };
  }
}

/** Removes the rows of all tables, except the schema version: the tables that were created last first, which may refer to others. */
async function removeRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'tradepost_schema'
     ORDER BY oid DESC`,
  );
  await client.query(rows.map(({ name }) => `DELETE FROM ${name}`).join('; '));
  await client.end();
}
