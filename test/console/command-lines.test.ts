import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { runProcess } from '../helpers/start-process';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';
import { useConsole } from './open-console';

const site = useConsole();
/** Texts that end an argument or a string, or start a command, where they are not quoted. */
const hostile = [
  'x;touch stolen|sh>stolen',
  '$(echo>stolen)`echo>stolen`',
  `'";echo>stolen #`,
  `\\'});stolen();//`,
];
/** A line break in it could look like the end of the command, to a person and to a terminal. */
const multiline = 'a\necho>stolen\n*';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  // Stands for the command line: writes its arguments, each with a zero byte after it.
  const stub = join(folder.path, 'tradepost');
  await writeFile(stub, `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
  await chmod(stub, 0o755);
  return folder.remove;
});

/** Runs a line in a shell, in a folder of its own, and returns the arguments that `tradepost` gets. */
async function readArguments(line: string): Promise<string[]> {
  await rm(join(folder.path, 'stolen'), { force: true });
  const env = { PATH: folder.path };
  const { stdout } = await runProcess('/bin/sh', ['-c', line], { env, cwd: folder.path });
  expect(await readdir(folder.path), line).toEqual(['tradepost']);
  return stdout.split('\0').slice(0, -1);
}

/** Runs a line of the SDK, and returns what it calls and with what. */
async function readCall(line: string): Promise<unknown[]> {
  const calls: unknown[] = [];
  const record = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_, name) => record(`${path}.${String(name)}`),
      apply(_, __, args) {
        // Values of another context have other prototypes.
        calls.push(path, ...JSON.parse(JSON.stringify(args)));
        return [];
      },
    });
  const stolen = () => calls.push('stolen');
  // Where a body is left out, there is none.
  const code = `(async () => { ${line.replaceAll('…', ';')} })()`;
  await runInNewContext(code, { tradepost: record('tradepost'), console: { log() {} }, stolen });
  return calls;
}

/** Returns the two lines that a page or a dialog shows. */
async function readLines(page: Page, within = 'main'): Promise<{ cli: string; sdk: string }> {
  const ofTerm = (name: string) =>
    page.locator(`${within} dt`, { hasText: name }).last().locator('xpath=following::dd[1]//code');
  await ofTerm('Command').waitFor({ state: 'attached' });
  const [cli, sdk] = await Promise.all(
    ['Command', 'SDK'].map((name) => ofTerm(name).first().textContent()),
  );
  return { cli: cli ?? '', sdk: sdk ?? '' };
}

/** Whether a text is an argument of its own, or the value of an option. */
const isArgument = (args: readonly string[], text: string) =>
  args.some((one) => one === text || (one.startsWith('--') && one.endsWith(`=${text}`)));

test('the lines of a list have what its address says as values, and nothing else', async () => {
  const page = await site.signIn('seller');
  // A service that takes any value, so that the list and its lines are shown.
  await page.route(/[/]v1[/](orders|deliveries|events)[?](?!after)/, async (route) => {
    const url = new URL(route.request().url());
    for (const name of ['listingId', 'buyerId', 'orderId']) url.searchParams.delete(name);
    await route.continue({ url: url.href });
  });
  for (const text of hostile) {
    const value = encodeURIComponent(text);
    for (const [path, name] of [
      [`orders?listing=${value}&buyer=${value}`, 'listingId'],
      [`deliveries?order=${value}`, 'orderId'],
      [`events?order=${value}`, 'orderId'],
    ] as const) {
      await page.goto(`${site.server.url}/console/${path}`);
      const { cli, sdk } = await readLines(page);
      const args = await readArguments(cli);
      expect(isArgument(args, text), cli).toBe(true);
      const [called, params] = await readCall(sdk);
      expect(called, sdk).toMatch(/^tradepost[.]\w+[.](list|latest)$/);
      expect(params, sdk).toMatchObject({ [name]: text });
    }
  }
  await page.goto(`${site.server.url}/console/orders?listing=${encodeURIComponent(multiline)}`);
  await page.getByText('As a command, in code').click();
  await page.getByText('none: a value has characters that nobody sees').waitFor();
});

test('what a page does not understand is no part of its lines', async () => {
  const page = await site.signIn('seller');
  for (const text of [...hostile, multiline]) {
    await page.goto(`${site.server.url}/console/notifications?read=${encodeURIComponent(text)}`);
    const { cli, sdk } = await readLines(page);
    expect(await readArguments(cli), cli).toEqual(['notifications', 'list', '--limit', '100']);
    expect(await readCall(sdk), sdk).toEqual(['tradepost.notifications.list']);
  }
});

test('the lines of a form have what is typed as one argument', async () => {
  const page = await site.signIn('seller', 'orders?status=pending');
  await page.getByRole('link', { name: /^ord_/ }).first().click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  for (const text of hostile) {
    await page.getByRole('dialog').getByLabel('Reason').fill(text);
    const { cli } = await readLines(page, 'dialog');
    expect(isArgument(await readArguments(cli), text), cli).toBe(true);
  }
  await page.goto(`${site.server.url}/console/webhooks`);
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  for (const text of hostile) {
    const url = `https://receiver.example/${text}`;
    await page.getByRole('dialog').getByLabel('URL').fill(url);
    const { cli, sdk } = await readLines(page, 'dialog');
    expect(isArgument(await readArguments(cli), url), cli).toBe(true);
    expect(await readCall(sdk), sdk).toMatchObject(['tradepost.webhooks.create', { url }]);
  }
});
