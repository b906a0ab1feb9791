import { exec } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';
import { checkout } from '../../helpers/programs';
import { type Exit, runProcess, startProcess } from '../../helpers/start-process';
import { type TemporaryFolder, temporaryFolder } from '../../helpers/temporary-folder';
import { runPnpm } from '../../packed/run-pnpm';
import { findNodeMajors } from '../node-majors';

/** Another version of Node than the one that runs the tests, with the headers of its own in its package. */
const newest = findNodeMajors().findLast(({ program }) => program !== process.execPath);

/** Compiles SQLite in a third of the time. */
const fastCompiler = { CFLAGS: '-O0', CXXFLAGS: '-O0' };

let tarball: string;

beforeAll(async () => {
  const packed = await temporaryFolder();
  tarball = join(packed.path, 'server.tgz');
  await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/server'));
  return packed.remove;
});

/** Runs a line of a shell with a version of Node. SQLite is compiled with its headers. */
async function runLine(line: string, cwd: string, node: string): Promise<void> {
  const root = dirname(dirname(node));
  await promisify(exec)(line, {
    cwd,
    env: cleanEnvironment({
      PATH: [dirname(node), process.env.PATH].join(delimiter),
      // Without it node-gyp downloads them. The one that runs the tests has its own place for them.
      ...(node === process.execPath ? {} : { npm_config_nodedir: root }),
      ...fastCompiler,
    }),
  });
}

/** Returns a function that runs the installed `tradepost-server` on a temporary database. */
function createRunner(folder: string) {
  return (node: string, ...args: string[]): Promise<Exit> =>
    runProcess(node, ['node_modules/@tradepost/server/bin/tradepost-server.js', ...args], {
      cwd: folder,
      env: { TRADEPOST_DATABASE: join(folder, 'trade.db') },
    });
}

/** Returns the command that an error message suggests for a package manager. */
function readCommand(message: string, manager: string): string {
  const [, command] = new RegExp(`^  (${manager} .*?)  +with ${manager}`, 'm').exec(message) ?? [];
  if (command === undefined) throw new Error(`no command of ${manager} in: ${message}`);
  return command;
}

/**
 * Lets better-sqlite3 install the library that this checkout has compiled, as it does with those that its makers publish: the
 * test of npm compiles. If its installer wants a library by another name, it compiles too.
 *
 * @returns the variables of its installer
 */
async function offerCompiled(project: string): Promise<Record<string, string>> {
  const server = createRequire(join(checkout, 'packages/server/package.json'));
  const manifest = server.resolve('better-sqlite3/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const { platform, arch, versions } = process;
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`;
  const library = 'build/Release/better_sqlite3.node';
  const packed = await runProcess('tar', ['-czf', join(project, name), library], {
    cwd: dirname(manifest),
  });
  if (packed.code !== 0) throw new Error(`tar cannot pack ${library}: ${packed.stderr}`);
  return { npm_config_better_sqlite3_local_prebuilds: project };
}

/** Creates an empty project. Remove it when the tests that use it end. */
async function createProject(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, 'package.json'), '{ "private": true, "type": "module" }');
  return folder;
}

describe.runIf(newest !== undefined)('the tarball of the server, alone, by npm', () => {
  const node = newest?.program ?? '';
  let folder: TemporaryFolder;

  beforeAll(async () => {
    folder = await createProject();
    const options = '--ignore-scripts --omit=optional --no-audit --no-fund --prefer-offline';
    await runLine(`npm install "${tarball}" ${options}`, folder.path, node);
    return folder.remove;
  });

  test('installs, says how to build SQLite, starts on the newest Node, and says so on another', async () => {
    const server = createRunner(folder.path);
    const unbuilt = await server(node, 'seed');
    expect(unbuilt).toMatchObject({ code: 1, stdout: '' });
    expect(unbuilt.stderr).toMatch(/^error: better-sqlite3, .* is not built\. [^\n]*\n {2}npm /);
    expect(unbuilt.stderr).not.toMatch(/^ +at /m);
    await runLine(readCommand(unbuilt.stderr, 'npm'), folder.path, node);

    const seeded = await server(node, 'seed', '--json');
    expect(seeded, seeded.stderr).toMatchObject({ code: 0 });
    const { accounts } = JSON.parse(seeded.stdout);
    const program = join(folder.path, 'node_modules/@tradepost/server/bin/tradepost-server.js');
    const running = startProcess(node, [program, 'start', '--port', '0'], {
      cwd: folder.path,
      env: { TRADEPOST_DATABASE: join(folder.path, 'trade.db') },
    });
    onTestFinished(async () => {
      await running.stop();
    });
    const [, url] = await running.writes(/listening on (\S+)/);
    const response = await fetch(`${url}/v1/orders`, {
      headers: { Authorization: `Bearer ${accounts[0].apiKey}` },
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 200,
      body: { data: expect.arrayContaining([expect.objectContaining({ status: 'pending' })]) },
    });

    const mismatched = await server(process.execPath, 'check');
    expect(mismatched).toMatchObject({ code: 1, stdout: '' });
    expect(mismatched.stderr).toContain(
      `was built for another version of Node than this one, ${process.version}. `,
    );
    expect(readCommand(mismatched.stderr, 'pnpm')).toBe('pnpm rebuild better-sqlite3');
  });
});

test('pnpm, which builds nothing, builds SQLite with the command of the message', async () => {
  const folder = await createProject();
  onTestFinished(folder.remove);
  await runPnpm(`add "${tarball}" --no-optional --prefer-offline`, folder.path);
  const server = createRunner(folder.path);
  const unbuilt = await server(process.execPath, 'seed');
  expect(unbuilt).toMatchObject({ code: 1, stdout: '' });
  const command = readCommand(unbuilt.stderr, 'pnpm').replace(/^pnpm /, '');
  const offered = await offerCompiled(folder.path);
  // On a terminal it asks which ones.
  await runPnpm(`${command} --all`, folder.path, { ...fastCompiler, ...offered });
  expect(await server(process.execPath, 'seed')).toMatchObject({ code: 0, stderr: '' });
});
