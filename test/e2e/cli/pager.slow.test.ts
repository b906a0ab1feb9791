import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { runCli } from '../../helpers/run-cli';
import { screenText } from '../../helpers/screen-text';
import { startOnTerminal, type TerminalSession } from '../../helpers/start-on-terminal';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

let seeded: SeededServer;
let env: Record<string, string>;

beforeAll(async () => {
  seeded = await startSeededServer();
  env = seeded.createEnvironment(seeded.seller);
  return seeded.close;
});

/** Writes a pager, a shell script. */
async function writePager(script: string): Promise<string> {
  const folder = await forTest(temporaryFolder());
  const file = join(folder.path, 'pager');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const list = ['orders', 'list', '--time', 'iso'];

async function readScreen({ exit }: TerminalSession): Promise<{ code: number; screen: string }> {
  const { code, raw } = await exit;
  return { code, screen: screenText(raw) };
}

async function listThrough(pager: string, more: readonly string[] = [], added = {}) {
  return await readScreen(
    startOnTerminal([...list, ...more], { env: { ...env, TRADEPOST_PAGER: pager, ...added } }),
  );
}

/** What a terminal shows without a pager. */
async function listPlainly(more: readonly string[] = []): Promise<string> {
  return (await listThrough('', more)).screen;
}

describe('a list on a terminal', () => {
  it('goes through the pager, with its settings for less', async () => {
    const pager = await writePager('echo "pager $LESS $LV $LESSCHARSET"; cat; echo end');
    expect(await listThrough(pager)).toEqual({
      code: 0,
      screen: `pager FRX -c utf-8\n${await listPlainly()}end\n`,
    });
    const own = await listThrough(pager, [], {
      LESS: '-S',
      LV: '-x',
      LESSCHARSET: 'latin1',
    });
    expect(own.screen).toMatch(/^pager -S -x latin1\n/);
  });

  it('goes through PAGER with arguments if TRADEPOST_PAGER is not set', async () => {
    const pager = await writePager('echo "pager $1"; cat');
    const { exit } = startOnTerminal([], {
      env: { ...env, PAGER: `${pager} -R` },
      shell: `unset TRADEPOST_PAGER; tradepost ${list.join(' ')}`,
    });
    expect(screenText((await exit).raw)).toBe(`pager -R\n${await listPlainly()}`);
  });

  it('goes through a pager that needs a shell', async () => {
    const { screen } = await listThrough("sed 's/^ord_/order /' | cat");
    expect(screen).toBe((await listPlainly()).replaceAll(/^ord_/gm, 'order '));
  });

  it('has its notice after the pager', async () => {
    const pager = await writePager('cat; echo end');
    const { code, screen } = await listThrough(pager, ['--limit', '2']);
    expect(code).toBe(0);
    expect(screen).toMatch(/\nend\nShowing 2 of 6 orders\. Use --all, or a larger --limit\.\n$/);
  });

  it('has its error after the pager, and the exit code of the error', async () => {
    const pager = await writePager('cat; echo end');
    const more = ['--limit', '2', '--fail-if-truncated'];
    const { code, screen } = await listThrough(pager, more);
    expect(code).toBe(8);
    expect(screen).toMatch(/\nend\nerror: The list was truncated after 2 orders\n/);
  });

  it.each(['', 'cat', ' '])('goes through no pager if it is %j', async (pager) => {
    const added = { PAGER: await writePager('echo pager; cat') };
    expect((await listThrough(pager, [], added)).screen).toBe(await listPlainly());
  });

  it('goes through no pager with --no-pager, and on a terminal without abilities', async () => {
    const pager = await writePager('echo pager; cat');
    expect((await listThrough(pager, ['--no-pager'])).screen).toBe(await listPlainly());
    expect((await listThrough(pager, [], { TERM: 'dumb' })).screen).toBe(await listPlainly());
  });

  it('ends quietly with exit code 0 when the person quits early', async () => {
    const pager = await writePager('head -n 1; exit 0');
    const { code, screen } = await listThrough(pager, ['--limit', '2']);
    expect({ code, screen: screen.split('\n').slice(0, 2) }).toEqual({
      code: 0,
      screen: [expect.stringMatching(/^ID +STATUS/), expect.stringMatching(/^$|^Showing 2/)],
    });
  });

  it.each([
    ['does not exist', '/nonexistent/pager'],
    ['fails at once', 'exit 3'],
    ['fails after it has read everything', 'cat > /dev/null; exit 3'],
    ['dies', 'head -n 2 > /dev/null; kill -9 $$'],
  ])('is complete if the pager %s', async (_, script) => {
    const pager = script.startsWith('/') ? script : await writePager(script);
    const { code, screen } = await listThrough(pager);
    expect(code).toBe(0);
    expect(screen.endsWith(await listPlainly())).toBe(true);
  });

  it('is complete if there is no less', async () => {
    const { exit } = startOnTerminal([], {
      env,
      shell: `unset TRADEPOST_PAGER; PATH=/nonexistent; tradepost ${list.join(' ')}`,
    });
    expect(screenText((await exit).raw)).toBe(await listPlainly());
  });

  /** Starts a service whose second page never comes. */
  async function startStallingService(): Promise<string> {
    const service = await startHttpServer((request, response) => {
      if (request.url?.includes('cursor=')) return;
      const data = seeded.seed.orders.map(({ id, status }) => ({ id, status }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data, nextCursor: 'next' }));
    });
    onTestFinished(() => service.close());
    return service.url;
  }

  it('ends at once when the person quits while the service is slow', async () => {
    const pager = await writePager('head -n 1; exit 0');
    const { code, screen } = await listThrough(pager, ['--all'], {
      TRADEPOST_BASE_URL: await startStallingService(),
    });
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringMatching(/^ID[^\n]*\n$/) });
  });

  it('ends at once with exit code 130 when Ctrl-C ends the pager while the service is slow', async () => {
    const { type, shows, exit } = startOnTerminal([...list, '--all'], {
      env: { ...env, TRADEPOST_PAGER: 'cat -n', TRADEPOST_BASE_URL: await startStallingService() },
    });
    await shows(/ 1\tID/);
    type('\u0003');
    const { code, text } = await exit;
    expect({ code, text }).toEqual({
      code: 130,
      text: expect.stringMatching(/error: Interrupted\n$/),
    });
  });

  it('leaves Ctrl-C to the pager', async () => {
    const keys = 'while read key </dev/tty; [ "$key" != q ]; do :; done';
    const pager = await writePager(`trap "echo caught" INT; cat; echo ready; ${keys}; echo end`);
    const session = startOnTerminal(list, { env: { ...env, TRADEPOST_PAGER: pager } });
    await session.shows(/ready/);
    // If the interrupt comes before it reads keys, it notices it only at the next key.
    session.type('\u0003');
    session.type('\r');
    await session.shows(/caught/);
    session.type('\u0003');
    session.type('q\r');
    const { code, text } = await session.exit;
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/end\n$/) });
  });

  it('goes through no pager on a pipe', async () => {
    const pager = await writePager('echo pager; cat');
    const { stdout } = await runCli(list, { ...env, TRADEPOST_PAGER: pager });
    expect(stdout).not.toContain('pager');
  });
});

describe('a help page on a terminal', () => {
  const help = ['orders', 'set-status', '--help'];

  it.each([
    ['of a command', help],
    ['of `help`', ['help', 'orders', 'set-status']],
    ['of a topic', ['help', 'output']],
  ])('%s goes through the pager if it is longer than the screen', async (_, argv) => {
    const pager = await writePager('echo pager; cat');
    const show = async (rows: number, more: string[] = []) =>
      await readScreen(
        startOnTerminal([...argv, ...more], { rows, env: { TRADEPOST_PAGER: pager } }),
      );
    const whole = await show(200);
    expect(whole).toEqual({ code: 0, screen: expect.not.stringMatching(/^pager/) });
    expect(await show(10)).toEqual({ code: 0, screen: `pager\n${whole.screen}` });
    expect(await show(10, ['--no-pager'])).toEqual(whole);
  });
});

/** Where the machine has no less, the scripts above are in its place. */
const folders = (process.env.PATH ?? '').split(delimiter);
const hasLess = folders.some((folder) => existsSync(join(folder, 'less')));

if (hasLess) {
  describe('less', () => {
    const start = (rows: number) =>
      startOnTerminal([], {
        env,
        rows,
        shell: `unset TRADEPOST_PAGER; tradepost ${list.join(' ')} --limit 5; echo "exit code $?"`,
      });

    it('ends by itself if the list fits on the screen, and leaves it there', async () => {
      const { screen } = await readScreen(start(40));
      expect(screen).toBe(`${await listPlainly(['--limit', '5'])}exit code 0\n`);
    });

    it('shows a screen, and ends with exit code 0 when the person quits', async () => {
      const session = start(4);
      await session.shows(/\n:$/);
      session.type('q');
      const { text } = await session.exit;
      expect(text).toMatch(/exit code 0\n$/);
      expect(text.match(/^ord_/gm)?.length).toBeLessThan(5);
    });

    it('has Ctrl-C for itself', async () => {
      const session = startOnTerminal(list, { env: { ...env, TRADEPOST_PAGER: 'less' }, rows: 4 });
      await session.shows(/\n:$/);
      session.type('\u0003');
      // If the interrupt comes before it reads keys, it redraws its screen only at the next key.
      session.type('r');
      await session.shows(/\n:[\s\S]+\n:$/);
      session.type('q');
      const { code, text } = await session.exit;
      expect({ code, text }).toEqual({ code: 0, text: expect.not.stringMatching(/error/) });
    });
  });
}
