import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Caller } from '../accounts/account';
import { blotOutKeys } from '../blot-out-keys';
import { requestIdOf } from './request-id';

/** Logs each request once it is answered: who, what, the outcome, how long; never a header or a body. */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.once('close', () => {
      const caller = res.locals.caller as Caller | undefined;
      log.info(
        {
          requestId: requestIdOf(res),
          method: req.method,
          path: blotOutKeys(req.path),
          status: res.statusCode,
          duration: Math.round((performance.now() - started) * 10) / 10,
          ...(caller && { accountId: caller.accountId, keyId: caller.keyId }),
          ...(!res.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}
