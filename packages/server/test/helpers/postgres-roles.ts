import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrateDatabase } from '../../src/stores/postgres/migrate';

/** The statements that create the roles of a deployment. */
export const roles = readFileSync(
  new URL('../../deploy/postgres/roles.sql', import.meta.url),
  'utf8',
);

/** Runs statements on a connection of their own. Returns the rows of the last one. */
export async function runStatements(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** Returns a URL with another role, whose password is its name. */
function withRole(url: string, role: 'tradepost_owner' | 'tradepost_server'): string {
  const address = new URL(url);
  address.username = role;
  address.password = role;
  return address.href;
}

/** Creates the roles and, as the owner, the tables in a database. Returns the URLs of both roles. */
export async function createRoles(url: string): Promise<{ owner: string; server: string }> {
  await runStatements(
    url,
    `${roles};
     ALTER ROLE tradepost_owner PASSWORD 'tradepost_owner';
     ALTER ROLE tradepost_server PASSWORD 'tradepost_server'`,
  );
  const owner = withRole(url, 'tradepost_owner');
  await migrateDatabase(owner, { dryRun: false });
  return { owner, server: withRole(url, 'tradepost_server') };
}
