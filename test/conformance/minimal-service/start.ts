import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../../helpers/loopback';
import { Deliveries } from './deliveries';
import type { FaultName } from './faults';
import { type Account, type Call, newId, Refusal, type Result, Service } from './service';
import type { VariantName } from './variants';
import { type Behaviour, writeJson } from './wire';

export interface MinimalServiceOptions {
  /** What the service does wrong. */
  fault?: FaultName | undefined;
  /** What the service does differently, as the interface allows. */
  variant?: VariantName | undefined;
  /** The wait before the first retry, in milliseconds. Each further wait is twice as long. Defaults to 40. */
  baseDelayMs?: number;
  /** How long a receiver may take to respond, in milliseconds. Defaults to 300. */
  attemptTimeoutMs?: number;
  /** Whose key belongs to the account of the buyer, too. */
  twin?: 'seller' | 'stranger' | undefined;
  /** The certificate authority of HTTPS receivers, PEM. */
  ca?: string;
}

export interface MinimalService {
  /** Without `/v1`. */
  baseUrl: string;
  /**
   * `strangerSeller` is a seller; both strangers are no party of any order of the listings. `operator` has another key and sees and changes
   * what the seller does.
   */
  accounts: Record<
    'buyer' | 'seller' | 'agent' | 'stranger' | 'strangerSeller' | 'operator',
    Account
  >;
  /** IDs of listings with unlimited stock. Orders of `withAgent` have the agent. */
  listings: { plain: string; withAgent: string };
  /** Ends all deliveries and connections. */
  stop(): Promise<void>;
}

type Handle = (service: Service, call: Call) => Result | Promise<Result>;

/** The seven endpoints. */
const endpoints: [method: string, path: RegExp, handle: Handle][] = [
  ['GET', /^\/v1\/orders$/, (service, call) => service.listOrders(call)],
  ['POST', /^\/v1\/orders$/, (service, call) => service.createOrder(call)],
  ['GET', /^\/v1\/orders\/([^/]+)$/, (service, call) => service.getOrder(call)],
  ['PATCH', /^\/v1\/orders\/([^/]+)$/, (service, call) => service.updateOrder(call)],
  ['GET', /^\/v1\/notifications$/, (service, call) => service.listNotifications(call)],
  ['PATCH', /^\/v1\/notifications\/([^/]+)$/, (service, call) => service.markNotification(call)],
  ['POST', /^\/v1\/webhooks$/, (service, call) => service.createWebhook(call)],
];

/** Starts a service of the seven endpoints on loopback. It is written from the interface's specification alone. */
export async function startMinimalService({
  fault,
  variant,
  baseDelayMs = 40,
  attemptTimeoutMs = 300,
  twin,
  ca,
}: MinimalServiceOptions = {}): Promise<MinimalService> {
  const behaviour = { fault, variant };
  let requests = 0;
  const accounts = {
    buyer: anAccount('buyer'),
    seller: anAccount('seller'),
    agent: anAccount('agent'),
    stranger: anAccount('buyer'),
    strangerSeller: anAccount('seller'),
  };
  if (twin) accounts[twin].id = accounts.buyer.id;
  const operator = { ...accounts.seller, key: anAccount('seller').key };
  const sellerId = accounts.seller.id;
  const plain = { id: `lst_${newId()}`, sellerId, agentId: null };
  const withAgent = { id: `lst_${newId()}`, sellerId, agentId: accounts.agent.id };
  const deliveries = new Deliveries(behaviour, { baseDelayMs, attemptTimeoutMs }, ca);
  const keyHolders = [...Object.values(accounts), operator];
  const service = new Service(keyHolders, [plain, withAgent], deliveries, behaviour);
  const server = createServer((request, response) => {
    requests += 1;
    if (variant === 'limitsRequests' && requests % 10 === 0) {
      if (requests % 100 !== 0) response.setHeader('retry-after', '0');
      response.writeHead(429).end();
    } else void respond(service, behaviour, request, response);
  });
  const port = await listenOnLoopback(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    accounts: { ...accounts, operator },
    listings: { plain: plain.id, withAgent: withAgent.id },
    async stop() {
      await closeServer(server);
      await deliveries.stop();
    },
  };
}

function anAccount(kind: Account['kind']): Account {
  return { id: `usr_${newId()}`, kind, key: `key_${newId()}` };
}

async function respond(
  service: Service,
  behaviour: Behaviour,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, body } = await handle(service, request);
    if (body === undefined) {
      response.writeHead(status).end();
      return;
    }
    let type = behaviour.fault === 'textPlain' ? 'text/plain' : 'application/json';
    if (behaviour.variant === 'mediaTypeSpelling') type = 'Application/JSON; charset=UTF-8';
    const isPlain = behaviour.variant === 'plainStatuses';
    response.writeHead(isPlain ? 200 : status, { 'content-type': type });
    response.end(writeJson(body, behaviour));
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500;
    const isPage = behaviour.variant === 'hiddenIsForbidden';
    response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json' });
    response.end(isPage ? '<h1>No</h1>' : JSON.stringify({ error: String(error) }));
  }
}

async function handle(service: Service, request: IncomingMessage): Promise<Result> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://service');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const account = service.authenticate(request.headers.authorization, pathname);
  for (const [method, path, run] of endpoints) {
    const match = path.exec(pathname);
    if (!match || method !== request.method) continue;
    const body = method === 'GET' ? {} : readObject(Buffer.concat(chunks).toString());
    return run(service, { account, id: decodeURIComponent(match[1] ?? ''), query, body });
  }
  throw new Refusal(404);
}

function readObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal(400);
  return value as Record<string, unknown>;
}
