/**
 * Imports a snippet that exports a web handler and calls it with a signed delivery and a tampered
 * one, as a framework would. Its last line is JSON: `{ "genuine": 204, "tampered": 400 }`.
 *
 *   TRADEPOST_WEBHOOK_SECRET=whsec_… node --import tsx call-handler.ts FILE
 */
import { pathToFileURL } from 'node:url';
import { type Delivery, signedDelivery, tampered } from './signed-delivery';

const { POST } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  POST(request: Request): Promise<Response>;
};
const call = async (delivery: Delivery) =>
  (await POST(new Request('https://receiver.example/', { method: 'POST', ...delivery }))).status;

const genuine = signedDelivery(process.env.TRADEPOST_WEBHOOK_SECRET ?? '');
const answers = { genuine: await call(genuine), tampered: await call(tampered(genuine)) };
console.log(JSON.stringify(answers));
