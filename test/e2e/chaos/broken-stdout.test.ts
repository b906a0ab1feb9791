import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findUnusedPort } from '../../helpers/loopback';
import { makePipe } from '../../helpers/make-pipe';
import { tradepostServerBin } from '../../helpers/programs';
import { seedDatabase } from '../../helpers/seed';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Starts the server with a stdout that is not read, and waits until it responds. */
async function startServer(stdout: number): Promise<RunningProcess> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  await seedDatabase(database);
  const port = await findUnusedPort();
  const args = ['start', '--database', database, '--port', String(port), '--metrics-port', '0'];
  const server = startProcess(process.execPath, [tradepostServerBin, ...args], { stdout });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
    await folder.remove();
  });
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 20_000, interval: 50 });
  return server;
}

it('the server keeps running when its stdout is closed, logs that, and stops normally', async () => {
  const { inherited } = await makePipe('closed');
  const server = await startServer(inherited);
  await server.writes(/EPIPE.*"msg":"writing to stdout failed"/, 'stderr');
  const { code, stderr } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('"msg":"the server stopped"');
}, 60_000);

it('the server stops even if its stdout is full and never read', async () => {
  const { writer, inherited } = await makePipe();
  const fill = () => {
    for (;;) writeSync(writer, 'x'.repeat(4_096));
  };
  expect(fill).toThrow('EAGAIN');
  const server = await startServer(inherited);
  const { code, stderr } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('"msg":"the server stopped"');
}, 60_000);
