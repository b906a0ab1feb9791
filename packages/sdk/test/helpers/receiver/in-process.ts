import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NodeResponse } from '../../../src/receiver/node-adapter';
import type { WebhookReceiver } from '../../../src/receiver/webhook-receiver';
import type { AnyRequest } from './any-request';

/** Passes a request to an adapter without a socket, and returns its status. */
export type InProcess = (receiver: WebhookReceiver, request: AnyRequest) => Promise<number>;

/** Passes a request to the adapter for Node: as a stream, or as what a body parser left of it. */
function throughNode(form: (body: Buffer) => { stream: Buffer[]; left?: object }): InProcess {
  return async ({ node }, { method, headers, body }) => {
    const { stream, left } = form(body);
    const request = Object.assign(Readable.from(stream), { method, headers, complete: true }, left);
    let ended = 0;
    const response: NodeResponse = { statusCode: 0, headersSent: false, setHeader() {}, end() {} };
    await new Promise<void>((resolve) => {
      response.end = () => {
        ended += 1;
        resolve();
      };
      node(request, response);
    });
    // A second response would follow at once.
    await nextTurn();
    request.destroy();
    if (ended !== 1) throw new Error(`sent ${ended} responses`);
    return response.statusCode;
  };
}

function createStream(body: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (body.length) controller.enqueue(body);
      controller.close();
    },
  });
}

/** Every adapter that takes bytes as they are, by name. */
export const inProcess: Record<string, InProcess> = {
  'node, a stream': throughNode((body) => ({ stream: [body] })),
  'node, a stream in pieces': throughNode((body) => ({
    stream: [body.subarray(0, 7), body.subarray(7, 50), body.subarray(50)].filter(
      (piece) => piece.length,
    ),
  })),
  'node, rawBody': throughNode((rawBody) => ({ stream: [], left: { rawBody, body: {} } })),
  'node, body': throughNode((body) => ({ stream: [], left: { body } })),
  fetch: async ({ fetch }, { method, headers, body }) => {
    const get = (name: string) => headers[name.toLowerCase()] ?? null;
    const request = { method, headers: { get }, body: createStream(body), bodyUsed: false };
    return (await fetch(request)).status;
  },
  'lambda, base64': async ({ lambda }, { method, headers, body }) => {
    const event = { httpMethod: method, headers, body: body.toString('base64') };
    return (await lambda({ ...event, isBase64Encoded: true })).statusCode;
  },
  'lambda, lists of headers': async ({ lambda }, { method, headers, body }) => {
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    const multiValueHeaders = Object.fromEntries(lists);
    const event = { multiValueHeaders, body: body.toString('base64'), isBase64Encoded: true };
    return (await lambda({ ...event, requestContext: { http: { method } } })).statusCode;
  },
};
