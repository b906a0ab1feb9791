import type { StagedSecret, WebhookDetails } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBody, signStandard } from '../../src/engine/attempt/delivery-headers';
import { type Received, respond } from '../helpers/receiver';
import { DeliveringService, type Hook } from './delivering-service';
import { getData, getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const stage = (id: string, key?: string, body?: unknown) =>
  harness.service.request(`POST /v1/webhooks/${id}/secret`, {
    as: harness.buyer,
    body,
    headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
  });
const promote = (id: string, key?: string) =>
  harness.service.request(`POST /v1/webhooks/${id}/secret/promote`, {
    as: harness.buyer,
    headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
  });

async function staged(id: string): Promise<StagedSecret> {
  return getData<StagedSecret>(await stage(id));
}

/** Causes one delivery, and returns it as the receiver got it. */
async function deliver({ receiver }: Hook): Promise<Received> {
  await harness.placeAndRecord();
  return receiver.next();
}

/** The signatures that a delivery should carry: `Service-Signature` by the first secret, `webhook-signature` by all. */
function signaturesBy({ headers, body }: Received, ...secrets: string[]) {
  const text = body.toString();
  const id = String(headers['webhook-id']);
  const seconds = Number(headers['webhook-timestamp']);
  return {
    'service-signature': signBody(secrets[0] ?? '', text),
    'webhook-signature': secrets.map((secret) => signStandard(secret, id, seconds, text)).join(' '),
  };
}

describe('the rotation of an endpoint secret', () => {
  it('signs with both while one is staged, and with the new one alone once it is promoted', async () => {
    const hook = await harness.hook(respond(200));
    const { id, secret } = hook.webhook;
    const before = await deliver(hook);
    expect(before.headers).toMatchObject(signaturesBy(before, secret));

    const { secret: next, stagedAt, ...rest } = await staged(id);
    expect(rest).toEqual({ webhookId: id });
    expect(next).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(next).not.toBe(secret);
    expect(await harness.see(`/v1/webhooks/${id}`)).toMatchObject({ stagedSecretAt: stagedAt });
    const meanwhile = await deliver(hook);
    expect(meanwhile.headers).toMatchObject(signaturesBy(meanwhile, secret, next));

    const promoted = await promote(id);
    expect(promoted.status).toBe(200);
    expect(getData<WebhookDetails>(promoted)).toMatchObject({ id, stagedSecretAt: null });
    expect(promoted.text).not.toContain('whsec_');
    const after = await deliver(hook);
    expect(after.headers).toMatchObject(signaturesBy(after, next));
  });

  it('replaces a staged secret when one is staged again', async () => {
    const hook = await harness.hook(respond(200));
    const { id, secret } = hook.webhook;
    const dropped = await staged(id);
    await harness.clock.advance(1_000);
    const kept = await staged(id);
    expect(kept.secret).not.toBe(dropped.secret);
    expect(kept.stagedAt > dropped.stagedAt).toBe(true);
    const meanwhile = await deliver(hook);
    expect(meanwhile.headers).toMatchObject(signaturesBy(meanwhile, secret, kept.secret));
    await promote(id);
    const after = await deliver(hook);
    expect(after.headers).toMatchObject(signaturesBy(after, kept.secret));
  });

  it('cannot promote a secret that was not staged, nor the same secret twice', async () => {
    const { webhook } = await harness.hook(respond(200));
    const never = getProblem(await promote(webhook.id));
    expect(never).toMatchObject({ status: 409, code: 'no_staged_secret' });
    expect(never.detail).toContain(`POST /v1/webhooks/${webhook.id}/secret`);
    await staged(webhook.id);
    expect((await promote(webhook.id)).status).toBe(200);
    expect(getProblem(await promote(webhook.id)).code).toBe('no_staged_secret');
  });

  it('is rejected for a webhook of another account', async () => {
    const { webhook } = await harness.hook(respond(200), { as: harness.seller });
    expect(getProblem(await stage(webhook.id)).code).toBe('webhook_not_found');
    expect(getProblem(await promote(webhook.id)).code).toBe('webhook_not_found');
  });

  it.each([undefined, {}])('accepts %j as no body, and rejects any field', async (body) => {
    const { webhook } = await harness.hook(respond(200));
    expect((await stage(webhook.id, undefined, body)).status).toBe(201);
    const mine = getProblem(await stage(webhook.id, undefined, { secret: 'whsec_mine' }));
    expect(mine.errors).toEqual([
      { path: 'secret', message: 'unknown field; this endpoint takes none' },
    ]);
  });
});

describe('an idempotency key', () => {
  it('stages one secret however often it is sent, with or without an empty body', async () => {
    const { webhook } = await harness.hook(respond(200));
    const first = await stage(webhook.id, 'rotate-1');
    const again = await stage(webhook.id, 'rotate-1', {});
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await stage(webhook.id, 'rotate-2');
    expect(other.text).not.toBe(first.text);
  });

  it('of one webhook is rejected for another, and never returns the secret of the first', async () => {
    const one = await harness.hook(respond(200));
    const other = await harness.hook(respond(200));
    const first = getData<StagedSecret>(await stage(one.webhook.id, 'shared'));
    const got = await stage(other.webhook.id, 'shared');
    expect(getProblem(got)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(got.text).not.toContain(first.secret);
    const shown = await harness.see(`/v1/webhooks/${other.webhook.id}`);
    expect(shown).toMatchObject({ stagedSecretAt: null });
  });

  it('lets a promotion be repeated', async () => {
    const { webhook } = await harness.hook(respond(200));
    await stage(webhook.id);
    const first = await promote(webhook.id, 'promote');
    const again = await promote(webhook.id, 'promote');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await harness.hook(respond(200));
    expect(getProblem(await promote(other.webhook.id, 'promote')).code).toBe(
      'idempotency_key_reused',
    );
  });
});
