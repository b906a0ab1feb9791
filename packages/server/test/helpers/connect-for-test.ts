import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Opens a connection that is closed when the test ends. */
export async function connectForTest(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
