import { expect, it } from 'vitest';
import type { OrdersClient } from '../../src/status-change/change-order';
import { setStatuses } from '../../src/status-change/set-statuses';
import { aTerminal } from '../setting/a-terminal';
import { FakeStream } from '../setting/fake-stream';

it('waits for what is under way no longer than its grace, and leaves that to be looked at', async () => {
  const interrupt = new AbortController();
  const stderr = new FakeStream();
  const orders = {
    get: () => {
      throw new Error('not asked for');
    },
    // An answer never comes: only what aborts it ends it.
    update: (_id: string, _body: unknown, options?: { signal?: AbortSignal }) =>
      new Promise((_, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        interrupt.abort();
      }),
  } as unknown as OrdersClient;
  const plan = {
    baseUrl: 'https://trade.example',
    keyHint: '…',
    status: 'confirmed' as const,
    ifStatus: null,
    ids: ['ord_1', 'ord_2'],
  };
  const { outcomes } = await setStatuses(
    orders,
    { plan, outcomes: new Map(), inDoubt: new Set() },
    {
      targets: plan.ids,
      concurrency: 2,
      maxFailures: Number.POSITIVE_INFINITY,
      dryRun: false,
      file: null,
      howToGoOn: null,
      grace: 5,
    },
    aTerminal({ stderr, signal: interrupt.signal }),
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'untried']);
  expect(stderr.text).toBe('Finishing what is under way. Ctrl-C again ends at once.\n');
});
