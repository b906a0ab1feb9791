import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Delivery, Receiver } from './receiver';

/**
 * Posts a delivery to the receiver again, with the same headers and another body. As in any TLS
 * connection, the receiver's certificate is checked.
 */
export async function postDelivery(
  { url, certificate }: Receiver,
  { headers }: Delivery,
  body: Buffer,
  signal: AbortSignal,
): Promise<{ status: number | undefined; text: string }> {
  const post = request(url, { method: 'POST', headers, ca: certificate, agent: false, signal });
  post.end(body);
  const [response] = (await once(post, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}
