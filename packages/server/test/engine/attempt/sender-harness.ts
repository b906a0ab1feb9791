import type { Attempt, LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import { onTestFinished } from 'vitest';
import { createSender, type Sender } from '../../../src/engine/attempt/send';
import { createDnsResolver, type HostResolver } from '../../../src/engine/attempt/ssrf-guard';
import { Receiver, type Respond } from '../../helpers/receiver';
import { openDnsServer, type Zone } from './dns-server';

/** The strict policy without the check of addresses: test receivers are local. */
export const localStrictPolicy: WebhookPolicy = {
  ...strictWebhookPolicy,
  publicAddressesOnly: false,
};

/** A sender that is closed with the running test. By default, it has the insecure policy, since receivers are local. */
export function openSender(
  policy: WebhookPolicy = insecureWebhookPolicy,
  timeout?: number,
  resolver?: HostResolver,
): Sender {
  const sender = createSender(policy, new FakeClock(), { timeout, resolver });
  onTestFinished(() => sender.close());
  return sender;
}

/** A sender that queries a real DNS server with this zone, and the queries of that server. */
export async function openSenderWithDns(
  zone: Zone,
  policy?: WebhookPolicy,
  timeout?: number,
): Promise<{ sender: Sender; questions: string[] }> {
  const { address, questions } = await openDnsServer(zone);
  return { sender: openSender(policy, timeout, createDnsResolver([address], 1_000)), questions };
}

/** Sends one delivery to a receiver that responds in this way. */
export async function sendTo(
  respond: Respond,
  timeout?: number,
): Promise<{ attempt: Attempt; receiver: Receiver; delivery: LeasedDelivery }> {
  const receiver = await Receiver.open(respond);
  const delivery = aLeasedDelivery({ url: `${receiver.origin}/hook` });
  const attempt = await openSender(insecureWebhookPolicy, timeout).send(delivery);
  return { attempt, receiver, delivery };
}
