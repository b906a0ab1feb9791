import type { AddressInfo } from 'node:net';
import type { WebhookReceiver } from '../../../src/receiver/webhook-receiver';
import type { DeliveryEdgeCase, DeliveryFault, SignedDelivery } from '../../../src/testing/index';

/** A request on its way to a host. */
export interface Sent {
  method?: string;
  headers: Record<string, string>;
  body: SignedDelivery['body'];
}

/** The response of a host. */
export interface HostResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A framework that can run a receiver. */
export interface Host {
  name: string;
  /** Valid deliveries that are rejected nevertheless, because the host decodes the body to text. */
  loses?: DeliveryEdgeCase[];
  /** Faults that disappear because the host decodes the body to text. */
  repairs?: DeliveryFault[];
  /** Adds a receiver to the framework and starts it. */
  start(receiver: WebhookReceiver): Promise<RunningHost>;
}

/** A started framework with a receiver. */
export interface RunningHost {
  send(sent: Sent): Promise<HostResponse>;
  stop(): Promise<unknown>;
}

/** Reads a web `Response`. */
export async function readResponse(response: Response): Promise<HostResponse> {
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** Returns the port that a server listens on. */
export function getServerPort(server: { address(): AddressInfo | string | null }): number {
  return (server.address() as AddressInfo).port;
}
