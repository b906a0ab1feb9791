/** What to do when a connection did not come about, by the code of the system or of OpenSSL. */
const hintOfBreak: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOTFOUND:
      'No such host is known: check TRADEPOST_BASE_URL or --base-url, and the network or the VPN.',
    EAI_AGAIN: 'Names cannot be looked up: check the network or the VPN.',
    ECONNREFUSED:
      'Nothing listens there: check TRADEPOST_BASE_URL or --base-url, and that the service runs.',
    CERT_HAS_EXPIRED:
      "The service's certificate has expired: tell who runs it. Check the date of this machine as well.",
    ERR_TLS_CERT_ALTNAME_INVALID:
      'The certificate is of another host: check TRADEPOST_BASE_URL or --base-url.',
    ERR_SSL_WRONG_VERSION_NUMBER:
      'That port does not speak TLS: check TRADEPOST_BASE_URL or --base-url, whether it is http:// there.',
  }),
);

/** An authority that Node does not know signed the certificate. */
const unknownAuthority = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** What to do when no answer came: as precise as the reason that the system gave; null when it gave none. */
export function hintOfBreakBy({ cause }: Error): string | null {
  const code = codeOf(cause);
  if (unknownAuthority.includes(code)) {
    return 'If it is signed by an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.';
  }
  return hintOfBreak.get(code) ?? null;
}

/** The code of the error at the bottom: the system says there what happened. */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 8) return '';
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const below = codeOf(next, depth + 1);
  return below || ('code' in error && typeof error.code === 'string' ? error.code : '');
}
