/**
 * Imports a snippet that exports a handler, of one of the forms below, and calls it with a signed delivery, a tampered one and
 * a stripped one, as a framework would. Its last line is JSON, such as
 * `{ "genuine": 204, "tampered": 400, "stripped": 400 }`.
 *
 *   TRADEPOST_WEBHOOK_SECRET=whsec_… node --import tsx call-handler.ts FILE
 */
import { pathToFileURL } from 'node:url';
import { createSignedDelivery, type Delivery, stripped, tampered } from './signed-delivery';

/** What hosts import: Next.js, Workers (Bun, Deno, Hono) or Lambda. */
interface Exported {
  POST?: (request: Request) => Promise<Response>;
  default?: { fetch(request: Request, environment: object, context: object): Promise<Response> };
  handler?: (event: object) => Promise<{ statusCode: number }>;
}

const { env } = process;
const program = (await import(pathToFileURL(process.argv[2] ?? '').href)) as Exported;
const waitUntil = (work: Promise<unknown>) => void work;

async function call({ headers, body }: Delivery): Promise<number> {
  if (program.handler) {
    const requestContext = { http: { method: 'POST' } };
    const event = { version: '2.0', requestContext, headers, body, isBase64Encoded: false };
    return (await program.handler(event)).statusCode;
  }
  const request = new Request('https://receiver.example/webhooks', {
    method: 'POST',
    headers,
    body,
  });
  const response = program.POST?.(request) ?? program.default?.fetch(request, env, { waitUntil });
  if (!response) throw new Error('The snippet exports no handler.');
  return (await response).status;
}

const genuine = createSignedDelivery(process.env.TRADEPOST_WEBHOOK_SECRET ?? '');
const statuses = {
  genuine: await call(genuine),
  tampered: await call(tampered(genuine)),
  stripped: await call(stripped(genuine)),
};
console.log(JSON.stringify(statuses));
