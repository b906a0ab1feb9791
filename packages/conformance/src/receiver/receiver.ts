import { EventEmitter, once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Profile } from '../profile/profile';
import { pairs, parseJson } from '../service/service';
import { certifyHost } from './certificates';

/** What the receiver does with a delivery: respond with a status, close the connection, or not respond at all. */
export type Behaviour = number | 'close' | 'hang';

/** A request that the receiver got. */
export interface Delivery {
  /** The name of the webhook's path; null if this run has registered no such path. */
  hook: string | null;
  /** When its body had arrived, in milliseconds since 1970. */
  at: number;
  method: string;
  /** Path and query as they arrived. */
  target: string;
  headers: [string, string][];
  /** At most 16 MB of it. */
  body: Buffer;
  json: unknown;
  tls: boolean;
  behaviour: Behaviour;
  /** When the response was sent. */
  respondedAt: number | null;
}

/** The kit's own endpoint for deliveries. */
export interface Receiver {
  /** The address as the service sees it, without a slash at the end. */
  baseUrl: string;
  /** Returns the URL of a webhook, which behaves so from now on. */
  behave(hook: string, behaviour: Behaviour): string;
  /** Returns another URL of a webhook. What comes to the one before gets a 204 and is not recorded. */
  renew(hook: string): string;
  /** Makes every webhook respond with 204, also those with which a response is waited for. */
  calm(): void;
  /** Is called before a delivery gets its response, which waits for the promise. */
  beforeResponse(hook: string, work: (delivery: Delivery) => Promise<void>): void;
  /** Every request so far, in the order of arrival, without those to webhooks that other runs have left behind. */
  deliveries: readonly Delivery[];
  /** Why connections were given up before there was a request: a certificate that the service does not trust. */
  refusals: readonly string[];
  /**
   * Waits until `predicate` is true; it is called after each delivery. False if that takes longer, or if the signal aborts.
   */
  waitUntil(predicate: () => boolean, milliseconds: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

const sizeLimit = 16 * 1024 * 1024;

/** A listener that cannot be started. The message names the field of the profile. */
export class ReceiverError extends Error {
  override name = 'ReceiverError' as const;
}

/**
 * Starts the receiver of a profile.
 *
 * @param runId `run-…`; is in the path of every URL. Deliveries to the webhooks of other runs get a 204 and are not recorded: they would
 * be retried for a day, and bury those of this run.
 * @throws {ReceiverError} the address is in use, or not one of this machine
 * @throws a file of the authority cannot be read or written
 */
export async function startReceiver(
  receiver: Profile['receiver'],
  runId: string,
): Promise<Receiver> {
  const [field, address] =
    'http' in receiver
      ? (['http', receiver.http] as const)
      : 'https' in receiver
        ? (['https', receiver.https] as const)
        : (['listen', receiver.listen] as const);
  const server =
    'https' in receiver
      ? https.createServer(await certifyHost(receiver.https.host, receiver.https.caFile))
      : http.createServer();
  const behaviours = new Map<string, Behaviour>();
  /** Webhooks by the last segment of their path. */
  const hooks = new Map<string, string>();
  const abandoned = new Set<string>();
  const work = new Map<string, (delivery: Delivery) => Promise<void>>();
  const held = new Map<ServerResponse, Delivery>();
  const deliveries: Delivery[] = [];
  const refusals: string[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  let isCalm = false;

  async function respond(delivery: Delivery, request: IncomingMessage, response: ServerResponse) {
    // Work that fails has been interrupted: the delivery gets its response all the same.
    await work
      .get(delivery.hook ?? '')?.(delivery)
      .catch(() => undefined);
    if (isCalm) delivery.behaviour = 204;
    const { behaviour } = delivery;
    if (behaviour === 'close') request.socket.destroy();
    else if (behaviour === 'hang') held.set(response, delivery);
    else {
      if (behaviour === 302) response.setHeader('Location', `${baseUrl}${pathTo('trap')}`);
      response.writeHead(behaviour).end();
    }
    delivery.respondedAt = behaviour === 'hang' ? null : Date.now();
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      if (size < sizeLimit) chunks.push(chunk);
      size += chunk.length;
    });
    // The service gave up; there is nobody to respond to.
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const target = request.url ?? '/';
      const segments = target
        .replace(/[?#].*/, '')
        .split('/')
        .filter(Boolean);
      const [run = '', name = ''] = segments.slice(-2);
      if ((run.startsWith('run-') && run !== runId) || abandoned.has(name)) {
        response.writeHead(204).end();
        return;
      }
      const hook = run === runId ? (hooks.get(name) ?? null) : null;
      const delivery: Delivery = {
        hook,
        at: Date.now(),
        method: request.method ?? '',
        target,
        headers: pairs(request.rawHeaders),
        body,
        json: parseJson(body),
        tls: (request.socket as Partial<TLSSocket>).encrypted === true,
        behaviour: behaviours.get(hook ?? '') ?? 404,
        respondedAt: null,
      };
      deliveries.push(delivery);
      arrivals.emit('delivery');
      void respond(delivery, request, response);
    });
  });

  server.on('tlsClientError', ({ message }: Error) => refusals.push(message));
  server.listen(address.port, address.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE' ? 'Another program listens there. Free the port, or change' : 'Check';
    throw new ReceiverError(
      `Cannot listen on ${address.host}:${address.port} (${code}). ${why} receiver.${field} in the profile.`,
    );
  }
  const { port } = server.address() as AddressInfo;
  const host = isIPv6(address.host) ? `[${address.host}]` : address.host;
  const baseUrl =
    'publicUrl' in receiver
      ? receiver.publicUrl.replace(/\/+$/, '')
      : `http${'https' in receiver ? 's' : ''}://${host}:${port}`;
  const pathTo = (hook: string) => `/${runId}/${hook}?kit=conformance&hook=${hook}`;

  return {
    baseUrl,
    deliveries,
    refusals,
    behave(hook, behaviour) {
      behaviours.set(hook, behaviour);
      hooks.set(hook, hook);
      return baseUrl + pathTo(hook);
    },
    renew(hook) {
      abandoned.add(hook);
      hooks.set(`${hook}-again`, hook);
      return baseUrl + pathTo(`${hook}-again`);
    },
    calm() {
      isCalm = true;
      for (const [response, delivery] of held) {
        // One that the service has given up is still to be retried.
        if (!response.destroyed) delivery.behaviour = 204;
        response.writeHead(204).end();
      }
      held.clear();
    },
    beforeResponse: (hook, run) => work.set(hook, run),
    waitUntil(predicate, milliseconds, signal) {
      return new Promise((resolve) => {
        const finish = (result: boolean) => {
          clearTimeout(timer);
          arrivals.off('delivery', check);
          signal.removeEventListener('abort', stop);
          resolve(result);
        };
        const check = () => predicate() && finish(true);
        const stop = () => finish(false);
        const timer = setTimeout(() => finish(predicate()), Math.max(0, milliseconds));
        arrivals.on('delivery', check);
        signal.addEventListener('abort', stop);
        if (signal.aborted) stop();
        else check();
      });
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
