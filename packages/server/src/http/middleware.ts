import { createHash } from 'node:crypto';
import type { RouteMetadata } from '@tradepost/contract';
import { headerNames, requestLimits } from '@tradepost/contract/wire';
import type { AccountStore, ApiKeyWithAccount, Caller } from '@tradepost/domain/accounts/account';
import {
  rateLimited,
  readBearerKey,
  requireValid,
  requireWriteAccess,
  toCaller,
  writeRateLimit,
  writeRateLimitPolicy,
} from '@tradepost/domain/accounts/authentication';
import { type Clock, clockTolerance } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { malformedJson, notJson } from '@tradepost/domain/problems';
import type { RequestContext } from '@tradepost/domain/route-handlers';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { MemoryStore, type Options } from 'express-rate-limit';
import { hashApiKey, isApiKey, type KeyUsage } from '../kernel/api-key';
import { seal, unseal } from '../kernel/seal';
import { sendProblem } from './problems';

/** Returns the account that sent an authenticated request. */
export function getCaller(res: Response): Caller {
  return res.locals.caller as Caller;
}

/**
 * Finds an API key that is currently valid.
 *
 * @throws DomainError `invalid_api_key`, with the reason.
 */
async function requireKey(
  accounts: AccountStore,
  clock: Clock,
  text: string,
): Promise<ApiKeyWithAccount> {
  // The checksum saves a query for truncated or mistyped keys.
  const key = isApiKey(text) ? await accounts.findKeyByHash(hashApiKey(text)) : null;
  return requireValid(key, clock.now());
}

/**
 * Returns the function that checks a request's API key again, for a response that was delayed: the key may have been revoked
 * or have expired meanwhile.
 */
export function getKeyCheck(res: Response): () => Promise<void> {
  return res.locals.requireValidKey as () => Promise<void>;
}

/** The metadata of the route that a request was matched with. */
function getMetadata(req: Request): RouteMetadata {
  return (req as Request & { tsRestRoute: { metadata: RouteMetadata } }).tsRestRoute.metadata;
}

/** Runs some handlers only for routes that need an API key, and others for those that need none. */
export function byKeys(withKey: RequestHandler, withoutKey: RequestHandler): RequestHandler {
  return (req, res, next) =>
    (getMetadata(req).keys === 'none' ? withoutKey : withKey)(req, res, next);
}

/** Encrypts and decrypts with the API key of an authenticated request, as `RequestContext` describes. */
export function getSealer(res: Response): Pick<RequestContext, 'seal' | 'unseal'> {
  const apiKey = res.locals.apiKey as string;
  return { seal: (text) => seal(text, apiKey), unseal: (sealed) => unseal(sealed, apiKey) };
}

/** Requires a valid API key as `Authorization: Bearer <API_KEY>`. */
export function authenticate(
  accounts: AccountStore,
  clock: Clock,
  usage: KeyUsage,
): RequestHandler {
  return async (req, res, next) => {
    const text = readBearerKey(req.headers.authorization);
    const key = await requireKey(accounts, clock, text);
    usage.touch(key.id);
    res.locals.caller = toCaller(key);
    res.locals.apiKey = text;
    // Most requests arrive at once; for those there is nothing to wait for.
    res.locals.bodyIsPending = hasBody(req) && !req.complete;
    res.locals.requireValidKey = async () => {
      await requireKey(accounts, clock, text);
    };
    next();
  };
}

/** Rejects changes with a read-only API key, except where any key is enough. */
export const rejectReadOnly: RequestHandler = (req, res, next) => {
  requireWriteAccess(getCaller(res), req.method, getMetadata(req));
  next();
};

/**
 * Checks the key of a change again after its body has arrived, unless it had arrived before. A client may send it slowly, and a
 * key that was revoked meanwhile must not change anything.
 */
export const reauthenticate: RequestHandler = async (_req, res, next) => {
  if (res.locals.bodyIsPending) await getKeyCheck(res)();
  next();
};

/** Returns whether requests with this method have a body. */
export function hasBody({ method }: Pick<Request, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes bytes as UTF-8. Decoded leniently, they would be stored as something that was not sent. */
function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid UTF-8, which JSON requires.');
  }
}

function requireUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') {
    throw new DomainError('unsupported_media_type', `Send the body as UTF-8, not as ${charset}.`);
  }
  decodeUtf8(body);
}

/** Parses JSON bodies of up to 65,536 bytes. Accepts any JSON value; the contract validates it. */
const parseAnyJson = express.json({
  limit: requestLimits.bodyBytes,
  strict: false,
  verify: requireUtf8,
});

/** Rejects bodies that are not sent as JSON. Otherwise they would be treated as missing. */
function requireJson(req: Request): void {
  // `is` returns null for a request without a body and false for another type. It treats an empty body as a body.
  if (req.is('application/json') === false && req.get('content-length') !== '0') {
    throw notJson(req.get('content-type'));
  }
}

/** Returns whether a body is what nearly all clients send: uncompressed JSON of a known and allowed length. */
function isPlain({ headers }: Request): boolean {
  const length = Number(headers['content-length']);
  return (
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    length > 0 &&
    length <= requestLimits.bodyBytes
  );
}

/** Reads a body whose `Content-Length` the HTTP parser enforces, several times as fast as a parser for all encodings. */
const readPlainJson: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.once('end', () => {
    try {
      const text = decodeUtf8(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      req.body = JSON.parse(text);
    } catch (error) {
      next(error instanceof SyntaxError ? malformedJson(error.message) : error);
      return;
    }
    next();
  });
  req.once('error', () => {
    next(new DomainError('malformed_request', 'The connection ended before the whole body.'));
  });
};

/** Reads the bodies of methods that have one, as JSON. Ignores the bodies of others. */
export const readJsonBody: RequestHandler = (req, res, next) => {
  if (!hasBody(req)) {
    next();
  } else if (isPlain(req)) {
    readPlainJson(req, res, next);
  } else {
    requireJson(req);
    parseAnyJson(req, res, next);
  }
};

const windowMs = 60_000;

/** A rate limiter and how to stop its timer. */
export interface RateLimiter {
  /** Runs after authentication. */
  limit: RequestHandler;
  stop(): void;
}

/**
 * Counts requests by API key and returns the remaining number in the IETF `RateLimit` headers. The library counts; its
 * middleware would compute the address of the client and a hash of the key for each request, which nothing needs.
 *
 * @param perMinute How many requests one key may make in a minute.
 */
export function createRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  const store = new MemoryStore();
  store.init({ windowMs } as Options);
  const policies = new PolicyHeaders(perMinute);
  let latest = 0;
  // The store returns an object that later requests change, so each one is read before the next request is counted.
  let lastCount: Promise<unknown> = Promise.resolve();
  function count(keyId: string): Promise<{ totalHits: number; seconds: number }> {
    const counted = lastCount
      .then(() => store.increment(keyId))
      .then(({ totalHits, resetTime }) => ({ totalHits, seconds: secondsUntil(resetTime) }));
    lastCount = counted.catch(() => undefined);
    return counted;
  }
  const limit: RequestHandler = async (_req, res, next) => {
    const now = clock.now();
    // Windows end by the system time. If the clock was set back by an hour, they would last an hour longer.
    if (now < latest - clockTolerance) void store.resetAll();
    latest = now;
    const { keyId } = getCaller(res);
    const { totalHits, seconds } = await count(keyId);
    const remaining = Math.max(0, perMinute - totalHits);
    res.setHeader(headerNames.rateLimit, writeRateLimit(remaining, seconds));
    res.setHeader(headerNames.rateLimitPolicy, policies.get(keyId));
    if (totalHits <= perMinute) return next();
    sendProblem(res, rateLimited(perMinute, windowMs, seconds));
  };
  return { limit, stop: () => store.shutdown() };
}

function secondsUntil(time: Date | undefined): number {
  return Math.max(0, Math.ceil(((time?.getTime() ?? 0) - Date.now()) / 1_000));
}

const maxPolicies = 10_000;

/** The `RateLimit-Policy` header of each API key, whose partition key is a hash of its ID. */
class PolicyHeaders {
  readonly #perMinute: number;
  readonly #headers = new Map<string, string>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  get(keyId: string): string {
    const known = this.#headers.get(keyId);
    if (known !== undefined) return known;
    if (this.#headers.size >= maxPolicies) this.#headers.clear();
    const hash = createHash('sha256').update(keyId).digest('hex').slice(0, 12);
    const partition = Buffer.from(hash).toString('base64');
    const header = writeRateLimitPolicy(this.#perMinute, windowMs, partition);
    this.#headers.set(keyId, header);
    return header;
  }
}
