import { findUnknownOption } from '../option-names';
import {
  type CheckedDelivery,
  defaultMaxBytes,
  getHeader,
  listSecrets,
  optionNames,
  positionSignature,
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './checks';
import { diagnoseMismatch, type Search, searchAsync, searchSync } from './diagnose';
import { decodeText, readEvent } from './event';
import { type NodeCrypto, nodeCrypto, verifyHmacWithNode } from './hmac-node';
import { verifyHmacWithWebCrypto } from './hmac-webcrypto';
import type { VerificationOptions } from './options';
import { rawBytes } from './raw-body';
import { findSecretsMistake } from './secrets';
import {
  fail,
  type VerificationFailure,
  type WebhookVerificationErrorCode,
} from './verification-error';

/**
 * Code and message of an error. The caller creates the error, because a separately loaded file would have
 * another class.
 */
type Explanation = [code: WebhookVerificationErrorCode, message: string];

/** The options of a verification, with any payload. */
export type VerificationInput = Omit<CheckedDelivery, 'payload'> & { payload: unknown };

/** The header in its documented spelling. */
const shown = 'Service-Signature';

/**
 * Explains a failed check, with the fix for the framework in use. Diagnoses a mismatch if `diagnose` allows
 * it.
 *
 * @param stack of the caller, to recognise the framework
 */
export async function explain(
  failure: VerificationFailure,
  attempted: VerificationInput,
  stack: string | undefined,
): Promise<Explanation> {
  const crypto = nodeCrypto();
  return crypto
    ? explainSync(failure, attempted, stack, crypto)
    : searchAsync(explaining(failure, attempted, stack), verifyHmacWithWebCrypto);
}

/** Explains a failed check like `explain`, synchronously. */
export function explainSync(
  failure: VerificationFailure,
  attempted: VerificationInput,
  stack: string | undefined,
  crypto: NodeCrypto,
): Explanation {
  return searchSync(explaining(failure, attempted, stack), verifyHmacWithNode(crypto));
}

function* explaining(
  given: VerificationFailure,
  attempted: VerificationInput,
  stack = '',
): Search<Explanation> {
  const refined = refine(given, attempted);
  const { diagnose = isDevelopment() } = attempted;
  const payload = rawBytes(attempted.payload);
  const isMismatch = refined.failure === 'SIGNATURE_MISMATCH' && refined.about === serviceSignature;
  const cause =
    diagnose && isMismatch && payload !== null
      ? yield* diagnoseIfPossible({ ...attempted, payload })
      : null;
  const [code, text] = describeFailure(cause ?? refined, attempted);
  const hint = /^BODY_(ALREADY_PARSED|RES)/.test(code) ? ` ${rawBodyHint(stack)}` : '';
  return [code, `${text}${hint}`];
}

/** Makes a failure more specific. The checks themselves do only what is necessary. */
function refine(
  given: VerificationFailure,
  { headers, signature }: VerificationInput,
): VerificationFailure {
  const { failure, about } = given;
  const isTimestamp = /^\d{1,12}$/.test(getHeader(headers, webhookTimestamp));
  if (failure === 'TIMESTAMP_TOO_OLD') {
    if (!isTimestamp) return fail('MALFORMED_TIMESTAMP');
    return Number(about) < 0 ? fail('TIMESTAMP_TOO_NEW', -Number(about)) : given;
  }
  if (failure !== 'SIGNATURE_MISMATCH') return given;
  if (about === serviceSignature) {
    const value = signature || getHeader(headers, serviceSignature);
    return /^[0-9a-f]{64}$/.test(value) ? given : fail('MALFORMED_SIGNATURE', about);
  }
  if (about === positionSignature) return given;
  if (!isTimestamp) return fail('MALFORMED_TIMESTAMP');
  const isSigned = /(^| )v1,\S{44}( |$)/.test(getHeader(headers, webhookSignature));
  return isSigned ? given : fail('MALFORMED_SIGNATURE', about);
}

/** A forged body may be impossible to serialize, such as thousands of nested brackets. */
function* diagnoseIfPossible(checked: CheckedDelivery): Search<VerificationFailure | null> {
  try {
    return yield* diagnoseMismatch(checked);
  } catch {
    return null;
  }
}

/** Describes what is wrong and what to do. */
function describeFailure(
  { failure, about }: VerificationFailure,
  attempted: VerificationInput,
): Explanation {
  const { tolerance = 300, maxBytes = defaultMaxBytes } = attempted;
  const seconds = Math.round(Number(about));
  const say = (text: string): Explanation => [failure, text];
  switch (failure) {
    case 'INVALID_CONFIGURATION':
      return say(about ? noWebCrypto : describeMistake(attempted));
    case 'BODY_ALREADY_PARSED':
      return say(
        `payload must be the raw body as string, Uint8Array or ArrayBuffer, or an unread Request: it is ${describeType(attempted.payload)}.`,
      );
    case 'BODY_TOO_LARGE':
      return say(tooLarge(maxBytes));
    case 'MISSING_SIGNATURE':
      return say(missing(shown, attempted));
    case 'MISSING_HEADER': {
      const name =
        [webhookSignature, webhookTimestamp, webhookId].find(
          (one) => !getHeader(attempted.headers, one),
        ) ?? '';
      const required = attempted.requireTimestamp
        ? ' requireTimestamp requires it: leave that option out for a service that sends only Service-Signature.'
        : '';
      return say(`${missing(name, attempted)}${required}`);
    }
    case 'MALFORMED_SIGNATURE':
      return say(
        about === webhookSignature
          ? `${about} must be v1, a comma and the base64 of 32 bytes: pass the header unchanged.`
          : `${shown} must be 64 lowercase hex digits and nothing else: pass the header unchanged.`,
      );
    case 'MALFORMED_TIMESTAMP':
      return say(`${webhookTimestamp} must be seconds since 1970: pass the header unchanged.`);
    case 'SIGNATURE_MISMATCH':
      if (about === positionSignature) {
        return say(
          'The other signatures match, but Tradepost-Position-Signature does not: Tradepost-Position was changed, or a proxy drops its signature. Pass all headers unchanged.',
        );
      }
      return say(
        about === webhookSignature
          ? `${shown} matches, but ${about} does not: ${webhookId} or ${webhookTimestamp} was changed. A replay with a changed timestamp looks like this.`
          : `${shown} does not match: pass the bytes of the body unchanged, never parsed and stringified, and the whole secret of this webhook, including whsec_.`,
      );
    case 'BODY_RESERIALIZED':
      return say(`${shown} matches ${about}.`);
    case 'SECRET_WHITESPACE':
      return say(
        'The secret has whitespace or quotes around it, and matches without them: trim it where it is configured.',
      );
    case 'WRONG_SECRET':
      return say(String(about));
    case 'TIMESTAMP_TOO_OLD':
      return say(
        `The delivery was signed ${seconds} s ago and tolerance is ${tolerance} s: it is a replay, or the clock of this machine is wrong.`,
      );
    case 'TIMESTAMP_TOO_NEW':
      return say(
        `The delivery was signed ${seconds} s in the future and tolerance is ${tolerance} s: the clock of this machine is wrong.`,
      );
    case 'EVENT_TOO_OLD':
      return say(
        `The event is from ${readCreatedAt(attempted.payload)}, which is older than maxEventAge (${attempted.maxEventAge} s): it is a replay, or a delivery that arrived late.`,
      );
    // Only a receiver has these, and explains them itself.
    case 'INVALID_EVENT':
    case 'SECRET_UNAVAILABLE':
      return say('');
    case 'MALFORMED_BODY':
    case 'MISSING_EVENT':
      return describeEnvelope(attempted.payload);
  }
}

const noWebCrypto = 'verifyWebhook needs WebCrypto, which browsers have on https pages only.';

function describeMistake(attempted: VerificationInput): string {
  return (
    findUnknownOption(attempted, optionNames) ??
    findSecretsMistake(listSecrets(attempted)) ??
    findLimitMistake(attempted) ??
    `now must be a date or milliseconds since 1970 (got ${attempted.now}).`
  );
}

/** Returns what is wrong with the limits of a verification; undefined if nothing is. */
export function findLimitMistake({
  tolerance = 300,
  maxBytes = 1,
  maxEventAge = 1,
}: Pick<VerificationOptions, 'tolerance' | 'maxBytes' | 'maxEventAge'>): string | undefined {
  if (!(tolerance > 0 && tolerance < 1e12))
    return 'tolerance must be a positive number of seconds.';
  if (!(maxEventAge > 0)) return 'maxEventAge must be a positive number of seconds.';
  return maxBytes > 0 ? undefined : 'maxBytes must be a positive number of bytes.';
}

function describeType(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) {
    return payload === '' ? 'an empty text' : String(payload);
  }
  if ('bodyUsed' in payload) {
    return payload.bodyUsed
      ? 'a Request that was already read'
      : 'a Request, which takes an await to read: use await verifyWebhook';
  }
  if ('then' in payload) return 'a promise: await it';
  if ('arrayBuffer' in payload) return 'a Blob: pass new Uint8Array(await blob.arrayBuffer())';
  if ('getReader' in payload || 'pipe' in payload) {
    return 'a stream: read it to its end and pass the bytes, or pass the Request itself';
  }
  return Array.isArray(payload) ? 'an array' : 'an object, so a parser has already run';
}

function missing(name: string, { headers }: VerificationInput): string {
  const reason = !headers
    ? ' No headers were passed.'
    : typeof headers.get !== 'function' && !Object.keys(headers).length
      ? ' The passed headers are empty: spreading a Headers object into {} loses them.'
      : '';
  return `${name} is missing: pass the request's headers unchanged, and check that no proxy drops it.${reason}`;
}

/** Returns the `createdAt` of a signed body. */
function readCreatedAt(payload: unknown): string {
  return String(readEvent(rawBytes(payload) ?? '')?.createdAt);
}

/** Describes what a signed body lacks. */
function describeEnvelope(payload: unknown): Explanation {
  const explain = (
    fault: string,
    code: WebhookVerificationErrorCode = 'MALFORMED_BODY',
  ): Explanation => [code, `The signed body ${fault}: check which service sent it.`];
  let envelope: unknown;
  try {
    envelope = JSON.parse(decodeText(rawBytes(payload) ?? ''));
  } catch {
    return explain('is not valid JSON');
  }
  if (typeof envelope !== 'object' || !envelope || Array.isArray(envelope)) {
    return explain('is not a JSON object');
  }
  const { event, type, createdAt } = envelope as Record<string, unknown>;
  if (typeof event !== 'string' || !event) {
    const hint = type ? ' (it has "type", but this service names the type in "event")' : '';
    return explain(`has no field "event"${hint}`, 'MISSING_EVENT');
  }
  return explain(`has no field "${typeof createdAt === 'string' ? 'data' : 'createdAt'}"`);
}

/** Returns the message for a body of more than `maxBytes`. */
export function tooLarge(maxBytes: number): string {
  return `The body exceeds maxBytes, ${maxBytes} bytes. Deliveries of the service are smaller. To accept larger ones, raise maxBytes.`;
}

/**
 * Whether this is a development environment. Elsewhere, costly diagnosis and logging are off, because forged
 * deliveries could cause them. Without `process` it is false.
 */
export function isDevelopment(): boolean {
  return typeof process !== 'undefined' && process.env?.NODE_ENV !== 'production';
}

/** A framework, how to recognise it, and how to get the raw body there. */
interface Framework {
  /** An environment variable that its hosts set. */
  variable?: string;
  /** A part of the paths of its modules, as in a stack trace: a regular expression. */
  path?: string;
  /** What to pass to a verification function. */
  hint: string;
  /** What to change for a receiver. */
  receiver: string;
}

const frameworks: Framework[] = [
  {
    variable: 'AWS_LAMBDA_FUNCTION_NAME',
    hint: "In AWS Lambda, pass Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), or use webhookReceiver(…).lambda.",
    receiver:
      'In AWS Lambda, export receiver.lambda as the handler, without a body parser before it.',
  },
  {
    variable: 'FUNCTION_TARGET',
    hint: 'In Cloud Functions and Firebase, pass request.rawBody, not request.body.',
    receiver:
      'In Cloud Functions and Firebase, pass the request of the host itself: its rawBody has the bytes.',
  },
  {
    path: '/@nestjs/',
    hint: 'In NestJS, create the application with { rawBody: true } and pass request.rawBody of RawBodyRequest.',
    receiver: 'In NestJS, create the application with { rawBody: true }.',
  },
  {
    variable: 'NEXT_RUNTIME',
    path: '/next/dist/',
    hint: 'In Next.js, pass the Request of a route handler as payload; under pages/api, `export const config = { api: { bodyParser: false } }` and read the stream.',
    receiver:
      'In Next.js, pass the Request of a route handler before anything reads it; under pages/api, `export const config = { api: { bodyParser: false } }`.',
  },
  {
    path: '/fastify/',
    hint: "In Fastify, register webhookReceiver(…).fastify, or your own parser: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)).",
    receiver: 'In Fastify, register receiver.fastify: it reads the body before any parser.',
  },
  {
    path: '/hono/',
    hint: 'In Hono, pass context.req.raw as payload, before anything calls context.req.json().',
    receiver: 'In Hono, pass context.req.raw before anything calls context.req.json().',
  },
  {
    path: '/koa',
    hint: 'In Koa, keep koa-bodyparser off this route and read context.req, or pass context.request.rawBody.',
    receiver: 'In Koa, put the receiver before koa-bodyparser.',
  },
  {
    // The second is the router of Express 5.
    path: '/(express|router)/',
    hint: "In Express, put express.raw({ type: 'application/json' }) on this route, before any express.json(), and pass request.body.",
    receiver:
      'In Express, add the route of the receiver before app.use(express.json()), or keep the bytes: express.json({ verify: (request, _, bytes) => { request.rawBody = bytes; } }).',
  },
];

const defaultHint =
  "Read the raw body before any parser does. In Express, use express.raw({ type: 'application/json' }) on the route. With a web Request, pass the Request itself.";

/** Returns how to get the raw body in the framework in use, as far as stack and environment reveal it. */
export function rawBodyHint(stack?: string): string {
  return findFramework(stack)?.hint ?? defaultHint;
}

/**
 * Returns how to give a receiver the raw body in the framework in use.
 *
 * @param otherwise the advice when the framework is unknown
 */
export function receiverHint(stack: string | undefined, otherwise: string): string {
  return findFramework(stack)?.receiver ?? otherwise;
}

function findFramework(stack = ''): Framework | undefined {
  const path = stack.replaceAll('\\', '/');
  const environment = typeof process === 'undefined' ? {} : (process.env ?? {});
  return frameworks.find(
    (one) =>
      (one.variable !== undefined && environment[one.variable] !== undefined) ||
      (one.path !== undefined && RegExp(`/node_modules${one.path}`).test(path)),
  );
}
