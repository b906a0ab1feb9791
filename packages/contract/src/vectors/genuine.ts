import { allEventTypes } from '../events/event';
import { sampleData } from '../events/sample-data';
import {
  accepted,
  createVector,
  decodeSecret,
  eventId,
  now,
  secrets,
  signHeaders,
  signPosition,
  signStandard,
  toleranceSeconds,
  type Vector,
  type VectorFile,
} from './vector';

const createdAt = '2026-11-21T09:29:58.120Z';
const samples = sampleData({
  agentId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GA',
  buyerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
  listingId: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL',
  orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  sellerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
  taskId: 'tsk_01KAJ8Q0V7T3M5X9R2C4D6F8GT',
  webhookId: 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
});
const data = { ...samples, 'order.created': { ...samples['order.created'], agentId: null } };

/** One event of each type. */
export const sampleEvents = allEventTypes.map((event) => ({ event, createdAt, data: data[event] }));

/** The body that most vectors start from. */
export const plainBody = Buffer.from(JSON.stringify(sampleEvents[1]));

/** Bodies that a receiver changes if it parses and serializes them, decodes them or trims them. */
export const delicateBodies: { name: string; text: string }[] = [
  {
    name: 'Unicode: two, three and four bytes per character, and a combining accent',
    text: `{"event":"order.created","createdAt":"${createdAt}","data":{"note":"Käse, 漢字, 🛒, e\u0301"}}`,
  },
  {
    name: 'escaped Unicode, slashes and a lone surrogate',
    text: `{"event":"order.created","createdAt":"${createdAt}","data":{"note":"\\u00e9 \\/ \\ud800"}}`,
  },
  {
    name: 'a byte order mark',
    text: `\ufeff{"event":"order.created","createdAt":"${createdAt}","data":{}}`,
  },
  {
    name: 'CRLF line breaks, indentation and a final line break',
    text: `{\r\n  "event": "order.created",\r\n  "createdAt": "${createdAt}",\r\n  "data": {}\r\n}\r\n`,
  },
  {
    name: 'numbers that are written differently when they are serialized again',
    text: `{"event":"order.created","createdAt":"${createdAt}","data":{"a":1.0,"b":1e2,"c":-0,"d":12345678901234567890,"e":0.1000}}`,
  },
  {
    name: 'keys in another order, one of them twice',
    text: `{"data":{"b":1,"a":2,"b":3},"createdAt":"${createdAt}","event":"order.created"}`,
  },
];

function genuine(name: string, body: Buffer, reason = 'Both signatures are right.'): Vector {
  return createVector(name, { body, headers: signHeaders(body), expected: accepted(reason) });
}

/** Genuine deliveries: all of them must be accepted. */
export function buildGenuineVectors(): VectorFile {
  const plain = signHeaders(plainBody);
  const staged = signStandard(decodeSecret(secrets.next), eventId, now, plainBody);
  const current = plain['webhook-signature'] ?? '';
  const rotation = { ...plain, 'webhook-signature': `${current} ${staged}` };
  const atTime = (name: string, timestamp: number) =>
    createVector(name, {
      body: plainBody,
      headers: signHeaders(plainBody, { timestamp }),
      expected: accepted('The timestamp is exactly at the tolerance.'),
    });
  const withSecrets = (name: string, headers: Record<string, string>, list: string[]) =>
    createVector(name, {
      body: plainBody,
      headers,
      secrets: list,
      expected: accepted('Each signature is right for one of the secrets.'),
    });
  return {
    description: 'Genuine deliveries. A receiver accepts all of them.',
    now,
    toleranceSeconds,
    vectors: [
      ...sampleEvents.map((event) => genuine(event.event, Buffer.from(JSON.stringify(event)))),
      ...delicateBodies.map(({ name, text }) => genuine(`a body with ${name}`, Buffer.from(text))),
      genuine(
        'an event type that is newer than the receiver',
        Buffer.from(`{"event":"order.archived","createdAt":"${createdAt}","data":{}}`),
        'Both signatures are right; the receiver decides what to do with unknown event types.',
      ),
      withSecrets('a staged secret: the receiver has the current one', rotation, [secrets.current]),
      withSecrets('a staged secret: the receiver has both', rotation, [
        secrets.next,
        secrets.current,
      ]),
      withSecrets(
        'a promoted secret: the receiver still has both',
        signHeaders(plainBody, { secret: secrets.next }),
        [secrets.next, secrets.current],
      ),
      withSecrets(
        'signatures of unknown versions beside the right one',
        { ...plain, 'webhook-signature': `v2,AAAA v1a,AAAA ${current}` },
        [secrets.current],
      ),
      withSecrets(
        'a position in the event log, with the version of the order',
        { ...plain, ...signPosition(plainBody, 'sequence=1838339481600000, orderVersion=2') },
        [secrets.current],
      ),
      withSecrets(
        'a position while a secret is staged',
        { ...rotation, ...signPosition(plainBody, 'sequence=7', [secrets.next, secrets.current]) },
        [secrets.current],
      ),
      atTime('a timestamp at the tolerance in the past', now - toleranceSeconds),
      atTime('a timestamp at the tolerance in the future', now + toleranceSeconds),
      createVector('a service that sends only Service-Signature', {
        body: plainBody,
        headers: { 'Service-Signature': plain['Service-Signature'] ?? '' },
        requireTimestamp: false,
        expected: {
          ...accepted('The signature that the API specification requires is right.'),
          webhookSignature: false,
        },
      }),
    ],
  };
}

const largeBodyBytes = 262_144;

/** One genuine delivery of 256 KiB, and the same with its last byte changed. */
export function buildLargeVectors(): VectorFile {
  const write = (note: string) =>
    Buffer.from(JSON.stringify({ event: 'order.created', createdAt, data: { note } }));
  const text = 'Käse, 漢字, 🛒. '.repeat(10_000);
  const body = write(text.padEnd(text.length + largeBodyBytes - write(text).length, '.'));
  const changed = Buffer.from(body);
  changed[changed.length - 4] = 0x21;
  return {
    description: `Deliveries with a body of ${body.length} bytes.`,
    now,
    toleranceSeconds,
    vectors: [
      genuine('a large body', body),
      createVector('a large body with one byte changed near its end', {
        body: changed,
        headers: signHeaders(body),
        expected: {
          ...accepted('Both signatures are of another body.'),
          serviceSignature: false,
          webhookSignature: false,
          accept: false,
          code: 'SIGNATURE_MISMATCH',
        },
      }),
    ],
  };
}
