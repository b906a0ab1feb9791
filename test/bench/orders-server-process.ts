import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './answer-parent';
import { listBody, orderBody } from './orders-responses';

const verbs = {
  /** Starts a server that answers with the same order, or the same list, at once. Returns its URL. */
  async start(_: null): Promise<string> {
    const server = createServer(({ url }, answer) => {
      const body = url?.startsWith('/v1/orders/') ? orderBody : listBody;
      answer.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
        'x-request-id': '01KAJ8Q0V7T3M5X9R2C4D6F8GR',
      });
      answer.end(body);
    });
    // A connection that is idle while another client has its turn must not be closed.
    server.keepAliveTimeout = 600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

/** What can be asked of it. */
export type OrdersServerVerbs = typeof verbs;

answerParent(verbs);
