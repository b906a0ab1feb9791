import type { RequestHandler, Response } from 'express';
import type { Caller } from '../accounts/account';
import type { AccountStore, KeyWithKind } from '../accounts/account-store';
import { hashApiKey, isApiKey } from '../accounts/api-key';
import { type Clock, timestamp } from '../clock';
import { DomainError } from '../domain-error';
import { hasBody } from './read-body';

/** The account that an authenticated request comes from. */
export function callerOf(res: Response): Caller {
  return res.locals.caller as Caller;
}

function refusalOf(key: KeyWithKind | null, now: number): string | null {
  if (key === null)
    return 'This API key is not known. Check it for a missing or changed character.';
  if (key.revokedAt !== null) return `API key ${key.hint} was revoked. Ask for a new one.`;
  if (key.expiresAt !== null && key.expiresAt <= now) {
    return `API key ${key.hint} expired at ${timestamp(key.expiresAt)}. Ask for a new one.`;
  }
  return null;
}

/**
 * Finds an API key that is good now.
 *
 * @throws DomainError `invalid_api_key`, which says why.
 */
async function requireKey(
  accounts: AccountStore,
  clock: Clock,
  text: string,
): Promise<KeyWithKind> {
  // The checksum spares the store a look for keys that were cut off or mistyped.
  const key = isApiKey(text) ? await accounts.findKeyByHash(hashApiKey(text)) : null;
  const refusal = refusalOf(key, clock.now());
  if (key === null || refusal !== null) throw new DomainError('invalid_api_key', refusal ?? '');
  return key;
}

/**
 * What checks a request's API key again, by the same rule as when the request came in: for a response that
 * has waited, during which the key may have been revoked or have expired.
 */
export function getKeyCheck(res: Response): () => Promise<void> {
  return res.locals.requireValidKey as () => Promise<void>;
}

/** Lets requests through that carry a good API key as `Authorization: Bearer <API_KEY>`. */
export function authenticate(accounts: AccountStore, clock: Clock): RequestHandler {
  return async (req, res, next) => {
    const header = req.get('authorization');
    if (header === undefined) {
      throw new DomainError(
        'missing_api_key',
        'Send the API key with every request, as the header Authorization: Bearer <API_KEY>.',
      );
    }
    const [, text] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    if (text === undefined) {
      throw new DomainError(
        'invalid_api_key',
        'The Authorization header must read: Bearer, a space, and the API key.',
      );
    }
    const key = await requireKey(accounts, clock, text);
    const { accountId, kind, id: keyId, readOnly } = key;
    res.locals.caller = { accountId, kind, keyId, readOnly } satisfies Caller;
    // Most requests come in one piece: those have nothing to wait for.
    res.locals.bodyIsDue = hasBody(req) && !req.complete;
    res.locals.requireValidKey = async () => {
      await requireKey(accounts, clock, text);
    };
    next();
  };
}

/** Refuses changes that are asked for with a read-only key. */
export const refuseReadOnly: RequestHandler = (req, res, next) => {
  if (callerOf(res).readOnly && req.method !== 'GET' && req.method !== 'HEAD') {
    throw new DomainError(
      'read_only_api_key',
      'This API key may only read. Use another key of the account to make changes.',
    );
  }
  next();
};

/**
 * Checks the key of a change again once its body has arrived, if that was still due: a client may send it as slowly
 * as it likes, and nothing is changed for a key that was revoked meanwhile.
 */
export const authenticateAgain: RequestHandler = async (_req, res, next) => {
  if (res.locals.bodyIsDue) await getKeyCheck(res)();
  next();
};
