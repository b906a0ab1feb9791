import type { RouteMetadata } from '@tradepost/contract';
import { requestLimits } from '@tradepost/contract/wire';
import type { AccountStore, ApiKeyWithAccount, Caller } from '@tradepost/domain/accounts/account';
import {
  readBearerKey,
  requireValid,
  requireWriteAccess,
  toCaller,
} from '@tradepost/domain/accounts/authentication';
import type { Clock } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { malformedJson, notJson } from '@tradepost/domain/problems';
import type { RequestContext } from '@tradepost/domain/route-handlers';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { hashApiKey, isApiKey, type KeyUsage } from '../kernel/api-key';
import { seal, unseal } from '../kernel/seal';

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
  hash: string | null,
): Promise<ApiKeyWithAccount> {
  const key = hash === null ? null : await accounts.findKeyByHash(hash);
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

/**
 * Requires a valid API key as `Authorization: Bearer <API_KEY>`.
 *
 * @param limiter Responds to requests whose key was beyond a limit a moment ago; returns whether it did.
 * @param onAuthenticated Called with the SHA-256 of each valid key and its account.
 */
export function authenticate(
  accounts: AccountStore,
  clock: Clock,
  usage: KeyUsage,
  limiter: { rejectAgain(keyHash: string, res: Response): boolean },
  onAuthenticated: (keyHash: string, accountId: string) => void,
): RequestHandler {
  return async (req, res, next) => {
    const text = readBearerKey(req.headers.authorization);
    // The checksum saves a query for truncated or mistyped keys.
    const hash = isApiKey(text) ? hashApiKey(text) : null;
    if (hash !== null && limiter.rejectAgain(hash, res)) return;
    const key = await requireKey(accounts, clock, hash);
    usage.touch(key.id);
    onAuthenticated(key.hash, key.accountId);
    res.locals.caller = toCaller(key);
    res.locals.apiKey = text;
    res.locals.keyHash = hash;
    res.locals.requestsPerMinute = key.requestsPerMinute;
    // Most requests arrive at once; for those there is nothing to wait for.
    res.locals.bodyIsPending = hasBody(req) && !req.complete;
    res.locals.requireValidKey = async () => {
      await requireKey(accounts, clock, hash);
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
