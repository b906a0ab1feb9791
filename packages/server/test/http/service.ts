import { connect } from 'node:net';
import { type AccountKind, type Problem, problemSchema } from '@tradepost/contract';
import { createAccount } from '@tradepost/domain/accounts/account';
import { createContext, createIdGenerator, systemClock } from '@tradepost/domain/kernel/context';
import { createListing, type Listing } from '@tradepost/domain/listings/listing';
import { issueKey } from '../../src/kernel/api-key';
import { createLog } from '../../src/kernel/log';
import { type ServerOptions, startServer } from '../../src/runtime/server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';

/** An account that sends requests. */
export interface Actor {
  id: string;
  key: string;
}

/** A complete response. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  /** The raw body. */
  text: string;
}

/** Options of a request. A body that is not a string is sent as JSON. */
export interface RequestOptions {
  as?: Actor | string;
  body?: unknown;
  headers?: Record<string, string>;
}

const newId = createIdGenerator();

/** Starts a real server on a free port. It validates its responses against the contract. */
export async function startService(options: Partial<ServerOptions> = {}) {
  const store = options.store ?? openSqliteStore(':memory:');
  const clock = options.clock ?? systemClock;
  const server = await startServer({
    log: createLog('silent'),
    port: 0,
    host: '127.0.0.1',
    rateLimit: 100_000,
    logsPerSecond: Number.MAX_SAFE_INTEGER,
    validateResponses: true,
    ...options,
    store,
  });

  return {
    url: server.url,
    port: server.port,
    store,
    close: () => server.close(),

    /** Adds an account with a key. */
    async account(
      kind: AccountKind,
      key: { readOnly?: boolean; expiresAt?: number } = {},
    ): Promise<Actor & { keyId: string }> {
      const context = createContext(clock, newId);
      const account = createAccount(kind, kind, context);
      const { record, apiKey } = issueKey(
        {
          accountId: account.id,
          readOnly: key.readOnly ?? false,
          expiresAt: key.expiresAt ?? null,
        },
        context,
      );
      await store.accounts.addAccount(account, record);
      return { id: account.id, key: apiKey, keyId: record.id };
    },

    /** Adds a listing. */
    async listing(
      seller: Actor,
      agent: Actor | null = null,
      units = 100,
      lowThreshold: number | null = null,
    ): Promise<Listing> {
      const fields = { sellerId: seller.id, agentId: agent?.id ?? null };
      const listing = createListing(
        { ...fields, availableQuantity: units, lowThreshold },
        createContext(clock, newId),
      );
      await store.listings.addListing(listing);
      return listing;
    },

    /** Sends a request, such as `GET /v1/orders`. */
    async request(
      what: string,
      { as, body, headers = {} }: RequestOptions = {},
    ): Promise<HttpResponse> {
      const [method = 'GET', path = '/'] = what.split(' ');
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const key = typeof as === 'string' ? as : as?.key;
      const response = await fetch(server.url + path, {
        method,
        headers: {
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
          ...(sent !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(sent !== undefined && { body: sent }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },

    /** Opens a connection for a request that is sent in pieces. */
    openConnection: () => openConnection(server.port),

    /** Sends any bytes, and reads until the server closes the connection. */
    sendRaw(bytes: string): Promise<string> {
      return new Promise((resolve, reject) => {
        let response = '';
        const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
        socket.setEncoding('utf8');
        socket.on('data', (chunk) => {
          response += chunk;
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(response));
      });
    },
  };
}

/** A connection, and everything that it receives until it is closed. */
export interface RawConnection {
  send(bytes: string): Promise<void>;
  response: Promise<string>;
}

function openConnection(port: number): Promise<RawConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve({
        send: (bytes) => new Promise((sent) => socket.write(bytes, () => sent())),
        response,
      });
    });
    let text = '';
    const response = new Promise<string>((done) => socket.once('close', () => done(text)));
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.once('error', reject);
  });
}

/** A started server. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Returns the `data` of a successful response. */
export function getData<Data = Record<string, unknown>>(got: HttpResponse): Data {
  return (JSON.parse(got.text) as { data: Data }).data;
}

/** Returns the problem of a response, after a check of its type, status and fields. */
export function getProblem(got: HttpResponse): Problem {
  const type = got.headers.get('content-type');
  if (type !== 'application/problem+json') {
    throw new Error(`${got.status} with content-type ${type} is not a problem: ${got.text}`);
  }
  const problem = problemSchema.strict().parse(JSON.parse(got.text));
  if (problem.status !== got.status || problem.requestId !== got.headers.get('x-request-id')) {
    throw new Error(`The problem contradicts its response: ${got.text}`);
  }
  return problem;
}
