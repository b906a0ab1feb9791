import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from '../webhooks/public-address';
import { type Destination, objectionTo, type WebhookPolicy } from '../webhooks/webhook-policy';
import type { HostResolver } from './resolve-host';

/** Until a connection is given up: its lookup, TCP and TLS together, in milliseconds. */
const connectTimeout = 10_000;

/** Raised instead of a connection to where deliveries may not go. */
export class ForbiddenDestinationError extends Error {
  override name = 'ForbiddenDestinationError' as const;

  constructor(
    readonly code: 'FORBIDDEN_ADDRESS' | 'FORBIDDEN_SCHEME' | 'FORBIDDEN_PORT',
    where: string,
  ) {
    super(`deliveries may not go to ${where}: ${code}`);
  }
}

const codes = {
  address: 'FORBIDDEN_ADDRESS',
  scheme: 'FORBIDDEN_SCHEME',
  port: 'FORBIDDEN_PORT',
} as const;

function refuse(destination: Destination, policy: WebhookPolicy): ForbiddenDestinationError | null {
  const objection = objectionTo(destination, policy);
  if (objection === null) return null;
  const { protocol, hostname, port } = destination;
  return new ForbiddenDestinationError(codes[objection], `${protocol}//${hostname}:${port}`);
}

/** Looks a name up for a socket, and refuses it if any of its addresses is one that deliveries may not go to. */
function guardedLookup(policy: WebhookPolicy, resolver: HostResolver): LookupFunction {
  async function resolveAllowed(hostname: string) {
    const found = await resolver.resolve(hostname);
    const hidden = found.find((one) => policy.publicAddressesOnly && !isPublicAddress(one));
    if (hidden !== undefined) throw new ForbiddenDestinationError('FORBIDDEN_ADDRESS', hidden);
    return found.map((address) => ({ address, family: isIP(address) }));
  }

  return (hostname, options, answer) => {
    resolveAllowed(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || first === undefined) return answer(null, addresses);
        answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, ''),
    );
  };
}

/**
 * Makes connections as the policy allows. Scheme and port are checked again, as the URL may have been
 * registered under another policy. The addresses that are checked are those that are connected to, from
 * one lookup, so that a name cannot be checked as one address and reached as another.
 */
export function guardedConnector(
  policy: WebhookPolicy,
  resolver: HostResolver,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeout,
    rejectUnauthorized: policy.verifyCertificates,
    lookup: guardedLookup(policy, resolver),
  });
  return (options, answer) => {
    const refusal = refuse(options, policy);
    if (refusal !== null) return answer(refusal, null);
    // Handed on, so that a socket can be ended before it is connected.
    return connect(options, answer);
  };
}
