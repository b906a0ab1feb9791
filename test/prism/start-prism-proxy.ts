import { createServer, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { closeServer, type LoopbackServer, listenOnLoopback } from '../helpers/loopback';
import type { Exchange, FindViolations } from './prism';

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

/** A proxy that checks what it forwards. */
export interface PrismProxy extends LoopbackServer {
  /** How many exchanges were checked. */
  checked(): number;
}

/**
 * Starts a proxy that forwards every request and its response unchanged, and validates both. Requests outside of `/v1` are not
 * validated: health checks are not part of the contract.
 *
 * @param onViolation Called with a sentence for each violation, before the response has ended.
 */
export async function startPrismProxy(
  target: string,
  findViolations: FindViolations,
  onViolation: (violation: string) => void,
): Promise<PrismProxy> {
  let checked = 0;
  async function check(exchange: Exchange): Promise<void> {
    if (!exchange.target.startsWith('/v1/')) return;
    checked += 1;
    for (const violation of await findViolations(exchange)) onViolation(violation);
  }
  const server = createServer((incoming, response) => {
    const { method = '', url = '/', headers } = incoming;
    const sent: Buffer[] = [];
    const outgoing = sendRequest(new URL(url, target), { method, headers }, (upstream) => {
      const received: Buffer[] = [];
      const { statusCode: status = 502 } = upstream;
      response.writeHead(status, upstream.headers);
      upstream.on('data', (chunk: Buffer) => {
        received.push(chunk);
        response.write(chunk);
      });
      upstream.on('end', async () => {
        try {
          await check({
            method,
            target: url,
            requestHeaders: flatten(headers),
            requestBody: Buffer.concat(sent).toString(),
            status,
            responseHeaders: flatten(upstream.headers),
            responseBody: Buffer.concat(received).toString(),
          });
        } catch (error) {
          onViolation(`${method} ${url}: Prism failed: ${error}`);
        }
        // Only now, so that a test that has its response also has its violations.
        response.end();
      });
      upstream.on('error', () => response.destroy());
    });
    // When one connection is closed, close the other too.
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.on('data', (chunk: Buffer) => sent.push(chunk));
    incoming.pipe(outgoing);
  });
  const port = await listenOnLoopback(server);
  server.unref();
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    checked: () => checked,
    close: () => closeServer(server),
  };
}
