import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret } from '@tradepost/sdk/testing';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import {
  findOrCreateSecret,
  type ListenSecret,
} from '../../../src/commands/webhooks/listen/listen-secret';
import { lockFile } from '../../../src/files/lock-file';
import { aContext } from '../../helpers/a-context';
import { fromTheStart, stage } from '../../helpers/event-service';
import { FakeStream } from '../../helpers/fake-stream';
import { aFolder } from '../../helpers/webhook-builders';

const receiver = {
  service: 'https://trade.example',
  account: 'usr_1',
  forwardTo: 'http://127.0.0.1:3000/',
};

/** A state folder. `find` returns what was printed too. */
async function aStateFolder() {
  const folder = join(await aFolder(), 'state');
  async function find(
    parts: Partial<typeof receiver> = {},
    options: { newSecret?: boolean } = {},
  ): Promise<ListenSecret & { said: string }> {
    const stderr = new FakeStream();
    const context = aContext({ stderr, env: { TRADEPOST_STATE_DIR: folder } });
    const found = await findOrCreateSecret({ ...receiver, ...parts }, options, context);
    return { ...found, said: stderr.text };
  }
  const file = async () => join(folder, (await readdir(folder))[0] ?? '');
  return { find, file };
}

it('a receiver keeps its secret, in a file for its owner only', async () => {
  const { find, file } = await aStateFolder();
  const first = await find();
  expect(first).toMatchObject({ source: { kind: 'new' }, said: '' });
  expect(first.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(await find()).toEqual({ secret: first.secret, source: { kind: 'saved' }, said: '' });
  expect((await stat(await file())).mode & 0o777).toBe(0o600);
});

it('each service, account and receiver has its own secret', async () => {
  const { find } = await aStateFolder();
  const all = [
    await find(),
    await find({ service: 'https://other.example' }),
    await find({ account: 'usr_2' }),
    await find({ forwardTo: 'http://127.0.0.1:3001/' }),
  ];
  expect(new Set(all.map(({ secret }) => secret)).size).toBe(4);
});

it('--new-secret replaces the secret', async () => {
  const { find } = await aStateFolder();
  const { secret: old } = await find();
  const replaced = await find({}, { newSecret: true });
  expect(replaced).toMatchObject({ source: { kind: 'new' }, said: '' });
  expect(replaced.secret).not.toBe(old);
  expect((await find()).secret).toBe(replaced.secret);
});

it('several listeners that start at once share one secret', async () => {
  const { find } = await aStateFolder();
  const found = await Promise.all(Array.from({ length: 4 }, () => find()));
  expect(new Set(found.map(({ secret }) => secret)).size).toBe(1);
});

it.each([
  ['no JSON', () => '{'],
  ['nothing', () => ''],
  ['no valid secret', (text: string) => text.replace('whsec_', 'whsec_!')],
  ['the secret of another receiver', (text: string) => text.replace('usr_1', 'usr_2')],
])('a file with %s is replaced, with a notice', async (_, spoil) => {
  const { find, file } = await aStateFolder();
  await find();
  const path = await file();
  await writeFile(path, spoil(await readFile(path, 'utf8')));
  const { secret, source, said } = await find();
  expect(source).toEqual({ kind: 'new' });
  expect(said).toBe(`${path} had no valid secret. It was replaced.\n`);
  expect(await find()).toEqual({ secret, source: { kind: 'saved' }, said: '' });
});

it('a secret that cannot be saved is that of one run', async () => {
  const { find, file } = await aStateFolder();
  await find();
  const path = await file();
  await rm(path);
  await mkdir(path);
  const first = await find();
  expect(first.source).toEqual({ kind: 'once', reason: expect.any(String) });
  expect((await find()).secret).not.toBe(first.secret);
});

it('a saved secret is used also where no lock can be had', async () => {
  const { find, file } = await aStateFolder();
  const { secret } = await find();
  await writeFile(`${await file()}.lock`, '1 elsewhere');
  expect(await find()).toEqual({ secret, source: { kind: 'saved' }, said: '' });
});

it('webhooks listen signs with the secret that it saved, and says where it is from', async () => {
  const { service, receiver, argv, folder, secretFile } = await stage();
  const env = { TRADEPOST_STATE_DIR: join(folder, 'state') };
  async function run(...more: string[]) {
    const interrupt = new AbortController();
    service.onEnd = () => interrupt.abort();
    receiver.arrivals.length = 0;
    const result = await service.bare.cli(
      ['webhooks', 'listen', ...argv, ...fromTheStart, ...more],
      { env, signal: interrupt.signal },
    );
    const { body = '', headers = {} } = receiver.arrivals[0] ?? {};
    const [said = ''] = /Signing .*/.exec(result.stderr) ?? [];
    const [secret = exampleSecret] = /whsec_\S+/.exec(said) ?? [];
    await expect(verifyDelivery({ payload: body, headers, secret })).resolves.toBeTruthy();
    return { said, secret };
  }
  const first = await run();
  expect(first.said).toMatch(/^Signing with a new secret, saved for later runs\. /);
  const second = await run();
  expect(second.said).toMatch(/^Signing with the saved secret of this receiver \(--new-secret /);
  expect(second.secret).toBe(first.secret);
  expect((await run('--secret-file', secretFile)).said).toBe(
    `Signing with the secret in ${secretFile}.`,
  );
  const third = await run('--new-secret');
  expect(third.said).toMatch(/^Signing with a new secret/);
  expect(third.secret).not.toBe(first.secret);
});

it('a listener that is rejected does not replace the secret of the one that runs', async () => {
  const { service, argv, folder, stateFile } = await stage();
  const state = join(folder, 'state');
  const unlock = lockFile(stateFile);
  onTestFinished(unlock);
  const { exitCode, stderr } = await service.bare.cli(
    ['webhooks', 'listen', ...argv, '--new-secret'],
    { env: { TRADEPOST_STATE_DIR: state } },
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain('is in use by');
  await expect(readdir(state)).rejects.toThrow('ENOENT');
});

it('webhooks listen rejects --new-secret with --secret-file', async () => {
  const { service, argv, secretFile } = await stage();
  const both = ['--new-secret', '--secret-file', secretFile];
  const { exitCode } = await service.bare.cli(['webhooks', 'listen', ...argv, ...both]);
  expect(exitCode).toBe(2);
  expect(service.bare.seen).toEqual([]);
});
