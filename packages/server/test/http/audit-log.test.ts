import type { CreatedWebhook } from '@tradepost/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Actor, getData, type Service, startService } from './service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const url = 'https://user.example/hook/token-4711?key=4711';

function changeAs(as: Actor, what: string, body?: unknown, headers = {}) {
  return service.request(what, { as, headers, ...(body !== undefined && { body }) });
}

test('each change of a webhook is in the audit log, with the key that made it and no secret', async () => {
  const actor = await service.account('seller');
  const create = () =>
    changeAs(
      actor,
      'POST /v1/webhooks',
      { url, events: ['order.created'] },
      { 'Idempotency-Key': 'first' },
    );
  const { id, secret } = getData<CreatedWebhook>(await create());
  // The stored response is returned, and nothing changes.
  expect((await create()).headers.get('idempotent-replayed')).toBe('true');
  const path = `/v1/webhooks/${id}`;
  await changeAs(actor, `PATCH ${path}`, { status: 'paused' });
  await changeAs(actor, `PATCH ${path}`, { status: 'paused' });
  await changeAs(actor, `PATCH ${path}`, { status: 'active' });
  const events = ['order.created', 'order.status_changed'];
  const updated = await changeAs(actor, `PATCH ${path}`, { status: 'paused', events });
  expect(updated.status).toBe(200);
  const staged = getData<{ secret: string }>(await changeAs(actor, `POST ${path}/secret`));
  await changeAs(actor, `POST ${path}/secret/promote`);
  await changeAs(actor, `POST ${path}/secret/promote`);
  expect((await changeAs(actor, `DELETE ${path}`)).status).toBe(204);
  expect((await changeAs(actor, `DELETE ${path}`)).status).toBe(404);

  const entries = await service.store.audit.listEntries({}, { before: null, limit: 100 });
  expect(entries.map(({ action }) => action).reverse()).toEqual([
    'webhook.created',
    'webhook.paused',
    'webhook.resumed',
    'webhook.updated',
    'webhook.secret_staged',
    'webhook.secret_promoted',
    'webhook.deleted',
  ]);
  for (const entry of entries) {
    expect(entry).toMatchObject({
      actorType: 'key',
      actorId: actor.keyId,
      subjectType: 'webhook',
      subjectId: id,
      accountId: actor.id,
      details: { origin: 'https://user.example' },
    });
  }
  expect(entries[3]?.details).toMatchObject({
    events,
    status: 'paused',
    changed: ['events', 'status'],
  });
  const text = JSON.stringify(entries);
  for (const hidden of [secret, staged.secret, actor.key, '4711'])
    expect(text).not.toContain(hidden);
});
