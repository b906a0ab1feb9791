import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Extension, type Notification, type Order, orderStatuses } from '@tradepost/sdk';
import { onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { type CliResult, type CliSetting, runCli as runAnywhere } from './run-cli';

/** A request as the service got it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** A response of the service. */
export interface StubResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A notification with every field; a test names those it is about. */
export function aNotification(fields: Partial<Notification> = {}): Notification {
  return {
    id: 'ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GN',
    type: 'order_status_changed',
    orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
    message: 'Order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH is now fulfilling.',
    read: false,
    createdAt: '2026-11-21T09:30:00.000Z',
    ...fields,
  };
}

/** A problem as the reference server words it. */
export function aProblem(
  status: number,
  code: string,
  more: Record<string, unknown> = {},
): StubResponse {
  const body = {
    type: `urn:tradepost:problem:${code}`,
    title: `Title of ${code}`,
    status,
    detail: `Detail of ${code}.`,
    code,
    requestId: 'req_1',
    ...more,
  };
  return { status, body, headers: { 'content-type': 'application/problem+json' } };
}

/** Whether a request to one of the seven endpoints has more than the interface. */
function isExtended({ method, path, query, body }: SeenRequest): boolean {
  const { status, ...others } = query;
  const known: Record<string, readonly string[]> = {
    orders: method === 'POST' ? ['listingId', 'quantity'] : ['status'],
    notifications: ['read'],
    webhooks: ['url', 'events'],
  };
  const fields = known[path.split('/')[2] ?? ''] ?? [];
  const isStatusKnown = status === undefined || orderStatuses.some((one) => one === status);
  return (
    !isStatusKnown ||
    Object.keys(others).length > 0 ||
    Object.keys(body ?? {}).some((field) => !fields.includes(field))
  );
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * A service on a real socket that has what the interface says and no more: seven endpoints, lists
 * in one piece without a cursor, no parameter but `status`, errors without a body.
 */
export class BareService {
  orders: Order[] = [];
  notifications: Notification[] = [];
  readonly seen: SeenRequest[] = [];
  /** Whether it rejects what the interface does not have, rather than ignoring it: 400 without a body. */
  isStrict = false;
  /** The extensions that it lists in every response. None by default. */
  extensions: readonly Extension[] = [];
  /** Responds instead of the service if it returns a response. */
  instead: (request: SeenRequest) => StubResponse | undefined | Promise<StubResponse | undefined> =
    () => undefined;
  baseUrl = '';

  /** Starts one that ends with the test. */
  static async start(): Promise<BareService> {
    const service = new BareService();
    const server = await startHttpServer((request, response) => {
      service.#handle(request, response).catch((error) => response.destroy(error));
    });
    service.baseUrl = server.url;
    onTestFinished(() => server.close());
    return service;
  }

  /** Runs a command line that knows where this service is. */
  cli(argv: string[], setting: CliSetting = {}): Promise<CliResult> {
    const env = { TRADEPOST_BASE_URL: this.baseUrl, ...setting.env };
    return runAnywhere(argv, { ...setting, env });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://service');
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await bodyOf(request),
    };
    this.seen.push(seen);
    const rejection = this.isStrict && isExtended(seen) ? { status: 400, body: undefined } : null;
    const { status, body, headers }: StubResponse =
      (await this.instead(seen)) ?? rejection ?? this.#respond(seen);
    const listed = this.extensions.join(', ');
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(listed !== '' && { 'tradepost-extensions': listed }),
      ...headers,
    });
    response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
  }

  #respond({ method, path, query, body }: SeenRequest): StubResponse {
    const [, , noun, id] = path.split('/');
    const found = (noun === 'orders' ? this.orders : this.notifications).find(
      (item) => item.id === id,
    );
    switch (`${method} ${noun}${id === undefined ? '' : '/:id'}`) {
      case 'GET orders': {
        const { status } = query;
        const data = this.orders.filter((order) => !status || order.status === status);
        return { status: 200, body: { data } };
      }
      case 'GET notifications':
        return { status: 200, body: { data: this.notifications } };
      case 'GET orders/:id':
        return found ? { status: 200, body: { data: found } } : { status: 404, body: undefined };
      case 'PATCH orders/:id':
      case 'PATCH notifications/:id':
        if (!found) return { status: 404, body: undefined };
        Object.assign(found, body);
        if (noun === 'orders') Object.assign(found, { updatedAt: new Date().toISOString() });
        return { status: 200, body: { data: found } };
      case 'POST webhooks':
        return {
          status: 201,
          body: { data: { id: 'whk_1', ...(body as object), secret: 'whsec_c2VjcmV0' } },
        };
      default:
        return { status: 404, body: undefined };
    }
  }
}
