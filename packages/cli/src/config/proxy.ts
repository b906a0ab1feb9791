import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import { isLoopback } from './settings';

/** The proxy for a service. */
export interface ServiceProxy {
  /** It may have a user and a password. */
  url: URL;
  /** The name of the variable that it is from. */
  variable: string;
}

/** Returns its URL without the password, and where it is from: `http://proxy.example:3128 (HTTPS_PROXY)`. */
export function describeProxy({ url, variable }: ServiceProxy): string {
  return `${url.origin} (${variable})`;
}

/** A request through a proxy failed. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError' as const;

  constructor(proxy: ServiceProxy, cause: unknown) {
    super(
      `The request went through the proxy ${describeProxy(proxy)}: check it, and its user and password. NO_PROXY names hosts that need none.`,
      { cause },
    );
  }
}

/**
 * Finds the proxy for a service: that of HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host, or the service is on
 * this machine. Names in lower case come first, as for curl.
 *
 * @returns null for none
 * @throws {CliError} `usage` if the variable is not the URL of a proxy
 */
export function findProxy(env: CliContext['env'], baseUrl: string): ServiceProxy | null {
  if (!URL.canParse(baseUrl)) return null;
  const service = new URL(baseUrl);
  const name = `${service.protocol.slice(0, -1)}_proxy`;
  const variable = [name, name.toUpperCase()].find((known) => env[known]?.trim());
  if (variable === undefined || isLoopback(service.hostname)) return null;
  if (isExcluded(service, env.no_proxy ?? env.NO_PROXY ?? '')) return null;
  const text = env[variable]?.trim() ?? '';
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return { url, variable };
  throw new CliError(
    'usage',
    `${variable} is not the URL of a proxy`,
    'Use http://HOST:PORT or http://USER:PASSWORD@HOST:PORT.',
  );
}

/** Whether NO_PROXY names a host: it, a domain that it is in, either with a port, or `*` for all. */
function isExcluded({ hostname, protocol, port }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', onlyPort = ownPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const isNamed = name === '*' || hostname === name || hostname.endsWith(`.${name}`);
      return name !== '' && isNamed && onlyPort === ownPort;
    });
}
