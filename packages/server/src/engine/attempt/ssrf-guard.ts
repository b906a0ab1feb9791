import { promises as dns } from 'node:dns';
import { closeSync, openSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { devNull } from 'node:os';
import { isPublicAddress } from '@tradepost/domain/webhooks/public-address';
import {
  type Destination,
  findPolicyViolation,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import { buildConnector } from './undici';

const maxLookupMs = 5_000;
/** How long the addresses of one family wait for those of the other, in milliseconds. */
const familyTimeoutMs = 500;

/** Thrown when a host name has no address. */
export class LookupError extends Error {
  override name = 'LookupError' as const;
  readonly code: 'DNS_FAILED' | 'DNS_TIMEOUT';

  constructor(
    host: string,
    /** The resolver's code, such as `ENOTFOUND` or `ESERVFAIL`. */
    readonly detail: string,
  ) {
    super(`cannot resolve ${host}: ${detail}`);
    this.code = detail === 'ETIMEOUT' ? 'DNS_TIMEOUT' : 'DNS_FAILED';
  }
}

/** Resolves host names. */
export interface HostResolver {
  /**
   * Returns all addresses of a name, at least one.
   *
   * @throws LookupError, or the system's error if it has no file descriptor left.
   */
  resolve(host: string): Promise<string[]>;
  /** Cancels the lookups in flight. */
  close(): void;
}

/**
 * Converts a failed lookup to an error. Without a free file descriptor, resolvers report that servers are unreachable or that a
 * name is unknown, although the cause is this machine.
 */
function toLookupError(host: string, detail: string): Error {
  return findDescriptorShortage() ?? new LookupError(host, detail);
}

function findDescriptorShortage(): Error | null {
  try {
    closeSync(openSync(devNull, 'r'));
    return null;
  } catch (error) {
    const code = getErrorDetail(error);
    return code === 'EMFILE' || code === 'ENFILE' ? (error as Error) : null;
  }
}

function getErrorDetail(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

/** Merges the results of the queries for a host. When one has found addresses, it does not wait long for the others. */
function mergeAddresses(
  host: string,
  queries: Promise<string[]>[],
  timeout: number,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const found: string[] = [];
    const errors: string[] = [];
    const end = (late?: 'ETIMEOUT') => {
      clearTimeout(timer);
      // ENODATA of one address family says nothing if the query for the other failed.
      const detail = late ?? errors.find((code) => code !== 'ENODATA') ?? 'ENODATA';
      if (found.length > 0) resolve(found);
      else reject(toLookupError(host, detail));
    };
    let timer = setTimeout(end, timeout, 'ETIMEOUT');
    let pending = queries.length;
    const settle = () => {
      pending -= 1;
      if (pending === 0) return end();
      if (found.length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(end, Math.min(familyTimeoutMs, timeout));
    };
    for (const query of queries) {
      query.then(
        (addresses) => {
          found.push(...addresses);
          settle();
        },
        (error) => {
          errors.push(getErrorDetail(error));
          settle();
        },
      );
    }
  });
}

/**
 * Creates a resolver that queries DNS servers directly, without the system's hosts file and search list. Its lookups never wait
 * for each other. The system's lookups share four threads, so four names with unresponsive servers block all others.
 *
 * @param servers Such as `127.0.0.1:5353`.
 * @default servers of the system
 * @param timeout The time limit of a lookup in milliseconds.
 */
export function createDnsResolver(
  servers?: readonly string[],
  timeout = maxLookupMs,
): HostResolver {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeout / 3), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    resolve: (host) =>
      mergeAddresses(host, [resolver.resolve4(host), resolver.resolve6(host)], timeout),
    close: () => resolver.cancel(),
  };
}

async function lookUp(host: string): Promise<string[]> {
  try {
    const found = await dns.lookup(host, { all: true });
    return found.map(({ address }) => address);
  } catch (error) {
    throw toLookupError(host, getErrorDetail(error));
  }
}

/**
 * Creates a resolver that uses the system's lookup, including the hosts file. Lookups of one host at the same time share one
 * call: the system makes four at once, so those of a host with unresponsive servers would queue without limit.
 */
export function systemResolver(): HostResolver {
  const running = new Map<string, Promise<string[]>>();
  return {
    resolve(host) {
      const shared = running.get(host);
      if (shared !== undefined) return shared;
      const lookup = lookUp(host).finally(() => running.delete(host));
      running.set(host, lookup);
      return lookup;
    },
    close: () => {},
  };
}

/** The time limit of a connection in milliseconds, including DNS, TCP and TLS. */
const connectTimeout = 10_000;

/** Thrown when a connection would lead to a forbidden destination. */
export class ForbiddenDestinationError extends Error {
  override name = 'ForbiddenDestinationError' as const;

  constructor(
    readonly code: 'FORBIDDEN_ADDRESS' | 'FORBIDDEN_SCHEME' | 'FORBIDDEN_PORT',
    where: string,
  ) {
    super(`deliveries to ${where} are forbidden: ${code}`);
  }
}

const attemptErrorCodes = {
  address: 'FORBIDDEN_ADDRESS',
  scheme: 'FORBIDDEN_SCHEME',
  port: 'FORBIDDEN_PORT',
} as const;

function rejectAddress(
  destination: Destination,
  policy: WebhookPolicy,
): ForbiddenDestinationError | null {
  const violation = findPolicyViolation(destination, policy);
  if (violation === null) return null;
  const { protocol, hostname, port } = destination;
  return new ForbiddenDestinationError(
    attemptErrorCodes[violation],
    `${protocol}//${hostname}:${port}`,
  );
}

/** Resolves a name for a socket and rejects it if any of its addresses is forbidden. */
function guardedLookup(policy: WebhookPolicy, resolver: HostResolver): LookupFunction {
  async function resolveAllowed(hostname: string) {
    const found = await resolver.resolve(hostname);
    const forbidden = found.find((one) => policy.publicAddressesOnly && !isPublicAddress(one));
    if (forbidden !== undefined)
      throw new ForbiddenDestinationError('FORBIDDEN_ADDRESS', forbidden);
    return found.map((address) => ({ address, family: isIP(address) }));
  }

  return (hostname, options, callback) => {
    resolveAllowed(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || first === undefined) return callback(null, addresses);
        callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/**
 * Creates a connector that enforces the policy. It checks scheme and port again, because the URL may have been registered under
 * another policy. The checked addresses are the ones that the socket connects to, from one lookup, so that DNS rebinding
 * cannot bypass the check.
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
  return (options, callback) => {
    const violation = rejectAddress(options, policy);
    if (violation !== null) return callback(violation, null);
    // The socket is returned, so that it can be destroyed before it is connected.
    return connect(options, callback);
  };
}
