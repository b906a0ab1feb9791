/**
 * Installs the dependencies and builds the workspace, or what one of its packages needs: `ready.mjs examples`. Requires only
 * Node and npm. Prints one line per step, and the output of a tool only if it fails. With `TRADEPOST_READY=1` it does nothing:
 * `.ci/run` has done it before it runs several scripts.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const root = new URL('../', import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** Runs the pnpm version that package.json pins. Its output is shown only if it fails. */
function pnpm(what, ...args) {
  process.stderr.write(`${what} … `);
  const started = performance.now();
  const child = spawn(['npx', '--yes', '--prefer-offline', packageManager, ...args].join(' '), {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
    // On Windows npx is a script, which needs a shell. No argument needs quoting.
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  return new Promise((done) => {
    child.on('close', (code) => {
      const seconds = Math.round((performance.now() - started) / 1000);
      process.stderr.write(`${code === 0 ? 'done' : 'failed'} after ${seconds} s\n`);
      if (code !== 0) {
        process.stderr.write(Buffer.concat(output));
        process.exit(1);
      }
      done();
    });
  });
}

if (process.env.TRADEPOST_READY === '1') process.exit();

const [, , name] = process.argv;
const filter = name === undefined ? [] : [`--filter=@tradepost/${name}...`];

await pnpm(
  'Installing (one to four minutes the first time, while SQLite is compiled)',
  'install',
  '--frozen-lockfile',
  '--reporter=append-only',
  '--prefer-offline',
  // There is no prompt, so modules of another pnpm version are replaced without confirmation.
  '--config.confirmModulesPurge=false',
  ...filter,
);
await pnpm('Building (half a minute the first time)', 'run', 'build', ...filter);
