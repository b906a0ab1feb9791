/**
 * Imports a snippet that exports a web handler and calls it with a signed delivery, a tampered one and
 * a stripped one, as a framework would. Its last line is JSON, such as
 * `{ "genuine": 204, "tampered": 400, "stripped": 400 }`.
 *
 *   TRADEPOST_WEBHOOK_SECRET=whsec_… node --import tsx call-handler.ts FILE
 */
import { pathToFileURL } from 'node:url';
import { type Delivery, signedDelivery, stripped, tampered } from './signed-delivery';

const { POST } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  POST(request: Request): Promise<Response>;
};
const call = async (delivery: Delivery) =>
  (await POST(new Request('https://receiver.example/', { method: 'POST', ...delivery }))).status;

const genuine = signedDelivery(process.env.TRADEPOST_WEBHOOK_SECRET ?? '');
const answers = {
  genuine: await call(genuine),
  tampered: await call(tampered(genuine)),
  stripped: await call(stripped(genuine)),
};
console.log(JSON.stringify(answers));
