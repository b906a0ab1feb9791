/** Requests over a pool of connections, and through a proxy, with undici. */
import { setFlagsFromString } from 'node:v8';
import { createPooledFetch, type PooledFetch } from '@tradepost/sdk/node';
import { ProxyAgent } from 'undici';

// Its parser is WebAssembly. Otherwise V8 optimizes it in the background, and the process waits for that at its end.
setFlagsFromString('--liftoff-only');

/** @param proxy an http:// or https:// URL, perhaps with a user and a password */
export function createPool(connections?: number, proxy?: URL): PooledFetch {
  if (proxy === undefined) return createPooledFetch({ connections });
  const { username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const dispatcher = new ProxyAgent({
    uri: proxy.origin,
    ...(username && { token: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    ...(connections && { connections }),
    // A proxy forwards what is not encrypted. Many allow tunnels only to port 443.
    proxyTunnel: false,
  });
  return createPooledFetch({ dispatcher });
}
