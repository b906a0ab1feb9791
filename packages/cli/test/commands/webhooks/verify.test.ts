import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  exampleSecret,
  type SignDeliveryOptions,
  sampleEvent,
  signDelivery,
} from '@tradepost/sdk/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../helpers/run-cli';
import { aFolder } from '../../helpers/webhook-builders';

const event = sampleEvent('order.status_changed');
const sentAt = Date.parse('2026-11-21T09:30:00Z');
const now = () => sentAt + 1_000;
/** Neither service nor key. */
const env = { TRADEPOST_API_KEY: undefined };

const hex = 'ab'.repeat(32);

/** Options for the headers of Standard Webhooks. */
function standard(changed: Record<string, string>): string[] {
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1795253400',
    'webhook-signature': `v1,${'a'.repeat(43)}=`,
    ...changed,
  };
  return Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
}

async function secretFile(text: string | Buffer = `${exampleSecret}\n`): Promise<string> {
  const file = join(await aFolder(), 'webhook.secret');
  await writeFile(file, text);
  return file;
}

async function setting(options: Partial<SignDeliveryOptions> = {}) {
  const signing = { event, secret: exampleSecret, sentAt, ...options } as SignDeliveryOptions;
  const { body, headers } = await signDelivery(signing);
  const lines = Object.entries(headers).flatMap(([name, value]) => [
    '--header',
    `${name}: ${value}`,
  ]);
  const argv = ['webhooks', 'verify', '--secret-file', await secretFile()];
  const text = Buffer.from(body).toString();
  return { argv, lines, text, signature: headers['Service-Signature'] ?? '', headers };
}

describe('webhooks verify with files of other systems', () => {
  it.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${exampleSecret}\r\n`)],
    ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${exampleSecret}\r\n`, 'utf16le')],
  ])('reads a secret in %s', async (_, bytes) => {
    const { signature, text } = await setting();
    const file = await secretFile(bytes);
    const argv = ['webhooks', 'verify', '--secret-file', file, '--signature', signature];
    expect(await runCli(argv, { env, now, input: text })).toMatchObject({ exitCode: 0 });
  });

  it('names the encoding of a body that was saved in another one', async () => {
    const { argv, signature, text } = await setting();
    const file = join(await aFolder(), 'body.json');
    await writeFile(file, `\ufeff${text}`, 'utf16le');
    const { exitCode, stderr } = await runCli(
      [...argv, '--signature', signature, '--body-file', file],
      { env, now },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file} is UTF-16LE, as PowerShell saves text`);
  });
});

describe('webhooks verify', () => {
  it('prints the event of a valid delivery, without a service and without a key', async () => {
    const { argv, signature, text } = await setting();
    const result = await runCli([...argv, '--signature', signature, '--output', 'json'], {
      env,
      now,
      input: text,
    });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual(event);
    const bytes = Buffer.byteLength(text);
    expect(result.stderr).toBe(
      [
        `Valid: verified ${bytes} bytes from stdin with the secret in ${argv.at(-1)}.`,
        `Service-Signature matches the secret in ${argv.at(-1)}.`,
        `Event: order.status_changed, created at ${event.createdAt}.`,
        'Not checked: when it was signed, and its ID. That needs the headers webhook-id, webhook-timestamp and webhook-signature.',
        '',
      ].join('\n'),
    );
  });

  it('says where the event is, and that it is a test event', async () => {
    const { argv, lines, text } = await setting({ position: { sequence: 7, orderVersion: 2 } });
    const valid = await runCli([...argv, ...lines], { env, now, input: text });
    expect(valid.exitCode).toBe(0);
    expect(valid.stderr).toContain(
      '\nTradepost-Position is signed: sequence 7, order version 2.\n',
    );
    const forged = lines.map((line) => line.replace('orderVersion=2', 'orderVersion=3'));
    const invalid = await runCli([...argv, ...forged], { env, now, input: text });
    expect(invalid.exitCode).toBe(1);
    expect(invalid.stderr).toContain('Tradepost-Position was changed');
    const data = { orderId: 'ord_TradepostTest1' };
    const ofTest = await setting({ event: sampleEvent('order.status_changed', { data }) });
    const result = await runCli([...ofTest.argv, ...ofTest.lines], {
      env,
      now,
      input: ofTest.text,
    });
    expect(result.stderr).toContain('\nIt is a test event: its data is made up.\n');
  });

  it('checks both signatures and the time when the headers are given', async () => {
    const { argv, lines, text, headers } = await setting();
    const valid = await runCli([...argv, ...lines], { env, now, input: text });
    expect(valid.exitCode).toBe(0);
    expect(valid.stderr.split('\n').slice(1)).toEqual([
      `Service-Signature matches the secret in ${argv.at(-1)}; so does webhook-signature.`,
      `Event: order.status_changed, ${headers['webhook-id']}, created at ${event.createdAt}.`,
      'Signed at 2026-11-21T09:30:00.000Z, 1 s ago; tolerance 300 s.',
      'Not checked: whether you received it before. Compare webhook-id with those you have.',
      '',
    ]);
    const late = await runCli([...argv, ...lines], {
      env,
      now: () => sentAt + 301_000,
      input: text,
    });
    expect(late).toMatchObject({ exitCode: 1, stdout: '' });
    expect(late.stderr).toContain('TIMESTAMP_TOO_OLD');
    expect(late.stderr).toContain('pass its age in seconds with --tolerance.');
    expect(late.stderr).toContain('signed 301 s ago and tolerance is 300 s');
    expect(late.stderr).toContain(`Checked ${text.length} bytes from stdin with the secret in`);
    const patient = await runCli([...argv, ...lines, '--tolerance', '400'], {
      env,
      now: () => sentAt + 301_000,
      input: text,
    });
    expect(patient.exitCode).toBe(0);
    expect(patient.stderr).toContain('301 s ago; tolerance 400 s.');
    const early = await runCli([...argv, ...lines], {
      env,
      now: () => sentAt - 2_000,
      input: text,
    });
    expect(early.stderr).toContain('2 s in the future');
    const other = lines.map((line) => line.replace(/^webhook-id: .*/, 'webhook-id: evt_other'));
    const replayed = await runCli([...argv, ...other], { env, now, input: text });
    expect(replayed.stderr).toContain('SIGNATURE_MISMATCH');
  });

  it('reads the body as bytes from a file', async () => {
    const { argv } = await setting();
    const bytes = Buffer.concat([
      Buffer.from(JSON.stringify({ ...event, data: { note: '' } }).replace('""}', '"')),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]);
    const { headers } = await signDelivery({ body: bytes, secret: exampleSecret });
    const file = join(await aFolder(), 'body.json');
    await writeFile(file, bytes);
    const signature = ['--signature', headers['Service-Signature'] ?? ''];
    const result = await runCli([...argv, ...signature, '--body-file', file], { env });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(`verified ${bytes.length} bytes from ${file} with`);
  });

  it.each([
    [
      're-serialised JSON',
      (text: string) => JSON.stringify(JSON.parse(text), null, 2),
      'BODY_RESERIALIZED',
    ],
    ['a line end at its end', (text: string) => `${text}\n`, 'BODY_RESERIALIZED'],
    ['a body that was cut', (text: string) => text.slice(0, -3), 'SIGNATURE_MISMATCH'],
  ])('reports %s', async (_, change, code) => {
    const { argv, signature, text } = await setting();
    const result = await runCli([...argv, '--signature', signature, '--output', 'json'], {
      env,
      now,
      input: change(text),
    });
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    const { error } = JSON.parse(result.stderr);
    expect(error.code).toBe('verification_failed');
    expect(error.message).toContain(code);
  });

  it.each([
    ['a line feed', '\n'],
    ['a carriage return and a line feed', '\r\n'],
  ])('says that the body has %s too much at its end', async (_, newline) => {
    const { argv, signature, text } = await setting();
    const options = [...argv, '--signature', signature];
    const piped = await runCli(options, { env, now, input: `${text}${newline}` });
    expect(piped).toMatchObject({ exitCode: 1, stdout: '' });
    expect(piped.stderr).toContain(
      'BODY_RESERIALIZED. Stdin has one extra newline at its end, as echo and editors add it.',
    );
    const file = join(await aFolder(), 'body.json');
    await writeFile(file, `${text}${newline}`);
    const { stderr } = await runCli([...options, '--body-file', file], { env, now });
    expect(stderr).toContain(`${file} has one extra newline at its end`);
    for (const other of [` ${newline}`, `${newline}${newline}`, '\r']) {
      const changed = await runCli(options, { env, now, input: `${text}${other}` });
      expect(changed.exitCode).toBe(1);
      expect(changed.stderr).not.toContain('extra newline');
    }
  });

  it('says so too for a long body, and for a delivery that is too old', async () => {
    const { argv } = await setting();
    const long = { ...event, data: { ...event.data, note: 'x'.repeat(70_000) } };
    const body = JSON.stringify(long);
    const { headers } = await signDelivery({ body, secret: exampleSecret, sentAt });
    const lines = Object.entries(headers).flatMap(([name, value]) => [
      '--header',
      `${name}: ${value}`,
    ]);
    for (const age of [1_000, 999_000]) {
      const setting = { env, now: () => sentAt + age, input: `${body}\n` };
      const { stderr } = await runCli([...argv, ...lines], setting);
      expect(stderr).toContain('SIGNATURE_MISMATCH. Stdin has one extra newline at its end');
    }
  });

  it('names its own option for a second secret while one is staged', async () => {
    const staged = 'whsec_c3RhZ2Vk';
    const body = JSON.stringify(event);
    const [current, next] = await Promise.all(
      [exampleSecret, staged].map((secret) => signDelivery({ body, secret, sentAt })),
    );
    const headers = {
      ...next?.headers,
      ...{ 'Service-Signature': current?.headers['Service-Signature'] },
    };
    const lines = Object.entries(headers).flatMap(([name, value]) => [
      '--header',
      `${name}: ${value}`,
    ]);
    const argv = ['webhooks', 'verify', '--secret-file', await secretFile(staged), ...lines];
    const { exitCode, stderr } = await runCli(argv, { env, now, input: body });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('pass the current secret too, with a second --secret-file.');
    expect(stderr).not.toContain('in secrets');
  });

  it.each([
    ['another secret', 'whsec_b3RoZXI=\n', 'WRONG_SECRET'],
    ['spaces around the secret', ` ${exampleSecret} \n`, 'SECRET_WHITESPACE'],
    ['a second line end after the secret', `${exampleSecret}\n\n`, 'SECRET_WHITESPACE'],
  ])('reports %s, and never shows it', async (_, secret, code) => {
    const { signature, text } = await setting();
    const argv = ['webhooks', 'verify', '--secret-file', await secretFile(secret)];
    const result = await runCli([...argv, '--signature', signature], { env, now, input: text });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(code);
    expect(result.stderr.includes('If the secret was rotated')).toBe(code === 'WRONG_SECRET');
    expect(result.stderr).not.toContain(secret.trim());
  });

  it('accepts a secret with a Windows line ending', async () => {
    const { signature, text } = await setting();
    const argv = ['webhooks', 'verify', '--secret-file', await secretFile(`${exampleSecret}\r\n`)];
    const result = await runCli([...argv, '--signature', signature], { env, now, input: text });
    expect(result.exitCode).toBe(0);
  });

  it('rejects files without a secret or a body with exit code 2, not as an invalid delivery', async () => {
    const signature = ['--signature', 'ab'.repeat(32)];
    const empty = ['webhooks', 'verify', '--secret-file', await secretFile('\n'), ...signature];
    expect((await runCli(empty, { env, input: '{}' })).exitCode).toBe(2);
    for (const file of ['/nonexistent/secret', '/', '/dev/zero']) {
      const argv = ['webhooks', 'verify', '--secret-file', file, ...signature];
      expect((await runCli(argv, { env, input: '{}' })).exitCode).toBe(2);
    }
    const argv = ['webhooks', 'verify', '--secret-file', await secretFile('x'), ...signature];
    const bodiless = await runCli([...argv, '--body-file', '/nonexistent/body'], { env });
    expect(bodiless).toMatchObject({ exitCode: 2, stdout: '' });
    expect(bodiless.stderr).toContain('Cannot read the body: no such file or directory: ');
  });

  it.each([
    ['no signature', [], 'Missing signature'],
    ['only an ID', ['--header', 'webhook-id: evt_1'], 'Missing signature'],
    ['a line without a name', ['--header', 'nonsense'], "Use 'name: value'."],
    ['an option without a value', ['--signature'], 'argument missing'],
    ['a short signature', ['--signature', 'ab'], '64 lowercase hex digits'],
    ['a signature with a prefix', ['--signature', `sha256=${hex}`], '64 lowercase hex digits'],
    ['a signature in capitals', ['--signature', hex.toUpperCase()], '64 lowercase hex digits'],
    [
      'another signature in a header',
      ['--signature', hex, '--header', `Service-Signature: ${hex}`],
      '--signature and the header Service-Signature conflict',
    ],
    [
      'two signatures in headers',
      ['--header', `Service-Signature: ${hex}`, '--header', `service-signature: ${hex}`],
      'The header service-signature is there twice.',
    ],
    [
      'a signature without its timestamp',
      ['--signature', hex, '--header', 'webhook-signature: v1,a', '--header', 'webhook-id: evt_1'],
      'webhook-timestamp is missing',
    ],
    [
      'a timestamp alone',
      ['--signature', hex, '--header', 'webhook-timestamp: 1', '--header', 'webhook-id:'],
      'webhook-signature is missing',
    ],
    [
      'a tolerance without a time',
      ['--signature', hex, '--tolerance', '60'],
      '--tolerance needs the header webhook-timestamp',
    ],
    ['an option for the secret', ['--secret', 'whsec_c2VjcmV0'], "Unknown option '--secret'"],
  ])('rejects %s with exit code 2, and verifies nothing', async (_, more, message) => {
    const { argv, text } = await setting();
    const { exitCode, stdout, stderr } = await runCli([...argv, ...more], { env, input: text });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('whsec_c2VjcmV0');
  });

  it.each([
    [{ 'webhook-timestamp': '2026-11-21' }, 'webhook-timestamp must be seconds since 1970'],
    [{ 'webhook-signature': 'v2,abc t=1' }, 'webhook-signature must be v1, a comma and'],
  ])('rejects %j with exit code 2, since its format is unknown', async (changed, message) => {
    const { argv, text, signature } = await setting();
    const more = ['--signature', signature, ...standard(changed)];
    const { exitCode, stdout, stderr } = await runCli([...argv, ...more], { env, input: text });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('rejects an empty body and one that is too long for a delivery with exit code 2', async () => {
    const { argv } = await setting();
    const signed = [...argv, '--signature', hex];
    const empty = await runCli(signed, { env, input: '' });
    expect(empty).toMatchObject({ exitCode: 2, stdout: '' });
    expect(empty.stderr).toContain('Stdin is empty: there is no body to verify');
    const file = join(await aFolder(), 'body.json');
    await writeFile(file, '');
    const emptyFile = await runCli([...signed, '--body-file', file], { env, input: '{}' });
    expect(emptyFile).toMatchObject({ exitCode: 2, stdout: '' });
    expect(emptyFile.stderr).toContain(`${file} is empty`);
    const endless = await runCli([...signed, '--body-file', '/dev/zero'], { env });
    expect(endless.exitCode).toBe(2);
    expect(endless.stderr).toContain('/dev/zero has more than 1,048,576 bytes');
    const long = await runCli(signed, { env, input: ' '.repeat(1_048_577) });
    expect(long.stderr).toContain('Stdin has more than 1,048,576 bytes');
  });

  it('names the secret that matched among several', async () => {
    const { lines, text } = await setting();
    const [other, current] = [await secretFile('whsec_b3RoZXI=\n'), await secretFile()];
    const argv = ['webhooks', 'verify', '--secret-file', other, '--secret-file', current, ...lines];
    const valid = await runCli(argv, { env, now, input: text });
    expect(valid.exitCode).toBe(0);
    expect(valid.stderr).toContain(
      [
        `with the secrets in ${other}, ${current}.`,
        `Service-Signature matches the secret in ${current}; webhook-signature matches one of them.`,
      ].join('\n'),
    );
    const invalid = await runCli(argv, { env, now, input: `${text} ` });
    expect(invalid.exitCode).toBe(1);
    expect(invalid.stderr).toContain(`with the secrets in ${other}, ${current}.`);
  });

  it('reports an event type that it does not know', async () => {
    const { argv } = await setting();
    const unknown = { ...event, event: 'order.archived' };
    const { body, headers } = await signDelivery({
      body: JSON.stringify(unknown),
      secret: exampleSecret,
    });
    const signature = ['--signature', headers['Service-Signature'] ?? ''];
    const input = Buffer.from(body).toString();
    const { exitCode, stderr } = await runCli([...argv, ...signature], { env, input });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Event: order.archived (unknown to this version), created at');
  });

  it('writes the data of the event as JSON into a cell of CSV', async () => {
    const { argv, signature, text } = await setting();
    const result = await runCli([...argv, '--signature', signature, '--output', 'csv'], {
      env,
      input: text,
    });
    expect(result.stdout).toContain('""previousStatus"":""pending""');
  });
});
