import { testIdMark } from '@tradepost/contract/wire';
import { concatBytes } from '../../webhooks/raw-body';
import { encodeBase64, encodeUtf8, signDelivery } from '../sign-delivery';
import type { CauseName } from './cause-texts';
import * as make from './requests';

/** What must be declared, or given, before a case can be judged. */
export type Need = 'signatureHeaderAlone' | 'standardWebhooks' | 'rotation' | 'webhookId';

/** What a right receiver does. */
export type Expectation = 'accept' | 'refuse' | 'either';

export interface ProbeCase {
  expectation: Expectation;
  make: make.Make;
  /** What the wrong outcome shows by itself, or the unusual one: that a wrong request is accepted, a right one is not. */
  cause?: CauseName | undefined;
  needs?: Need | undefined;
  /** Whether two requests are sent at the same time. Otherwise the second one is sent afterwards, and judged. */
  together?: true;
}

const caseOf =
  (expectation: Expectation, cause?: CauseName, needs?: Need) =>
  (request: make.Make): ProbeCase => ({ expectation, make: request, cause, needs });
const accept = caseOf('accept');
const either = caseOf('either');
const refuse = caseOf('refuse');
/** What only the service can sign, or does no harm. */
const lenient = caseOf('either', 'lenient');
const extended = caseOf('accept', 'refuses unknown fields');
const renamed = caseOf('accept', 'case-sensitive headers');
const dated = caseOf('accept', 'tight tolerance');
const copied = caseOf('accept', 'refuses duplicates');
const parameterized = caseOf('accept', 'content type');
const unsized = caseOf('accept', 'no chunked bodies');
const staged = caseOf('accept', 'first signature only');
const rotated = caseOf('accept', 'lacks the next secret', 'rotation');
const plain = caseOf('accept', undefined, 'signatureHeaderAlone');
const untyped = caseOf('either', 'refuses unknown types');
const named = caseOf('refuse', 'guessable key', 'webhookId');
const guessed = caseOf('refuse', 'guessable key');
const unsigned = caseOf('refuse', 'skips unsigned requests');
const partial = caseOf('refuse', 'compares a part');
const replayed = caseOf('refuse', 'replays', 'standardWebhooks');

/** HMAC pads keys with zeros, so this is the empty key, which WebCrypto does not take. */
const emptyKey = Uint8Array.of(0);
const zeros = '0'.repeat(64);
const unchanged = (event: object) => event;
const noBytes = `${'A'.repeat(43)}=`;

/**
 * What a probe sends, in this order. A receiver must accept what the service may send, and refuse what a sender without the
 * secret can send. What only a sender with the secret can send is noted at most.
 */
export const probeCases = {
  'genuine order.status_changed': accept(make.genuine('order.status_changed')),
  'genuine order.created': accept(make.genuine('order.created')),
  'genuine task.approval_requested': accept(make.genuine('task.approval_requested')),
  'genuine task.completed': accept(make.genuine('task.completed')),
  'genuine listing.availability_low': accept(make.genuine('listing.availability_low')),
  'unknown fields': extended(make.edge('unknown-fields')),
  'type beside event': extended(make.json((event) => ({ type: event.event, ...event }))),
  'indented JSON': accept(make.edge('indented')),
  'JSON with CRLF': accept(make.json(unchanged, (text) => text.replaceAll('\n', '\r\n'), 2)),
  'escaped JSON': accept(make.json(unchanged, (text) => text.replaceAll('_', String.raw`\u005f`))),
  'reordered JSON': accept(make.json(({ event, createdAt, data }) => ({ data, createdAt, event }))),
  'multibyte characters': accept(make.edge('multibyte')),
  'character split between writes': accept(
    make.split((body) => body.findIndex((byte) => byte >= 0x80) + 1),
  ),
  'chunked body': unsized(make.changed(() => ({ chunked: true }))),
  'content type with charset': parameterized(
    make.changed(({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    })),
  ),
  'header names in lower case': renamed(make.renamed((name) => name.toLowerCase())),
  'header names in upper case': renamed(make.renamed((name) => name.toUpperCase())),
  'signed 280 s ago': dated(make.genuine(null, -280)),
  'signed 280 s ahead': dated(make.genuine(null, 280)),
  'staged secret first': staged(make.edge('staged-secret')),
  'next secret': rotated(({ nextSecret = '', type }) =>
    signDelivery({ secret: nextSecret, event: make.testEvent(type) }),
  ),
  'Service-Signature alone': plain(make.edge('plain')),
  'second copy': copied(make.twice(0)),
  'second attempt': copied(make.twice(10)),
  'simultaneous copies': { ...copied(make.twice(0)), together: true },

  'signature in upper case': lenient(make.fault('uppercase-signature')),
  'signature in base64': lenient(
    make.signatures((hex) => {
      const bytes = (hex.match(/../g) ?? []).map((two) => Number.parseInt(two, 16));
      return [encodeBase64(Uint8Array.from(bytes))];
    }),
  ),
  'signature with a prefix': lenient(make.fault('malformed-signature')),
  'two signature headers': lenient(make.signatures((hex) => [[zeros, hex]])),
  'keys swapped': lenient(
    make.signedWith(({ service, standard }) => ({ service: standard, standard: service })),
  ),
  'key without whsec_': lenient(
    make.signedWith((right, { secret }) => ({
      ...right,
      service: encodeUtf8(secret.replace(/^whsec_/, '')),
    })),
  ),
  'key with a line end': lenient(
    make.signedWith((right, { secret }) => ({ ...right, service: encodeUtf8(`${secret}\n`) })),
  ),
  'signature of spaced JSON': lenient(
    make.signedWith((right, _, event) => ({
      ...right,
      signed: encodeUtf8(JSON.stringify(event).replaceAll(/(?<=")[:,](?=["{])/g, '$& ')),
    })),
  ),
  'signed 360 s ahead': lenient(make.fault('future')),
  'signed, not JSON': lenient(make.fault('not-json')),
  'signed, without event': lenient(make.fault('missing-event')),
  'signed, type for event': lenient(make.fault('type-for-event')),
  'unknown event type': untyped(make.json((event) => ({ ...event, event: 'order.probed' }))),
  '256 kB': either(make.json(unchanged, (text) => text.replace('{', '{'.padEnd(262_144)))),
  GET: lenient(make.changed(() => ({ method: 'GET', body: new Uint8Array() }))),

  'one bit flipped': refuse(
    make.changed(({ body }) => {
      // In an ID, behind its mark: what a receiver without verification acts on is test data too.
      const at = new TextDecoder().decode(body).indexOf(testIdMark) + testIdMark.length;
      return { body: body.map((byte, index) => (index === at ? byte ^ 1 : byte)) };
    }),
  ),
  truncated: refuse(make.fault('truncated')),
  'empty body': refuse(make.fault('empty')),
  'newline appended': refuse(
    make.changed(({ body }) => ({ body: concatBytes([body, encodeUtf8('\n')]) })),
  ),
  reserialized: refuse(make.fault('reserialized')),
  'wrong key': refuse(make.fault('wrong-secret')),
  'empty key': guessed(make.signedWith(() => ({ service: emptyKey, standard: emptyKey }))),
  // The standard key is what lenient decoders make of the text: it has a character too many for base64.
  'key undefined': guessed(
    make.signedWith(() => ({
      service: encodeUtf8('undefined'),
      standard: make.decode('undefine'),
    })),
  ),
  'webhook ID as key': named(
    make.signedWith((_, { webhookId = '' }) => {
      const key = encodeUtf8(webhookId);
      return { service: key, standard: key };
    }),
  ),
  'no signature': unsigned(make.signatures(() => [])),
  'empty signature': unsigned(make.signatures(() => ['', ''])),
  'prefix without signature': partial(make.signatures(() => ['sha256=', ''])),
  'one digit of the signature': partial(
    make.signatures((hex, base64) => [hex.slice(0, 1), base64.slice(0, 1)]),
  ),
  'right start of a signature': partial(
    make.signatures((hex, base64) => [
      hex.slice(0, 8) + zeros.slice(8),
      base64.slice(0, 8) + noBytes.slice(8),
    ]),
  ),
  'zeros as signature': refuse(make.signatures(() => [zeros, noBytes])),
  'signature of another body': refuse(
    make.signedWith((right) => ({
      ...right,
      signed: encodeUtf8(JSON.stringify(make.testEvent())),
    })),
  ),
  'é in the signature': refuse(
    make.signatures(() => [`${zeros.slice(1)}é`, `${noBytes.slice(2)}é=`]),
  ),
  'signed 360 s ago': replayed(make.fault('stale')),
  'another webhook-id': replayed(make.fault('another-id')),
  'another timestamp': replayed(make.fault('another-time')),
  'webhook- headers removed': replayed(make.edge('plain')),
  // Without it, a receiver that blocks its sender after some requests would seem to refuse what is forged.
  'genuine, at the end': accept(make.genuine(null)),
} satisfies Record<string, ProbeCase>;

/** The name of a case of the probe. */
export type CaseName = keyof typeof probeCases;

/** The cases in their order, each with its name. */
export const listedCases = Object.entries(probeCases) as [CaseName, ProbeCase][];

/** Returns the type of event of a case that is named after it. */
export function genuineType(name: CaseName): make.EventType | undefined {
  // All that follows `genuine ` in the table is a type.
  return /^genuine (.+)/.exec(name)?.[1] as make.EventType | undefined;
}
