import { isIPv4 } from 'node:net';

/** Returns whether a host, as in a URL or a listening address, is this machine whatever a name server says. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return /^(localhost|::1|\[::1\])$/.test(name) || (isIPv4(name) && name.startsWith('127.'));
}
