import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { setStatuses } from '../../src/status-change/set-statuses';
import { aTerminal } from '../setting/a-terminal';
import { anOrder, BareService } from '../setting/bare-service';
import { FakeStream } from '../setting/fake-stream';

it.each([
  ['PATCH', 'in_doubt', 'whether it is now is not known'],
  ['GET', 'interrupted', 'interrupted before it was moved'],
])(
  'waits for a %s that is under way no longer than its grace, and says %s of it',
  async (hung, code, reason) => {
    const interrupt = new AbortController();
    const stderr = new FakeStream();
    const service = await BareService.start();
    service.orders = ['ord_1', 'ord_2'].map((id) => anOrder({ id }));
    // Its answer never comes: only what aborts it ends it.
    service.instead = ({ method }) => {
      if (method !== hung) return undefined;
      interrupt.abort();
      return new Promise(() => {});
    };
    const { orders } = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
    const plan = {
      baseUrl: service.baseUrl,
      keyHint: '…',
      status: 'confirmed' as const,
      ifStatus: 'pending' as const,
      ids: ['ord_1', 'ord_2'],
    };
    const { outcomes } = await setStatuses(
      orders,
      { plan, outcomes: new Map(), inDoubt: new Set() },
      {
        targets: plan.ids,
        concurrency: 1,
        maxFailures: Number.POSITIVE_INFINITY,
        dryRun: false,
        file: null,
        howToGoOn: null,
        grace: 5,
      },
      aTerminal({ stderr, signal: interrupt.signal }),
    );
    expect(outcomes).toMatchObject([
      { outcome: 'failed', code, message: expect.stringContaining(reason) },
      { outcome: 'untried', code: null },
    ]);
    expect(stderr.text).toContain('Finishing what is under way. Ctrl-C again ends at once.\n');
  },
);
