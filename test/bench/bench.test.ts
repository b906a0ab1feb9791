import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkout } from '../helpers/programs';
import { type Exit, type RunningProcess, startProcess } from '../helpers/start-process';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';
import { benches } from './benches';
import type { Figure } from './figure';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
/** About sixty processes are started, one after the other. In milliseconds. */
const timeoutMs = 240_000;

const names = Object.keys(benches);

function runBench(args: string[], env: Record<string, string> = {}) {
  const node = ['--import', 'tsx', main, ...args];
  return startProcess(process.execPath, node, { cwd: checkout, env });
}

describe('the benchmarks with quick sizes', () => {
  let folder: TemporaryFolder;
  let bench: RunningProcess;
  let exit: Exit;
  let figures: Figure[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const json = join(folder.path, 'figures.json');
    bench = runBench(['--quick', '--json', json]);
    exit = await bench.exit;
    figures = JSON.parse(await readFile(json, 'utf8').catch(() => '[]')) as Figure[];
  }, timeoutMs);

  afterAll(async () => {
    await bench.stop();
    await folder.remove();
  });

  it('run without an error', () => {
    expect(exit.code, exit.stderr).toBe(0);
  });

  it.each(names)('include figures of %s, and print them', (name) => {
    const own = figures.filter(({ bench }) => bench === name);
    expect(own).not.toEqual([]);
    for (const { what, ours, baseline, ratio, goal, met } of own) {
      expect(exit.stdout).toContain(`${name}: ${what}`);
      // JSON has null for what is not finite.
      expect(ours).toEqual(expect.any(Number));
      expect(ratio).toEqual(baseline === null ? null : expect.any(Number));
      expect(met).toEqual(goal === null ? null : expect.any(Boolean));
    }
  });
});

describe('an unknown bench', () => {
  it('is rejected with the names of the known ones', async () => {
    const { code, stdout, stderr } = await runBench(['speed']).exit;
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('There is no bench "speed".');
    for (const name of names) expect(stderr).toContain(name);
  });
});

describe('a benchmark whose server does not start', () => {
  it('ends with the reason', async () => {
    const bench = runBench(['--quick', 'pruning'], { TRADEPOST_LOG_LEVEL: 'loud' });
    onTestFinished(async () => {
      await bench.stop();
    });
    const { code, stderr } = await bench.exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The server exited before it was ready:\n.*loud/s);
    expect(stderr).not.toMatch(/^ +at /m);
  }, 60_000);
});
