import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress, literalAddress } from '../webhooks/public-address';
import type { WebhookPolicy } from '../webhooks/webhook-policy';

/** Raised instead of a connection to an address that deliveries may not go to. */
export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError' as const;
  readonly code = 'FORBIDDEN_ADDRESS' as const;

  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/** Looks names up as the system does, and refuses them if any of their addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return answer(error, '', 0);
    const hidden = addresses.find(({ address }) => !isPublicAddress(address));
    if (hidden) return answer(new ForbiddenAddressError(hidden.address), '', 0);
    const [first] = addresses;
    if (options.all || first === undefined) return answer(null, addresses);
    return answer(null, first.address, first.family);
  });
};

/**
 * Makes connections as the policy allows. The check is on the address that is connected to, so that
 * a name cannot be checked as one address and reached as another.
 *
 * @param connectTimeout Milliseconds until a connection is given up.
 */
export function guardedConnector(
  policy: WebhookPolicy,
  connectTimeout: number,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeout,
    rejectUnauthorized: policy.verifyCertificates,
    ...(policy.publicAddressesOnly && { lookup: publicLookup }),
  });
  if (!policy.publicAddressesOnly) return connect;
  return (options, answer) => {
    const address = literalAddress(options.hostname);
    if (address !== null && !isPublicAddress(address)) {
      answer(new ForbiddenAddressError(address), null);
      return;
    }
    connect(options, answer);
  };
}
