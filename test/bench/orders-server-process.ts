import { createServer } from 'node:http';
import { listenOnLoopback } from '../helpers/loopback';
import { listBody, orderBody } from './orders-responses';
import { serveParent } from './serve-parent';

const operations = {
  /** Starts a server that responds at once with the same order or list. Returns its URL. */
  async start(_: null): Promise<string> {
    const server = createServer(({ url }, response) => {
      const body = url?.startsWith('/v1/orders/') ? orderBody : listBody;
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
        'x-request-id': '01KAJ8Q0V7T3M5X9R2C4D6F8GR',
      });
      response.end(body);
    });
    // Connections must stay open while another client has its turn.
    server.keepAliveTimeout = 600_000;
    return `http://127.0.0.1:${await listenOnLoopback(server)}`;
  },
};

/** The operations of this process. */
export type OrdersServerOperations = typeof operations;

serveParent(operations);
