import type { WebhookReceiver } from '../../../src/receiver/webhook-receiver';
import type { DeliveryEdgeCase, DeliveryFault } from '../../../src/testing/index';

/** A request on its way to a host. */
export interface Sent {
  method?: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

/** The response of a host. */
export interface Answered {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A framework that a receiver is put into. */
export interface Host {
  name: string;
  /** What is right and is refused all the same, since the host makes text of the body. */
  loses?: DeliveryEdgeCase[];
  /** What is wrong and comes out right, since the host makes text of the body. */
  mends?: DeliveryFault[];
  /** Puts a receiver into the framework and starts it. */
  start(receiver: WebhookReceiver): Promise<RunningHost>;
}

/** A framework with a receiver in it, ready to be sent to. */
export interface RunningHost {
  send(sent: Sent): Promise<Answered>;
  stop(): Promise<unknown>;
}

/** Reads a web `Response`. */
export async function answeredOf(response: Response): Promise<Answered> {
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
