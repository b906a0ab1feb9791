import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort, startPostgresServer } from './embedded-postgres';
import { makeTempFolder } from './temp-folder';

/** Creates a folder for the data of a server. It is removed with the running test. */
function dataFolder(): string {
  const { path, remove } = makeTempFolder();
  onTestFinished(remove);
  return path;
}

/** Returns a port that another program uses until the running test has finished. */
async function takePort(): Promise<number> {
  const port = await findFreePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void other.close(() => resolve())));
  return port;
}

describe('a PostgreSQL server for tests', () => {
  test('gets another port if its own was taken in the meantime', async () => {
    const ports = [await takePort(), await findFreePort()];
    const server = await startPostgresServer({
      folder: dataFolder(),
      isDurable: false,
      findPort: async () => ports.shift() ?? 0,
    });
    onTestFinished(() => server.stop());
    expect(ports).toEqual([]);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.end();
  });

  test('reports its log if it cannot create its data directory', async () => {
    const folder = dataFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'letter.txt'), '');
    await expect(startPostgresServer({ folder })).rejects.toThrow(
      /^PostgreSQL could not be initialised:.*exists but is not empty/s,
    );
  });

  test('reports its log if it cannot start again, and can be stopped then', async () => {
    const folder = dataFolder();
    const server = await startPostgresServer({ folder, isDurable: false });
    await server.stop();
    appendFileSync(join(folder, 'data', 'postgresql.conf'), '\nshared_buffers = many\n');
    await expect(server.start()).rejects.toThrow(
      /^PostgreSQL did not start:\n.*invalid value for parameter "shared_buffers"/s,
    );
    await server.stop();
    await server.stop('immediate');
  });
});
