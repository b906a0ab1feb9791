import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SeedResult } from '@tradepost/server';
import { generate } from 'selfsigned';
import { closeServer, listenOnLoopback } from '../helpers/loopback';
import { tradepostServerBin } from '../helpers/programs';
import { runServerCommand } from '../helpers/run-server-command';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** How requests authenticate. */
export type Access = 'full' | 'read-only' | 'none';

/** Who sends the requests of one run, and to which server. */
export interface Role {
  name: string;
  /** Position of its account in the demo data; the second buyer is the last. */
  account: number;
  key: 'own' | 'read-only' | 'revoked' | 'none';
  /** Whether the run needs deliveries with results; otherwise the strict policy applies and every delivery fails. */
  hasReceivers: boolean;
}

/** Every role, and two again on a server whose deliveries arrive. */
export const roles: readonly Role[] = [
  { name: 'buyer', account: 0, key: 'own', hasReceivers: false },
  { name: 'seller', account: 1, key: 'own', hasReceivers: false },
  { name: 'agent', account: 2, key: 'own', hasReceivers: false },
  { name: 'stranger', account: 3, key: 'own', hasReceivers: false },
  { name: 'read-only', account: 0, key: 'read-only', hasReceivers: false },
  { name: 'no-key', account: 0, key: 'none', hasReceivers: false },
  { name: 'revoked-key', account: 0, key: 'revoked', hasReceivers: false },
  { name: 'buyer-receivers', account: 0, key: 'own', hasReceivers: true },
  { name: 'seller-receivers', account: 1, key: 'own', hasReceivers: true },
];

/** A server with demo data for one role. */
export interface FuzzedService {
  server: RunningProcess;
  url: string;
  /** A folder for files of the run. */
  folder: string;
  apiKey: string | null;
  access: Access;
  /** A listing with enough units for every order. */
  listingId: string;
  /** IDs of the examples in the document, and what to replace them with. */
  existingIds: ReadonlyMap<string, string>;
  /** IDs that the role's account must not see. */
  hiddenIds: readonly string[];
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

const local = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** What receivers respond with, in turn: success, failures, redirects, and requests to wait. */
const receiverStatuses = [204, 200, 500, 204, 302, 404, 204, 503, 429, 204];

async function startReceivers() {
  let received = 0;
  const respond: RequestListener = (request, response) => {
    request.resume();
    const status = receiverStatuses[received++ % receiverStatuses.length] ?? 204;
    response.writeHead(status, { 'Retry-After': '1' });
    response.end(status === 204 ? undefined : `status ${status}, with text: é, <b>, \u0000`);
  };
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const servers = [createServer(respond), createTlsServer({ key, cert }, respond)];
  const ports = await Promise.all(servers.map((server) => listenOnLoopback(server)));
  return { ports, close: () => Promise.all(servers.map((server) => closeServer(server))) };
}

async function createKey(role: Role, seed: SeedResult, database: string) {
  const account = seed.accounts[role.account];
  if (account === undefined) throw new Error(`The seed has no account ${role.account}.`);
  if (role.key === 'none') return { apiKey: null, access: 'none' as const };
  if (role.key === 'own') return { apiKey: account.apiKey, access: 'full' as const };
  const command = ['keys', 'create', '--account', account.id, '--read-only'];
  const { id, apiKey } = await runServerCommand<{ id: string; apiKey: string }>(command, database);
  if (role.key === 'read-only') return { apiKey, access: 'read-only' as const };
  await runServerCommand(['keys', 'revoke', id], database);
  return { apiKey, access: 'none' as const };
}

/** The arguments of Node for the server. */
function serverArguments(database: string, { hasReceivers }: Role): string[] {
  const redirect = ['--import', local('redirect-connections.mjs')];
  if (hasReceivers)
    return [...redirect, '--import', 'tsx', local('validating-server.ts'), database];
  const limits = ['--rate-limit', '100000000', '--log-requests', '1000000'];
  const options = ['--port', '0', ...limits, '--database', database];
  return [...redirect, tradepostServerBin, 'start', ...options];
}

async function request<Data>(url: string, apiKey: string, body?: object): Promise<Data> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return ((await response.json()) as { data: Data }).data;
}

/**
 * Adds what the demo data does not have: a webhook and a delivery of the account. Returns their IDs, and those of an event and a
 * notification if it has some, each by the ID of the example in the document.
 */
async function addExamples(url: string, apiKey: string): Promise<[string, string][]> {
  const addWebhook = () =>
    request<{ id: string }>(`${url}/v1/webhooks`, apiKey, {
      url: 'https://receiver.example/examples',
      events: ['order.created'],
    });
  const webhook = await addWebhook();
  // Requests delete the first webhook, and then its deliveries cannot be replayed.
  const { id } = await addWebhook();
  const delivery = await request<{ id: string }>(`${url}/v1/webhooks/${id}/test`, apiKey, {
    event: 'order.created',
  });
  const notifications = await request<{ id: string }[]>(`${url}/v1/notifications?limit=1`, apiKey);
  const events = await request<{ id: string }[]>(`${url}/v1/events?limit=1`, apiKey);
  return [
    ['whk_01KAJ8Q0V7T3M5X9R2C4D6F8GH', webhook.id],
    ['dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GH', delivery.id],
    ...events.map(({ id }): [string, string] => ['evt_01KAJ8Q0V7T3M5X9R2C4D6F8GH', id]),
    ...notifications.map(({ id }): [string, string] => ['ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH', id]),
  ];
}

/** Starts a server for one run, so that the data of no other role changes it. */
export async function startFuzzedService(role: Role): Promise<FuzzedService> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  const seed = await runServerCommand<SeedResult>(['seed'], database);
  const [buyer, seller, agent] = seed.accounts;
  const [order] = seed.orders;
  if (!(buyer && seller && agent && order)) throw new Error('The seed has too little data.');
  const addListing = ['listings', 'create', '--seller', seller.id, '--agent', agent.id];
  const listing = await runServerCommand<{ id: string }>(
    [...addListing, '--quantity', '1000000'],
    database,
  );
  const { apiKey, access } = await createKey(role, seed, database);
  const receivers = role.hasReceivers ? await startReceivers() : undefined;
  const server = startProcess(process.execPath, serverArguments(database, role), {
    cwd: local('.'),
    env: receivers === undefined ? {} : { TEST_RECEIVER_PORTS: receivers.ports.join(',') },
  });
  const [, url = ''] = await server.writes(/^listening on (\S+)$/m);
  const examples = await addExamples(url, seed.accounts[role.account]?.apiKey ?? '');
  return {
    server,
    url,
    folder: folder.path,
    apiKey,
    access,
    listingId: listing.id,
    existingIds: new Map([
      ['ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH', order.id],
      ['lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL', listing.id],
      ...examples,
    ]),
    // The second buyer has no part in the orders of the first.
    hiddenIds: role.name === 'stranger' ? [buyer.id] : [],
    async close() {
      await server.stop();
      await receivers?.close();
      await folder.remove();
    },
  };
}
