import {
  aContext,
  anAttempt,
  anIdempotencyKey,
  aWebhook,
  noon,
} from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import { aResult, failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { addCaller, addWebhook, Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

const idle = {
  ...{ pending: 0, failures: 0, backoffUntil: 0 },
  ...{ lastStatus: null, lastError: null, failingSince: 0, failedAt: 0 },
};

/** Webhooks as their accounts find, change and delete them. */
export function describeManagedWebhooks(underTest: StoreUnderTest): void {
  describe('in the store of webhooks', () => {
    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      const { accountId } = buyer;
      const find = (own = webhook) => store.webhooks.findWebhook(own.accountId, own.id);
      return { trade, store, accountId, webhook, find };
    }

    test('the operator lists the webhooks of all accounts or of one, newest first, without deleted ones', async () => {
      const { store, accountId, webhook } = await open();
      const stranger = await addCaller(store, 'seller');
      const other = await addWebhook(
        store,
        aWebhook({ accountId: stranger.accountId, createdAt: noon + 1 }),
      );
      const deleted = await addWebhook(store, aWebhook({ accountId, createdAt: noon + 2 }));
      await store.webhooks.deleteWebhook(accountId, deleted.id, noon + 3);
      const [first, second] = [webhook, other].map((one) => ({ ...one, health: idle }));
      expect(await store.webhooks.listAllWebhooks()).toEqual([second, first]);
      expect(await store.webhooks.listAllWebhooks(accountId)).toEqual([first]);
      expect(await store.webhooks.listAllWebhooks('usr_unknown')).toEqual([]);
    });

    test('a webhook is found by its ID, and only by its own account', async () => {
      const { store, webhook, find } = await open();
      expect(await find()).toEqual({ ...webhook, health: idle });
      const stranger = await addCaller(store, 'buyer');
      expect(await store.webhooks.findWebhook(stranger.accountId, webhook.id)).toBeNull();
      expect(await store.webhooks.findWebhook(webhook.accountId, 'whk_none')).toBeNull();
    });

    test('a change survives a restart', async () => {
      const { store, webhook } = await open();
      const change: Partial<Webhook> = {
        url: 'https://elsewhere.example/',
        events: ['order.status_changed', 'task.completed'],
        status: 'paused',
        stagedSecret: 'whsec_next',
        stagedAt: noon + 5,
        updatedAt: noon + 5,
      };
      const { response } = await changeWebhook(store, webhook, change);
      expect(response.body).toEqual({ ...webhook, ...change });
      const reopened = await underTest.reopen();
      const found = await reopened.webhooks.findWebhook(webhook.accountId, webhook.id);
      expect(found).toEqual({ ...webhook, ...change, health: idle });
    });

    test('a rejected change changes nothing', async () => {
      const { trade, store, webhook, find } = await open();
      const rejected = changeWebhook(store, webhook, () => {
        throw new Error('not this one');
      });
      await expect(rejected).rejects.toThrow('not this one');
      expect(await find()).toEqual({ ...webhook, health: idle });
      await trade.place();
      expect(await leaseDue(store, noon)).toHaveLength(1);
    });

    test('a change finds no webhook that is unknown, deleted, or of another account', async () => {
      const { store, accountId, webhook } = await open();
      const stranger = await addCaller(store, 'buyer');
      await store.webhooks.deleteWebhook(accountId, webhook.id, noon);
      for (const [owner, id] of [
        [accountId, 'whk_none'],
        [accountId, webhook.id],
        [stranger.accountId, webhook.id],
      ] as const) {
        const request = { accountId: owner, id, idempotencyKey: null, context: aContext() };
        const seen: unknown[] = [];
        const change = store.webhooks.changeWebhook(request, (found) => {
          seen.push(found);
          throw new Error('there is none');
        });
        await expect(change).rejects.toThrow('there is none');
        expect(seen).toEqual([null]);
      }
    });

    test('of changes at once, each sees the result of the one before', async () => {
      const { store, webhook, find } = await open();
      const add = () => changeWebhook(store, webhook, ({ url }) => ({ url: `${url}x` }));
      await Promise.all(Array.from({ length: 12 }, add));
      expect((await find())?.url).toBe(`${webhook.url}${'x'.repeat(12)}`);
    });

    test('pending deliveries go to the new URL, with the current secrets', async () => {
      const { trade, store, webhook } = await open();
      await trade.place();
      const change = {
        url: 'https://elsewhere.example/',
        secret: 'whsec_b',
        stagedSecret: 'whsec_c',
      };
      await changeWebhook(store, webhook, change);
      expect(await leaseOne(store, noon)).toMatchObject({ webhookId: webhook.id, ...change });
    });

    test('a new subscription applies to later events', async () => {
      const { trade, store, webhook } = await open();
      await trade.place();
      await changeWebhook(store, webhook, { events: ['task.approval_requested'] });
      await trade.place();
      const due = await leaseDue(store, noon);
      expect(due.map(({ body }) => JSON.parse(body).event)).toEqual([
        'order.created',
        'task.approval_requested',
      ]);
    });

    test('a webhook shows its pending deliveries, and how its last attempts ended', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      await trade.place();
      expect(await find()).toMatchObject({ health: { pending: 2, failures: 0 } });
      const [one, other] = await leaseDue(store, noon);
      if (!(one && other)) throw new Error('two are due');
      expect(await find()).toMatchObject({ health: { pending: 2 } });
      const outcomes = [aResult(one), failedResult(other, noon + 5_000)];
      await store.deliveries.recordAttempts(outcomes, noon + 20);
      const failing = { lastStatus: 500, lastError: null, failingSince: noon + 12 };
      expect(await find()).toMatchObject({ health: { pending: 1, failures: 1, ...failing } });
      const [again] = await leaseDue(store, noon + 5_000);
      if (again === undefined) throw new Error('the failed one is due');
      const attempt = anAttempt({ startedAt: noon + 5_000, status: null, error: 'timeout' });
      const timeout = { ...failedResult(again, noon + 20_000), attempt };
      await store.deliveries.recordAttempts([timeout], noon + 5_020);
      expect(await find()).toMatchObject({
        health: { failures: 2, ...failing, lastStatus: null, lastError: 'timeout' },
      });
      const [last] = await leaseDue(store, noon + 20_000);
      if (last === undefined) throw new Error('the failed one is due');
      await store.deliveries.recordAttempts([aResult(last)], noon + 20_020);
      expect(await find()).toMatchObject({
        health: { pending: 0, failures: 0, lastStatus: 200, lastError: null, failingSince: 0 },
      });
      const reopened = await underTest.reopen();
      const { accountId, id } = webhook;
      expect((await reopened.webhooks.findWebhook(accountId, id))?.health.lastStatus).toBe(200);
    });

    describe('an idempotency key', () => {
      test('gets the same response, and changes nothing again', async () => {
        const { store, accountId, webhook, find } = await open();
        const request = {
          idempotencyKey: anIdempotencyKey({ accountId, operation: 'stageWebhookSecret' }),
        };
        const first = await changeWebhook(store, webhook, { stagedSecret: 'whsec_b' }, request);
        await changeWebhook(store, webhook, { stagedSecret: null });
        const again = await changeWebhook(store, webhook, { stagedSecret: 'whsec_c' }, request);
        expect(again).toEqual({ response: first.response, replayed: true });
        expect(await find()).toMatchObject({ stagedSecret: null });
      });

      test('of many requests at once, one has an effect and all get its response', async () => {
        const { store, accountId, webhook, find } = await open();
        const request = {
          idempotencyKey: anIdempotencyKey({ accountId, operation: 'stageWebhookSecret' }),
        };
        const all = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            changeWebhook(store, webhook, { stagedSecret: `whsec_${index}` }, request),
          ),
        );
        expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
        const found = await find();
        for (const { response } of all)
          expect(response.body.stagedSecret).toBe(found?.stagedSecret);
      });
    });
  });
}
