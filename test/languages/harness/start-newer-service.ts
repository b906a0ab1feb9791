import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, startHttpServer } from '../../helpers/loopback';

interface Resource {
  status?: string;
  event?: string;
}

/** What a later version of the service may respond: values and fields that the documents do not list. */
function makeNewer(path: string, body: { data: Resource | Resource[] }): object {
  const { data } = body;
  if (!Array.isArray(data)) return { ...body, data: { ...data, priority: 'high' } };
  const [first, ...others] = data;
  const newer =
    path === '/v1/orders' ? { status: 'archived', priority: 'high' } : { event: 'order.archived' };
  return { ...body, data: [{ ...first, ...newer }, ...others] };
}

async function respond(
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const { authorization = '' } = headers;
  const { pathname } = new URL(url, target);
  const upstream = await fetch(new URL(url, target), { headers: { authorization } });
  const body = (await upstream.json()) as { data: Resource | Resource[] };
  response
    .writeHead(upstream.status, { 'content-type': 'application/json' })
    .end(JSON.stringify(upstream.ok ? makeNewer(pathname, body) : body));
}

/**
 * Starts a proxy for GET requests that acts as a later version of the service: the first order of a list has the
 * status `archived`, the first event the type `order.archived`, and an order has a field `priority`.
 */
export function startNewerService(target: string): Promise<LoopbackServer> {
  return startHttpServer((request, response) => {
    respond(request, response, target).catch(() => response.destroy());
  });
}
