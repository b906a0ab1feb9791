import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../helpers/run-cli';
import { aFolder } from '../../helpers/webhook-builders';

const event = sampleEvent('order.status_changed');
const sentAt = Date.parse('2026-11-21T09:30:00Z');
const now = () => sentAt + 1_000;
/** Neither service nor key. */
const env = { TRADEPOST_API_KEY: undefined };

async function secretFile(text = `${exampleSecret}\n`): Promise<string> {
  const file = join(await aFolder(), 'webhook.secret');
  await writeFile(file, text);
  return file;
}

async function setting() {
  const { body, headers } = await signDelivery({ event, secret: exampleSecret, sentAt });
  const lines = Object.entries(headers).flatMap(([name, value]) => [
    '--header',
    `${name}: ${value}`,
  ]);
  const argv = ['webhooks', 'verify', '--secret-file', await secretFile()];
  const text = Buffer.from(body).toString();
  return { argv, lines, text, signature: headers['Service-Signature'] ?? '', headers };
}

describe('webhooks verify', () => {
  it('prints the event of a valid delivery, without a service and without a key', async () => {
    const { argv, signature, text } = await setting();
    const result = await runCli([...argv, '--signature', signature, '--output', 'json'], {
      env,
      now,
      input: text,
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual(event);
  });

  it('checks both signatures and the time when the headers are given', async () => {
    const { argv, lines, text } = await setting();
    expect((await runCli([...argv, ...lines], { env, now, input: text })).exitCode).toBe(0);
    const late = await runCli([...argv, ...lines], {
      env,
      now: () => sentAt + 301_000,
      input: text,
    });
    expect(late).toMatchObject({ exitCode: 1, stdout: '' });
    expect(late.stderr).toContain('TIMESTAMP_TOO_OLD');
    const patient = await runCli([...argv, ...lines, '--tolerance', '400'], {
      env,
      now: () => sentAt + 301_000,
      input: text,
    });
    expect(patient.exitCode).toBe(0);
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
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    [
      're-serialised JSON',
      (text: string) => JSON.stringify(JSON.parse(text), null, 2),
      'BODY_RESERIALIZED',
    ],
    ['a line end at its end', (text: string) => `${text}\n`, 'BODY_RESERIALIZED'],
    ['a body that was cut', (text: string) => text.slice(0, -3), 'SIGNATURE_MISMATCH'],
    ['no body', () => '', 'SIGNATURE_MISMATCH'],
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
    ['another secret', 'whsec_b3RoZXI=\n', 'WRONG_SECRET'],
    ['spaces around the secret', ` ${exampleSecret} \n`, 'SECRET_WHITESPACE'],
    ['a second line end after the secret', `${exampleSecret}\n\n`, 'SECRET_WHITESPACE'],
  ])('reports %s, and never shows it', async (_, secret, code) => {
    const { signature, text } = await setting();
    const argv = ['webhooks', 'verify', '--secret-file', await secretFile(secret)];
    const result = await runCli([...argv, '--signature', signature], { env, now, input: text });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(code);
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
    expect(bodiless.stderr).toContain('Cannot read the body: ENOENT');
  });

  it.each([
    [[]],
    [['--header', 'webhook-id: evt_1']],
    [['--header', 'nonsense']],
    [['--signature']],
  ])('rejects %j: there is nothing to check', async (more) => {
    const { argv } = await setting();
    expect((await runCli([...argv, ...more], { env, input: '{}' })).exitCode).toBe(2);
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
