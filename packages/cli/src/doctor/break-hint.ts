import type { AnyTradepostError } from '@tradepost/sdk';
import { hintOf } from '../hint-of';
import type { Terminal } from '../terminal';

const hintOfBreak: Readonly<Record<string, string>> = {
  ENOTFOUND:
    'No such host is known: check the spelling of the base URL, and the network or the VPN.',
  EAI_AGAIN: 'Names cannot be looked up: check the network or the VPN.',
  ECONNREFUSED: 'Nothing listens there: check the port of the base URL, and that the service runs.',
  CERT_HAS_EXPIRED:
    "The service's certificate has expired: tell who runs it. Check the date of this machine as well.",
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is of another host: check the base URL.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'That port does not speak TLS: check the port, or whether it is http.',
};

/** An authority that Node does not know signed the certificate. */
const unknownAuthority = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const proxyHint =
  'HTTPS_PROXY is set: Node uses it from 22.21 and 24.5 on, and only with NODE_USE_ENV_PROXY=1.';

/** What to do when no answer came: as precise as the reason that the system gave. */
export function breakHint(error: AnyTradepostError, { env }: Terminal): string | null {
  if (error.status !== null) return hintOf(error);
  const code = codeOf(error);
  const hint = unknownAuthority.includes(code)
    ? 'If it is signed by an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.'
    : (hintOfBreak[code] ?? hintOf(error));
  const isBehindProxy = env.HTTPS_PROXY || env.https_proxy;
  return isBehindProxy && !env.NODE_USE_ENV_PROXY ? `${hint ?? ''} ${proxyHint}`.trim() : hint;
}

/** The code of the error at the bottom: the system says there what happened. */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 8) return '';
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const below = codeOf(next, depth + 1);
  return below || ('code' in error && typeof error.code === 'string' ? error.code : '');
}
