import { delicateBodies, plainBody } from './genuine';
import {
  createVector,
  decodeSecret,
  eventId,
  now,
  rejected,
  secrets,
  signHeaders,
  signPosition,
  signService,
  signStandard,
  toleranceSeconds,
  type Vector,
  type VectorFile,
} from './vector';

const plain = signHeaders(plainBody);
const serviceSignature = plain['Service-Signature'] ?? '';
const webhookSignature = plain['webhook-signature'] ?? '';
const key = decodeSecret(secrets.current);

const position = signPosition(plainBody, 'sequence=7, orderVersion=2');

const onlyService = { serviceSignature: true, webhookSignature: false };
const onlyStandard = { serviceSignature: false, webhookSignature: true };
const both = { serviceSignature: true, webhookSignature: true };

function without(...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(plain).filter(([name]) => !names.includes(name)));
}

/** A delivery whose body was changed after it was signed. */
function changedBody(name: string, signed: Buffer, received: Buffer): Vector {
  return createVector(name, {
    body: received,
    headers: signHeaders(signed),
    expected: rejected('SIGNATURE_MISMATCH', 'Both signatures are of another body.'),
  });
}

/** A delivery with other headers. */
function changedHeaders(
  name: string,
  headers: Record<string, string>,
  expected: Vector['expected'],
): Vector {
  return createVector(name, { body: plainBody, headers: { ...plain, ...headers }, expected });
}

/** A delivery to a receiver with another secret. */
function otherSecret(name: string, secret: string, expected: Vector['expected']): Vector {
  return createVector(name, { body: plainBody, headers: plain, secrets: [secret], expected });
}

function text(startsWith: string): Buffer {
  const found = delicateBodies.find(({ name }) => name.startsWith(startsWith));
  return Buffer.from(found?.text ?? '');
}

function buildChangedBodies(): Vector[] {
  const flipped = Buffer.from(plainBody);
  flipped[flipped.indexOf('fulfilling')] = 0x46;
  const replaced = (body: Buffer, from: RegExp, to: string) =>
    Buffer.from(body.toString().replace(from, to));
  const numbers = text('numbers');
  return [
    changedBody('a body with one letter changed', plainBody, flipped),
    changedBody('a body with a line break after it', plainBody, Buffer.from(`${plainBody}\n`)),
    changedBody('an empty body', plainBody, Buffer.alloc(0)),
    changedBody(
      'a body that was parsed and serialized again',
      numbers,
      Buffer.from(JSON.stringify(JSON.parse(numbers.toString()))),
    ),
    changedBody(
      'a body without its byte order mark',
      text('a byte order'),
      replaced(text('a byte order'), /^\ufeff/, ''),
    ),
    changedBody('a body whose CRLF became LF', text('CRLF'), replaced(text('CRLF'), /\r\n/g, '\n')),
    changedBody(
      'a body decoded as Latin-1',
      text('Unicode'),
      Buffer.from(text('Unicode').toString('latin1')),
    ),
  ];
}

function buildChangedSignatures(): Vector[] {
  const malformed = (reason: string) => rejected('MALFORMED_SIGNATURE', reason, onlyStandard);
  const unsigned = (reason: string) => rejected('SIGNATURE_MISMATCH', reason, onlyService);
  const unversioned = rejected(
    'MALFORMED_SIGNATURE',
    'No signature has the version v1.',
    onlyService,
  );
  return [
    changedHeaders(
      'Service-Signature in upper case',
      { 'Service-Signature': serviceSignature.toUpperCase() },
      malformed('The API specification requires lowercase digits.'),
    ),
    changedHeaders(
      'Service-Signature in base64',
      { 'Service-Signature': Buffer.from(serviceSignature, 'hex').toString('base64') },
      malformed('It is not hexadecimal.'),
    ),
    changedHeaders(
      'Service-Signature with a prefix',
      { 'Service-Signature': `sha256=${serviceSignature}` },
      malformed('It is not hexadecimal.'),
    ),
    changedHeaders(
      'Service-Signature without its last digit',
      { 'Service-Signature': serviceSignature.slice(0, -1) },
      malformed('It has 63 digits instead of 64.'),
    ),
    changedHeaders(
      'Service-Signature keyed with the decoded secret',
      { 'Service-Signature': signService(key, plainBody) },
      rejected('SIGNATURE_MISMATCH', 'Its key is the whole text of the secret.', onlyStandard),
    ),
    changedHeaders(
      'webhook-signature keyed with the text of the secret',
      { 'webhook-signature': signStandard(secrets.current, eventId, now, plainBody) },
      unsigned('Its key is the bytes that follow whsec_ as base64.'),
    ),
    changedHeaders(
      'webhook-signature of the body alone',
      {
        'webhook-signature': `v1,${Buffer.from(signService(key, plainBody), 'hex').toString('base64')}`,
      },
      unsigned('It covers the ID and the timestamp too.'),
    ),
    changedHeaders(
      'webhook-signature with another version',
      { 'webhook-signature': webhookSignature.replace('v1,', 'v2,') },
      unversioned,
    ),
    changedHeaders(
      'webhook-signature without its version',
      { 'webhook-signature': webhookSignature.replace('v1,', '') },
      unversioned,
    ),
    changedHeaders(
      'a captured delivery under a new webhook-id',
      { 'webhook-id': 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GJ' },
      unsigned('Service-Signature does not cover the ID; webhook-signature does.'),
    ),
    changedHeaders(
      'a captured delivery with a new webhook-timestamp',
      { 'webhook-timestamp': String(now - 10) },
      unsigned('Service-Signature does not cover the timestamp; webhook-signature does.'),
    ),
    changedHeaders(
      'a position that was changed',
      { ...position, 'Tradepost-Position': 'sequence=7, orderVersion=3' },
      rejected('SIGNATURE_MISMATCH', 'Tradepost-Position-Signature is of another position.', both),
    ),
    changedHeaders(
      'a position without its signature',
      { 'Tradepost-Position': 'sequence=7, orderVersion=2' },
      rejected('SIGNATURE_MISMATCH', 'Anyone could have added the position.', both),
    ),
    changedHeaders(
      'the position of another delivery',
      signPosition(Buffer.from('{}'), 'sequence=7, orderVersion=3'),
      rejected('SIGNATURE_MISMATCH', 'Tradepost-Position-Signature covers the body too.', both),
    ),
    otherSecret(
      'a receiver with the secret of another webhook',
      secrets.other,
      rejected('SIGNATURE_MISMATCH', 'Both signatures are of another secret.'),
    ),
    otherSecret(
      'a receiver whose secret lost whsec_',
      secrets.current.slice('whsec_'.length),
      // The Standard Webhooks libraries take a secret with or without the prefix.
      rejected('SIGNATURE_MISMATCH', 'The key of Service-Signature includes whsec_.', onlyStandard),
    ),
  ];
}

function buildMissingHeaders(): Vector[] {
  const missing = (
    name: string,
    headers: Record<string, string>,
    expected: Vector['expected'],
    requireTimestamp = true,
  ) => createVector(name, { body: plainBody, headers, expected, requireTimestamp });
  const incomplete = rejected(
    'MISSING_HEADER',
    'One of the three Standard Webhooks headers is missing.',
    onlyService,
  );
  return [
    missing('no headers', {}, rejected('MISSING_SIGNATURE', 'Service-Signature is missing.')),
    missing(
      'no Service-Signature',
      without('Service-Signature'),
      rejected(
        'MISSING_SIGNATURE',
        'Service-Signature is missing; every service sends it.',
        onlyStandard,
      ),
    ),
    missing(
      'an empty Service-Signature',
      { ...plain, 'Service-Signature': '' },
      rejected('MISSING_SIGNATURE', 'Service-Signature is empty.', onlyStandard),
    ),
    missing(
      'only Service-Signature, although the receiver requires all headers',
      { 'Service-Signature': serviceSignature },
      rejected(
        'MISSING_HEADER',
        'Without the other headers, a captured delivery could be sent again at any time.',
        onlyService,
      ),
    ),
    missing('no webhook-signature', without('webhook-signature'), incomplete),
    missing(
      'no webhook-signature, and the receiver does not require it',
      without('webhook-signature'),
      incomplete,
      false,
    ),
    missing('no webhook-id', without('webhook-id'), incomplete),
    missing('no webhook-timestamp', without('webhook-timestamp'), incomplete),
  ];
}

function buildOtherTimes(): Vector[] {
  const at = (name: string, timestamp: number | string, code: string, reason: string) =>
    createVector(name, {
      body: plainBody,
      headers: signHeaders(plainBody, { timestamp }),
      expected: rejected(code, reason, onlyService),
    });
  return [
    at(
      'a timestamp one second too old',
      now - toleranceSeconds - 1,
      'TIMESTAMP_TOO_OLD',
      'It is 301 seconds old.',
    ),
    at(
      'a timestamp one second too far in the future',
      now + toleranceSeconds + 1,
      'TIMESTAMP_TOO_NEW',
      'It is 301 seconds in the future.',
    ),
    at('a timestamp of a year ago', now - 31_536_000, 'TIMESTAMP_TOO_OLD', 'It is a year old.'),
    at(
      'a timestamp in milliseconds',
      now * 1_000,
      'MALFORMED_TIMESTAMP',
      'It is in seconds since 1970.',
    ),
    at(
      'a timestamp that is not a number',
      'yesterday',
      'MALFORMED_TIMESTAMP',
      'It is in seconds since 1970.',
    ),
  ];
}

function buildSignedNonEvents(): Vector[] {
  const signed = (name: string, content: string, code: string) => {
    const body = Buffer.from(content);
    return createVector(name, {
      body,
      headers: signHeaders(body),
      expected: rejected(code, 'Both signatures are right, but the body is not an event.', both),
    });
  };
  const rest = '"createdAt":"2026-11-21T09:29:58.120Z","data":{}';
  return [
    signed('a signed body that is not JSON', 'event=order.created', 'MALFORMED_BODY'),
    signed('a signed body that is a list', '[]', 'MALFORMED_BODY'),
    signed('a signed body that is null', 'null', 'MALFORMED_BODY'),
    signed(
      'a signed body with the field type instead of event',
      `{"type":"order.created",${rest}}`,
      'MISSING_EVENT',
    ),
    signed('a signed body whose event is not text', `{"event":7,${rest}}`, 'MISSING_EVENT'),
    signed(
      'a signed body without data',
      '{"event":"order.created","createdAt":"2026-11-21T09:29:58.120Z"}',
      'MALFORMED_BODY',
    ),
  ];
}

/** Deliveries that a receiver must reject. */
export function buildForgedVectors(): VectorFile {
  return {
    description:
      'Deliveries that were changed, captured or badly signed. A receiver rejects all of them.',
    now,
    toleranceSeconds,
    vectors: [
      ...buildChangedBodies(),
      ...buildChangedSignatures(),
      ...buildMissingHeaders(),
      ...buildOtherTimes(),
      ...buildSignedNonEvents(),
    ],
  };
}
