import { promises as dns } from 'node:dns';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const longestLookup = 5_000;
/** For how long the addresses of one family wait for those of the other, in milliseconds. */
const familyPatience = 500;

/** Tells why a name led to no address. */
export class LookupError extends Error {
  override name = 'LookupError' as const;
  readonly code: 'DNS_FAILED' | 'DNS_TIMEOUT';

  constructor(
    host: string,
    /** What the resolver calls it, such as `ENOTFOUND` or `ESERVFAIL`. */
    readonly detail: string,
  ) {
    super(`no address of ${host} was found: ${detail}`);
    this.code = detail === 'ETIMEOUT' ? 'DNS_TIMEOUT' : 'DNS_FAILED';
  }
}

/** Finds the addresses of hosts. */
export interface HostResolver {
  /**
   * All addresses of a name, at least one.
   *
   * @throws LookupError, or what the system says when it has no file descriptor left.
   */
  resolve(host: string): Promise<string[]>;
  /** Ends the lookups that are under way. */
  close(): void;
}

/**
 * What kept a lookup from its answer. Without a file descriptor to ask with, resolvers say that the servers cannot be
 * reached, or that the name is unknown: the fault is this machine's, and not the name's.
 */
function toLookupError(host: string, detail: string): Error {
  return findDescriptorShortage() ?? new LookupError(host, detail);
}

function findDescriptorShortage(): Error | null {
  try {
    closeSync(openSync(devNull, 'r'));
    return null;
  } catch (error) {
    const code = detailOf(error);
    return code === 'EMFILE' || code === 'ENFILE' ? (error as Error) : null;
  }
}

function detailOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

/** Joins what the queries for a host find, and does not wait long for one when another has found something. */
function joinAnswers(
  host: string,
  queries: Promise<string[]>[],
  timeout: number,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const found: string[] = [];
    const faults: string[] = [];
    const end = (late?: 'ETIMEOUT') => {
      clearTimeout(timer);
      // That one family has no address says nothing when the other was not to be had.
      const fault = late ?? faults.find((detail) => detail !== 'ENODATA') ?? 'ENODATA';
      if (found.length > 0) resolve(found);
      else reject(toLookupError(host, fault));
    };
    let timer = setTimeout(end, timeout, 'ETIMEOUT');
    let open = queries.length;
    const settle = () => {
      open -= 1;
      if (open === 0) return end();
      if (found.length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(end, Math.min(familyPatience, timeout));
    };
    for (const query of queries) {
      query.then(
        (addresses) => {
          found.push(...addresses);
          settle();
        },
        (error) => {
          faults.push(detailOf(error));
          settle();
        },
      );
    }
  });
}

/**
 * Asks DNS servers itself, past the system's hosts file and search list. Its lookups never wait for each
 * other: those of the system take turns on four threads, and four names whose servers hang stop all others.
 *
 * @param servers Such as `127.0.0.1:5353`; the system's unless told.
 * @param timeout Milliseconds that a lookup may take in all.
 */
export function dnsResolver(servers?: readonly string[], timeout = longestLookup): HostResolver {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeout / 3), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    resolve: (host) =>
      joinAnswers(host, [resolver.resolve4(host), resolver.resolve6(host)], timeout),
    close: () => resolver.cancel(),
  };
}

/** Looks names up as every program on this machine does, its hosts file included. */
export function systemResolver(): HostResolver {
  return {
    async resolve(host) {
      try {
        const found = await dns.lookup(host, { all: true });
        return found.map(({ address }) => address);
      } catch (error) {
        throw toLookupError(host, detailOf(error));
      }
    },
    close: () => {},
  };
}
