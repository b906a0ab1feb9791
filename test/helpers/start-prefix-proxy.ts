import { forwardRequest } from './forward-request';
import { startHttpServer } from './loopback';

/**
 * Starts a reverse proxy that serves a server below a path prefix, and nothing else. Close it when the test ends: `forTest`.
 *
 * @param prefix Such as `/trade`.
 */
export async function startPrefixProxy(target: string, prefix: string) {
  const { url, close } = await startHttpServer((incoming, response) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    incoming.url = path.slice(prefix.length);
    forwardRequest(incoming, response, target);
  });
  return { url: url + prefix, close };
}
