import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import { isLoopback } from './settings';

export interface Proxy {
  /** It may have a user and a password. */
  url: URL;
  /** The name of the variable that it is from. */
  variable: string;
}

/**
 * Finds the proxy for a service: that of HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host, or the service is on
 * this machine. Names in lower case come first, as for curl.
 *
 * @returns null for none
 * @throws {CliError} `usage` if the variable is not the URL of a proxy
 */
export function findProxy(env: CliContext['env'], baseUrl: string): Proxy | null {
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
