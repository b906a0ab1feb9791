import type { AnyTradepostError } from '@tradepost/sdk';
import { hintOf } from '../hint-of';
import type { Terminal } from '../terminal';

const proxyHint =
  'HTTPS_PROXY is set: Node uses it from 22.21 and 24.5 on, and only with NODE_USE_ENV_PROXY=1.';

/** What to do when no answer came, with what this machine's proxy has to do with it. */
export function breakHint(error: AnyTradepostError, { env }: Terminal): string | null {
  const hint = hintOf(error);
  const isBehindProxy = env.HTTPS_PROXY || env.https_proxy;
  return error.status === null && isBehindProxy && !env.NODE_USE_ENV_PROXY
    ? `${hint ?? ''} ${proxyHint}`.trim()
    : hint;
}
