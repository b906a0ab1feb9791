import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { exampleSecret as secret } from '../../../src/testing/index';
import { anyCharacter } from '../any-character';
import { now } from './limits';

/** A request that may be anything from a valid delivery to noise. */
export interface AnyRequest {
  method: string;
  /** Names in lower case, as Node has them. */
  headers: Record<string, string>;
  body: Buffer;
}

type Edit = (request: AnyRequest) => AnyRequest;

const kinds = ['order.created', 'order.status_changed', 'order.exploded', '__proto__', ''];
const names = ['service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/**
 * The raw check, written by hand: HMAC-SHA256 of the body's bytes, as in the API specification; if the
 * request has a signed timestamp, it must be within 300 seconds of now.
 */
export function isSigned({ headers, body }: Pick<AnyRequest, 'headers' | 'body'>): boolean {
  const right = createHmac('sha256', secret).update(body).digest('hex');
  if (headers['service-signature'] !== right) return false;
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': tags } = headers;
  if (!time && !tags) return true;
  if (!id || !time || !tags || Math.abs(Number(time) - now / 1_000) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const tag = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
  return tags.split(' ').includes(`v1,${tag}`);
}

function signed(body: Buffer, isStandard: boolean, sentAt: number, id: string): AnyRequest {
  const seconds = String(Math.floor(sentAt / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'service-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
  if (isStandard) {
    headers['webhook-id'] = id;
    headers['webhook-timestamp'] = seconds;
    headers['webhook-signature'] = `v1,${standard.digest('base64')}`;
  }
  return { method: 'POST', headers, body };
}

const anyEnvelope = fc
  .record({
    event: fc.oneof(fc.constantFrom(...kinds), fc.string()),
    createdAt: fc.constant('2026-11-21T09:30:00.000Z'),
    data: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
  })
  .map((envelope) => Buffer.from(JSON.stringify(envelope)));

const anyBody = fc.oneof(
  { weight: 4, arbitrary: anyEnvelope },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
);

const anyDelivery = fc
  .tuple(
    anyBody,
    fc.boolean(),
    fc.constantFrom(now, now, now, now - 400_000, now + 400_000),
    fc.oneof(fc.constant('evt_1'), fc.string({ minLength: 1, maxLength: 12 })),
  )
  .map(([body, isStandard, sentAt, id]) => signed(body, isStandard, sentAt, id));

function withHeader(name: string, change: (value: string) => string | null): Edit {
  return (request) => {
    const { [name]: old, ...others } = request.headers;
    // Some of these names are properties that every object inherits.
    const changed = change(typeof old === 'string' ? old : '');
    return { ...request, headers: changed === null ? others : { ...others, [name]: changed } };
  };
}

function withBody(change: (body: Buffer) => Buffer): Edit {
  return (request) => ({ ...request, body: change(request.body) });
}

function flipped(body: Buffer, bit: number): Buffer {
  if (!body.length) return body;
  const copy = Buffer.from(body);
  const at = Math.floor(bit / 8) % copy.length;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
  return copy;
}

const anyName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('content-length', 'content-type', 'get', 'constructor', '__proto__'),
  },
);
const anyValue = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', '0', '-1', 'NaN', '1e99', 'v1,', 'v1,AAAA', `v1,${'A'.repeat(43)}=`, 'null'),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
);

/** One change that may make a request invalid. */
export const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.nat({ max: 100_000 }).map((bit) => withBody((body) => flipped(body, bit))),
  fc.nat({ max: 300 }).map((length) => withBody((body) => body.subarray(0, length))),
  fc
    .uint8Array({ minLength: 1, maxLength: 4 })
    .map((more) => withBody((body) => Buffer.concat([body, more]))),
  fc.constant(withBody((body) => Buffer.concat([Buffer.from('\ufeff'), body]))),
  fc.constant(withBody(() => Buffer.alloc(5_000, ' '))),
  anyName.map((name) => withHeader(name, () => null)),
  fc.tuple(anyName, anyValue).map(([name, value]) => withHeader(name, () => value)),
  anyName.map((name) => withHeader(name, (value) => value.toUpperCase())),
  anyName.map((name) => withHeader(name, (value) => `${value}, ${value}`)),
  anyName.map((name) => withHeader(name, (value) => ` ${value}\n`)),
  fc
    .tuple(anyName, fc.nat({ max: 63 }))
    .map(([name, at]) =>
      withHeader(name, (value) => `${value.slice(0, at)}a${value.slice(at + 1)}`),
    ),
  fc.oneof(fc.constantFrom('GET', 'PUT', 'post', 'HEAD', ''), fc.string()).map(
    (method): Edit =>
      (request) => ({ ...request, method }),
  ),
);

/** A valid delivery with up to three changes; about a third stay valid. */
export const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .tuple(anyDelivery, fc.array(anyEdit, { maxLength: 3 }))
  .map(([delivery, edits]) => edits.reduce((request, edit) => edit(request), delivery));
