import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebhookVerificationError } from '../../src/webhooks/index';
import {
  aDelivery,
  anEvent,
  aPlainDelivery,
  type Delivery,
  secret,
  standardSignature,
} from '../helpers/a-delivery';
import { verdict, verifiers } from '../helpers/verifiers';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

/** The signature of a delivery with a staged secret. */
function stagedSignature({ payload, headers }: Delivery): string {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = headers;
  return standardSignature(payload, id, timestamp, otherSecret);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(verifiers)('%s, with diagnosis', (_, verify) => {
  const { payload, headers } = aPlainDelivery();
  const text = payload.toString();
  const given = { payload, headers, secret, diagnose: true };

  async function catchVerificationError(changes: object): Promise<WebhookVerificationError> {
    const error = await verify({ ...given, ...changes }).catch((caught: unknown) => caught);
    if (error instanceof WebhookVerificationError) return error;
    throw new Error('It was accepted.');
  }

  test.each([
    ['a space at its end', `${secret} `],
    ['a line break at its end', `${secret}\n`],
    ['quotes around it', `"${secret}"`],
  ])('reports a secret that has %s', async (_name, wrong) => {
    const { code, message } = await catchVerificationError({ secret: wrong });
    expect(code).toBe('SECRET_WHITESPACE');
    expect(message).toContain('trim it');
    expect(message).not.toContain(secret);
  });

  test('reports a secret that lacks whsec_', async () => {
    const { code, message } = await catchVerificationError({
      secret: secret.replace('whsec_', ''),
    });
    expect(code).toBe('WRONG_SECRET');
    expect(message).toContain('lacks its prefix whsec_');
  });

  test.each([
    ['an API key', 'tpk_0123456789abcdef'],
    ['the ID of a webhook', 'whk_01M7YT9NQM922YKQ58KHKNAF69'],
    ['a URL', 'https://receiver.example/webhooks'],
    ['a JSON object', '{"secret":"whsec_0123456789abcdef"}'],
    ['an API key', '"tpk_0123456789abcdef"'],
  ])('reports a secret that is %s', async (what, wrong) => {
    const { code, message } = await catchVerificationError({ secret: wrong });
    expect(code).toBe('WRONG_SECRET');
    expect(message).toContain(`The secret is ${what}`);
    expect(message).not.toContain(wrong);
  });

  test('reports a secret that is staged and not promoted', async () => {
    const full = aDelivery();
    const staged = stagedSignature(full);
    const both = `${full.headers['webhook-signature']} ${staged}`;
    const { code, message } = await catchVerificationError({
      headers: { ...full.headers, 'webhook-signature': both },
      secret: otherSecret,
    });
    expect(code).toBe('WRONG_SECRET');
    expect(message).toContain('staged and not yet promoted');
  });

  test('reports the secret as the most likely cause when the body seems unchanged', async () => {
    const { code, message } = await catchVerificationError({ secret: otherSecret });
    expect(code).toBe('WRONG_SECRET');
    expect(message).toContain('most likely the secret is of another webhook');
    expect(message).toContain('or from `tradepost webhooks listen`');
    expect(message).toContain('A forged delivery, or one with a changed value, looks the same');
  });

  test.each<[string, string | Uint8Array]>([
    ['pretty-printed', JSON.stringify(anEvent, null, 2)],
    ['spaced as Python does it', text.replaceAll('":', '": ').replaceAll(',"', ', "')],
    ['written with other escapes', text.replace('ü', '\\u00fc')],
    ['in another order', JSON.stringify(Object.fromEntries(Object.entries(anEvent).reverse()))],
    ['with a byte order mark that was put before it', `\ufeff${text}`],
    ['with a line break at its end', `${text}\n`],
    ['decoded as Latin-1', payload.toString('latin1')],
    ['encoded in base64', payload.toString('base64')],
    ['encoded in base64, in lines', payload.toString('base64').replace(/.{76}/g, '$&\r\n')],
  ])('reports a body that was serialized again: %s', async (_name, body) => {
    const { code, message } = await catchVerificationError({ payload: body });
    expect(code).toBe('BODY_RESERIALIZED');
    expect(message).toContain('express.raw(');
  });

  test.each<[string, string]>([
    ['a byte order mark', `\ufeff${text}`],
    ['a line break at its end', `${text}\n`],
    ['line breaks of Windows', JSON.stringify(anEvent, null, 2).replaceAll('\n', '\r\n')],
  ])('reports a body that lost %s after signing', async (_name, signed) => {
    const delivery = aPlainDelivery({ body: Buffer.from(signed) });
    const kept = signed
      .replace(/^\ufeff/, '')
      .replaceAll('\r\n', '\n')
      .trimEnd();
    expect((await catchVerificationError({ ...delivery, payload: kept })).code).toBe(
      'BODY_RESERIALIZED',
    );
  });

  test('reports no cause for a body that was changed in an unusual way', async () => {
    const { code } = await catchVerificationError({
      payload: text.replace('pending', ' pending').replace(':', ' :'),
    });
    expect(code).toBe('SIGNATURE_MISMATCH');
  });

  test('reports that ID or timestamp were changed for webhook-signature', async () => {
    const full = aDelivery();
    const { code, message } = await catchVerificationError({
      ...full,
      headers: { ...full.headers, 'webhook-id': 'evt_2' },
    });
    expect(code).toBe('SIGNATURE_MISMATCH');
    expect(message).toContain('webhook-id or webhook-timestamp was changed');
  });

  test('does not diagnose a body that is too long', async () => {
    const long = { ...anEvent, data: { ...anEvent.data, note: 'x'.repeat(70_000) } };
    const delivery = aPlainDelivery({ body: long });
    const pretty = JSON.stringify(long, null, 2);
    expect((await catchVerificationError({ ...delivery, payload: pretty })).code).toBe(
      'SIGNATURE_MISMATCH',
    );
  });

  test('stops at a body that is crafted to break the diagnosis', async () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await catchVerificationError({ payload: deep })).code).toBe('SIGNATURE_MISMATCH');
  });

  test('checks a limited number of signatures, however many are sent', async () => {
    const full = aDelivery();
    const staged = stagedSignature(full);
    const signatures = `${'v1, '.repeat(3_900)}${staged}`;
    const { message } = await catchVerificationError({
      headers: { ...full.headers, 'webhook-signature': signatures },
      secret: otherSecret,
    });
    expect(message).not.toContain('staged');
  });

  test('never accepts a delivery that it diagnoses', async () => {
    const wrong = { ...given, secret: `${secret}\n` };
    expect(await verdict(verify(wrong))).toBe('SECRET_WHITESPACE');
  });

  test.each([
    ['production', 'SIGNATURE_MISMATCH'],
    ['development', 'WRONG_SECRET'],
    ['', 'WRONG_SECRET'],
  ])('depends on NODE_ENV %j when the receiver does not set diagnose', async (value, code) => {
    vi.stubEnv('NODE_ENV', value);
    const undecided = { ...given, secret: otherSecret, diagnose: undefined };
    expect(await verdict(verify(undecided))).toBe(code);
  });

  test.each<[string, object, string]>([
    ['no headers', { headers: undefined }, 'No headers were passed.'],
    [
      'lost headers',
      { headers: { ...new Headers(headers) } },
      'spreading a Headers object into {} loses them',
    ],
  ])('reports why a signature is missing: %s', async (_name, changes, hint) => {
    const { code, message } = await catchVerificationError(changes);
    expect(code).toBe('MISSING_SIGNATURE');
    expect(message).toContain(hint);
  });
});
