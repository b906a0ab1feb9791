import { readFileSync } from 'node:fs';
import { signDelivery } from '@tradepost/sdk/testing';
import { findSnippets } from '../../docs/snippets';
import { checkout } from '../../helpers/programs';
import { documents } from './folders';

interface Event {
  'x-codeSamples': { label: string; source: string }[];
}

/** The secret of the receivers. */
export const receiverSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Returns the code sample of the OpenAPI document for a receiver. All events have the same. */
export function readReceiverSample(label: string): string {
  const { webhooks } = JSON.parse(readFileSync(documents['3.1'], 'utf8')) as {
    webhooks: Record<string, { post: Event }>;
  };
  const samples = webhooks['order.created']?.post['x-codeSamples'] ?? [];
  return samples.find((sample) => sample.label === label)?.source ?? '';
}

/** Returns the snippets of RECEIVING.md in a language. */
export function readReceivingSnippets(language: string): string[] {
  const path = 'packages/sdk/RECEIVING.md';
  return findSnippets(path, readFileSync(`${checkout}/${path}`, 'utf8'))
    .filter((snippet) => snippet.language === language)
    .map(({ code }) => code);
}

/** A delivery of `order.status_changed`, signed now. */
export async function createDelivery(): Promise<{ headers: Record<string, string>; body: string }> {
  const data = { orderId: 'ord_7', previousStatus: 'pending', status: 'fulfilling' } as const;
  const event = {
    event: 'order.status_changed',
    createdAt: new Date().toISOString(),
    data,
  } as const;
  const { headers, body } = await signDelivery({ event, secret: receiverSecret });
  return { headers: { ...headers }, body: Buffer.from(body).toString() };
}
