/**
 * Installs what the workspace needs and builds it, with nothing but Node and npm on the machine. Says what
 * it does in a line each, and shows the tools' own output only when one of them fails.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const root = new URL('../', import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** Runs pnpm as package.json pins it, and keeps what it says to itself unless it fails. */
function pnpm(what, ...args) {
  process.stderr.write(`${what} … `);
  const started = performance.now();
  const child = spawn(['npx', '--yes', '--prefer-offline', packageManager, ...args].join(' '), {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
    // npx is a script on Windows, which only a shell runs. All words are ours: nothing to quote.
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  child.stdout.on('data', (chunk) => said.push(chunk));
  child.stderr.on('data', (chunk) => said.push(chunk));
  return new Promise((done) => {
    child.on('close', (code) => {
      const seconds = Math.round((performance.now() - started) / 1000);
      process.stderr.write(`${code === 0 ? 'done' : 'failed'} after ${seconds} s\n`);
      if (code !== 0) {
        process.stderr.write(Buffer.concat(said));
        process.exit(1);
      }
      done();
    });
  });
}

await pnpm(
  'Installing (one to four minutes the first time, while SQLite is compiled)',
  'install',
  '--frozen-lockfile',
  '--reporter=append-only',
  '--prefer-offline',
  // No one can be asked whether modules of another pnpm may be replaced.
  '--config.confirmModulesPurge=false',
);
await pnpm('Building (half a minute the first time)', 'run', 'build');
