import { attemptErrors } from '@tradepost/contract/attempt-errors';
import { describe, expect, test } from 'vitest';
import type { DeliveryDetails, WebhookDetails } from '../../src';
import {
  deliveryRequest,
  explainDelivery,
  explainFailure,
  explainWebhook,
  toCommand,
  toCurl,
  wasSignedWith,
} from '../../src/explain';
import { exampleSecret, signDelivery } from '../../src/testing';
import { verifyDelivery } from '../../src/webhooks';

const at = '2026-11-21T09:30:00.000Z';
const now = Date.parse('2026-11-21T12:00:00.000Z');
const later = '2026-11-21T12:05:00.000Z';
const deadlineAt = '2026-11-22T09:30:00.000Z';

/** A webhook to which nothing was sent yet. */
function aWebhook(fields: Partial<WebhookDetails> = {}): WebhookDetails {
  return {
    ...{ id: 'whk_1', url: 'https://receiver.example/hooks', events: ['order.created'] },
    ...{ status: 'active', createdAt: at, updatedAt: at, stagedSecretAt: null },
    ...{ description: null, headerNames: [], attemptsPerMinute: null },
    ...{ pendingDeliveries: 0, consecutiveFailures: 0, backoffUntil: null },
    ...{ lastStatus: null, lastError: null, failingSince: null, disabledAt: null },
    ...fields,
  };
}

/** A delivery that has failed for good. */
function aDelivery(fields: Partial<DeliveryDetails> = {}): DeliveryDetails {
  return {
    ...{ id: 'dlv_1', webhookId: 'whk_1', eventId: 'evt_1', event: 'order.created' },
    ...{ orderId: 'ord_1', state: 'failed', test: false, attemptCount: 11, lastStatus: 500 },
    ...{ lastError: null, nextAttemptAt: null, deadlineAt, createdAt: at, finishedAt: deadlineAt },
    ...{ body: '{}', attempts: [] },
    ...fields,
  };
}

const pending = { state: 'pending', nextAttemptAt: later, finishedAt: null } as const;
const neverTried = { ...pending, attemptCount: 0, lastStatus: null } as const;
const backoff = {
  ...{ pendingDeliveries: 1205, consecutiveFailures: 9, backoffUntil: later, lastStatus: 401 },
  failingSince: '2026-11-21T09:00:00.000Z',
};
const types = (actions: readonly { type: string }[]) => actions.map(({ type }) => type);

describe('explainDelivery', () => {
  test.each([
    ['delivered', { state: 'delivered', lastStatus: 204 }, {}, []],
    ['failed', {}, {}, ['fix', 'replay']],
    ['failed', { ...neverTried, state: 'failed' }, {}, ['fix', 'replay']],
    ['failed', { test: true, attemptCount: 1 }, {}, ['fix', 'test']],
    ['paused', pending, { status: 'paused' }, ['resume']],
    [
      'paused',
      { ...pending, nextAttemptAt: null },
      { ...backoff, status: 'paused', disabledAt: at },
      ['fix', 'resume'],
    ],
    ['backoff', pending, backoff, ['fix', 'retry']],
    ['retrying', pending, { backoffUntil: at }, ['fix', 'replay']],
    ['waiting', neverTried, {}, ['wait']],
    ['in_progress', { ...pending, nextAttemptAt: null }, {}, ['wait']],
    ['unknown', { state: 'parked' }, {}, []],
  ] as [string, Partial<DeliveryDetails>, Partial<WebhookDetails>, string[]][])(
    'says %s of %j to %j',
    (verdict, delivery, webhook, actions) => {
      const explained = explainDelivery(aDelivery(delivery), { webhook: aWebhook(webhook), now });
      expect(explained.verdict).toBe(verdict);
      expect(types(explained.actions)).toEqual(actions);
      const texts = [explained.reason, ...explained.actions.map(({ text }) => text)];
      for (const text of texts) expect(text).toMatch(/^[A-Z0-9`].*\.$/);
      expect(texts.join('\n')).not.toMatch(/tradepost |--[a-z]/);
    },
  );

  test('says that a delivery failed because its account had too many pending ones', () => {
    const { reason, actions } = explainDelivery(
      aDelivery({ attemptCount: 0, lastStatus: null, lastError: 'queue_limit_reached' }),
    );
    expect(reason).toContain('the account had as many pending deliveries as it may have');
    expect(types(actions)).toEqual(['fix', 'replay']);
  });

  test('does not know whether an attempt is in flight or the webhook is paused, without the webhook', () => {
    const delivery = aDelivery({ ...pending, nextAttemptAt: null });
    expect(explainDelivery(delivery).reason).toContain(
      'An attempt is in flight, or the webhook is paused.',
    );
    const webhook = aWebhook({});
    expect(explainDelivery(delivery, { webhook, now }).reason).toContain(
      'An attempt is in flight.',
    );
  });

  test('names what its actions are about', () => {
    expect(explainDelivery(aDelivery()).actions.at(-1)).toEqual({
      type: 'replay',
      deliveryId: 'dlv_1',
      text: 'Then send it again.',
    });
    const test = explainDelivery(aDelivery({ test: true })).actions.at(-1);
    expect(test).toMatchObject({ webhookId: 'whk_1', event: 'order.created' });
    const waiting = explainDelivery(aDelivery(neverTried)).actions;
    expect(waiting).toEqual([{ type: 'wait', until: later, text: 'There is nothing to do.' }]);
  });

  test('says why one without attempts has to wait', () => {
    const webhook = aWebhook(backoff);
    const explained = explainDelivery(aDelivery(neverTried), { webhook, now: new Date(now) });
    expect(explained).toMatchObject({
      verdict: 'backoff',
      isFailureOfOther: true,
      failure: { cause: 'authentication', status: 401, error: null },
    });
    expect(explained.reason).toBe(
      `1,205 pending, endpoint backs off until ${later}, last response 401 for 3 hr. The last attempt of another delivery failed: the receiver returned 401: it, or a proxy in front of it, requires authentication. The delivery expires at ${deadlineAt}.`,
    );
    expect(types(explained.actions)).toEqual(['fix', 'verify', 'retry']);
  });

  test('says that the service disabled the webhook', () => {
    const webhook = aWebhook({ ...backoff, status: 'paused', disabledAt: at });
    const delivery = aDelivery({ ...neverTried, nextAttemptAt: null });
    expect(explainDelivery(delivery, { webhook, now }).reason).toMatch(
      /^The service disabled the webhook, .* The last attempt of another delivery failed: .* expires at/,
    );
  });

  test('says that one which is due may wait for the limit of its endpoint', () => {
    const webhook = aWebhook({ attemptsPerMinute: 2 });
    for (const delivery of [neverTried, pending]) {
      expect(explainDelivery(aDelivery(delivery), { webhook, now }).reason).toContain(
        `${later}. Its endpoint gets at most 2 attempts a minute, so it may be later. The delivery`,
      );
    }
  });

  test('does without the webhook', () => {
    expect(explainDelivery(aDelivery(pending), { webhook: null }).verdict).toBe('retrying');
  });

  test('says that the secret is another one', () => {
    const [first] = explainDelivery(aDelivery(), { signed: false }).actions;
    expect(first?.text).toContain('was not signed with the given secret');
    expect(explainDelivery(aDelivery(), { signed: true }).actions).toHaveLength(2);
  });
});

describe('explainFailure', () => {
  const explain = (lastStatus: number | null, lastError: string | null = null) =>
    explainFailure({ webhookId: 'whk_1', lastStatus, lastError });

  test.each([
    [308, 'redirect', ['change_url']],
    [400, 'rejected', ['verify']],
    [401, 'authentication', ['fix', 'verify']],
    [403, 'authentication', ['fix', 'verify']],
    [404, 'not_found', ['change_url']],
    [410, 'not_found', ['change_url']],
    [418, 'not_accepted', ['fix']],
    [429, 'rate_limited', ['fix']],
    [500, 'receiver_failed', ['fix']],
    [503, 'unavailable', ['fix']],
  ])('explains %i as %s', (status, cause, actions) => {
    const explained = explain(status);
    expect(explained).toMatchObject({ cause, status, error: null });
    expect(explained?.reason).toContain(`the receiver returned ${status}`);
    expect(types(explained?.actions ?? [])).toEqual(actions);
  });

  test.each(Object.entries(attemptErrors))('explains %s', (name, { summary, action }) => {
    const explained = explain(null, `${name} (detail)`);
    expect(explained).toMatchObject({ cause: name, reason: `${summary} (detail)`, status: null });
    expect(explained?.actions[0]).toEqual({ type: 'fix', text: action });
  });

  test.each([
    ['forbidden_address', 'forward'],
    ['forbidden_scheme', 'change_url'],
    ['forbidden_port', 'change_url'],
  ])('helps with %s: %s', (name, type) => {
    expect(explain(null, name)?.actions.at(-1)?.type).toBe(type);
  });

  test.each(['a_name_of_tomorrow', 'constructor', ''])('shows an unknown error, %j', (name) => {
    expect(explain(null, name)).toMatchObject({ cause: 'unknown', reason: `no response: ${name}` });
  });

  test('has nothing to say without a failure', () => {
    expect(explain(null)).toBeNull();
    expect(explain(204)).toBeNull();
    // It is accepted, although the response was not complete.
    expect(explain(200, 'response_truncated')).toBeNull();
  });
});

describe('explainWebhook', () => {
  test.each([
    ['active', {}, 'endpoint is active', []],
    ['healthy', { lastStatus: 204 }, 'endpoint is healthy, last response 204', []],
    [
      'failing',
      { consecutiveFailures: 1, lastError: 'timeout', pendingDeliveries: 1 },
      '1 pending, endpoint is failing, last attempt timeout',
      ['fix', 'retry'],
    ],
    [
      'failing',
      { ...backoff, backoffUntil: at, pendingDeliveries: 0 },
      'failing',
      ['fix', 'verify'],
    ],
    ['backoff', backoff, `endpoint backs off until ${later}`, ['fix', 'verify', 'retry']],
    ['paused', { status: 'paused' }, 'webhook is paused', ['resume']],
    ['unknown', { status: 'archived' }, 'webhook is archived', []],
  ] as const)('says %s of %j', (verdict, webhook, summary, actions) => {
    const explained = explainWebhook(aWebhook(webhook), { now });
    expect(explained.verdict).toBe(verdict);
    expect(explained.summary).toContain(summary);
    expect(types(explained.actions)).toEqual(actions);
  });

  test.each([
    [now - 59_000, '401'],
    [now - 60_000, '401 for 1 min'],
    [now - 7_200_000, '401 for 2 hr'],
    [now - 86_400_000, '401 for 1 day'],
    [now - 200_000_000, '401 for 2 days'],
  ])('says how long attempts have failed', (since, last) => {
    const failingSince = new Date(since).toISOString();
    expect(explainWebhook(aWebhook({ ...backoff, failingSince }), { now }).last).toBe(last);
  });

  test('says that the service disabled a webhook, why, and what to do', () => {
    const disabled = { ...backoff, status: 'paused', disabledAt: at, lastStatus: 410 } as const;
    const { verdict, reason, actions } = explainWebhook(aWebhook(disabled), { now });
    expect(verdict).toBe('disabled');
    expect(reason).toContain(`1,205 pending, webhook is disabled since ${at}, last response 410`);
    expect(types(actions).slice(-2)).toEqual(['change_url', 'resume']);
    const other = explainWebhook(aWebhook({ ...disabled, lastStatus: 500 }), { now });
    expect(types(other.actions).slice(-2)).toEqual(['change_url', 'resume']);
    expect(actions.filter(({ type }) => type === 'change_url')).toHaveLength(1);
  });

  test('says that deliveries may wait for the limit of attempts, if they are not held for another reason', () => {
    const explain = (webhook: Partial<WebhookDetails>) =>
      explainWebhook(aWebhook({ attemptsPerMinute: 1, pendingDeliveries: 3, ...webhook }), { now });
    expect(explain({ lastStatus: 204 }).reason).toBe(
      '3 pending, endpoint is healthy, last response 204. Its endpoint gets at most 1 attempt a minute, so pending deliveries may wait for that.',
    );
    expect(explain({ consecutiveFailures: 1, lastStatus: 500 }).reason).toContain(
      'may wait for that. The last attempt failed: ',
    );
    const others = [{ pendingDeliveries: 0 }, { attemptsPerMinute: null }, backoff];
    for (const webhook of [...others, { status: 'paused' } as const])
      expect(explain(webhook).reason).not.toContain('a minute');
  });

  test('explains a webhook of a service that does not say how it fares', () => {
    const { id, url, events, status, createdAt, updatedAt } = aWebhook();
    const webhook = { id, url, events, status, createdAt, updatedAt } as WebhookDetails;
    expect(explainWebhook(webhook)).toMatchObject({ reason: 'Endpoint is active.', last: null });
  });
});

describe('the request of a delivery', () => {
  const body = '{"event":"order.created","createdAt":"2026-11-21T09:30:00.000Z","data":{"n":"ü"}}';

  async function attempted(): Promise<DeliveryDetails> {
    const signed = await signDelivery({ body, id: 'evt_1', secret: exampleSecret, sentAt: now });
    const headers = { 'User-Agent': 'Tradepost/1', ...signed.headers };
    const attempt = { number: 1, startedAt: at, durationMs: 9, status: 500, error: null };
    const sent = { ...attempt, url: 'https://receiver.example/old', headers, responseSnippet: '' };
    return aDelivery({ body, attempts: [sent] });
  }

  test('is that of the last attempt, or is signed again', async () => {
    const delivery = await attempted();
    const { url, headers } = delivery.attempts[0] ?? {};
    expect(await deliveryRequest(delivery)).toEqual({ url, headers, body });
    const later = now + 3_600_000;
    const again = await deliveryRequest(delivery, { secret: exampleSecret, now: later });
    expect(again).toMatchObject({ url, headers: { 'User-Agent': 'Tradepost/1' } });
    const received = { payload: body, headers: again?.headers, secret: exampleSecret, now: later };
    expect(await verifyDelivery(received)).toMatchObject({ id: 'evt_1', sentAt: new Date(later) });
  });

  test('needs a secret and a URL before the first attempt', async () => {
    const delivery = aDelivery({ ...neverTried, body });
    expect(await deliveryRequest(delivery)).toBeNull();
    expect(await deliveryRequest(delivery, { secret: exampleSecret })).toBeNull();
    const url = 'https://receiver.example/hooks';
    const request = await deliveryRequest(delivery, { secret: exampleSecret, url, now });
    const { headers } = await signDelivery({
      ...{ body, id: 'evt_1', secret: exampleSecret, sentAt: now },
    });
    expect(request).toEqual({ url, headers: { ...headers, 'User-Agent': 'Tradepost' }, body });
  });

  test('shows which secret signed it', async () => {
    const delivery = await attempted();
    expect(await wasSignedWith(delivery, exampleSecret)).toBe(true);
    expect(await wasSignedWith(delivery, 'whsec_b3RoZXI=')).toBe(false);
    expect(await wasSignedWith(aDelivery(), exampleSecret)).toBeNull();
    await expect(wasSignedWith(delivery, 'whsec_!!')).rejects.toThrow(TypeError);
  });

  test('becomes a line for a shell, unless it cannot be one', async () => {
    const url = 'https://receiver.example/';
    expect(toCurl({ url, headers: { 'X-A': '', 'User-Agent': 'x' }, body: "it's" })).toBe(
      `curl -q -sS -i -g --http1.1 --url ${url} -H 'X-A;' -H 'User-Agent: x' -H Accept: -H Content-Type: -H Expect: --data-raw 'it'\\''s'`,
    );
    const request = { url, headers: {}, body: '' };
    for (const part of [
      { headers: { 'X-A': 'b\r\nX-C: d' } },
      { headers: { 'X A': 'b' } },
      ...['x'.repeat(300_000), '\0', '\u001b[31m', '\u202e'].map((text) => ({ body: text })),
      ...['-o/etc/passwd', 'file:///etc/passwd', 'ftp://a/b'].map((text) => ({ url: text })),
    ]) {
      expect(toCurl({ ...request, ...part })).toBeNull();
    }
  });
});

describe('a command', () => {
  test('has each word as one, whatever it contains', () => {
    expect(toCommand(['tradepost', '--buyer', "x; rm -rf ~ `id` $(id) 'y'", ''])).toBe(
      "tradepost --buyer 'x; rm -rf ~ `id` $(id) '\\''y'\\''' ''",
    );
  });

  test.each(['\u202e', '\u001b[31m', '\0'])(
    'is not written with the hidden character %j',
    (character) => {
      expect(toCommand(['tradepost', `a${character}b`])).toBeNull();
    },
  );
});
