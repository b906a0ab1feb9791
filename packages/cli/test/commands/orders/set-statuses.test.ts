import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { setStatuses } from '../../../src/commands/orders/set-status/set-statuses';
import { aContext } from '../../helpers/a-context';
import { FakeStream } from '../../helpers/fake-stream';
import { BareService } from '../../helpers/minimal-service';

it.each([
  ['PATCH', 'in_doubt', 'Interrupted; outcome unknown'],
  ['GET', 'interrupted', 'Interrupted before it was moved'],
])(
  'setStatuses aborts a hanging %s after the shutdown grace period, and reports %s',
  async (hung, code, reason) => {
    const interrupt = new AbortController();
    const stderr = new FakeStream();
    const service = await BareService.start();
    service.orders = ['ord_1', 'ord_2'].map((id) => anOrder({ id }));
    // The response never arrives.
    service.instead = ({ method }) => {
      if (method !== hung) return undefined;
      interrupt.abort();
      return new Promise(() => {});
    };
    const { orders } = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
    const plan = {
      baseUrl: service.baseUrl,
      keyHint: '…',
      ifStatus: 'pending' as const,
      limits: {},
      targets: new Map(['ord_1', 'ord_2'].map((id) => [id, 'confirmed' as const])),
    };
    const { outcomes } = await setStatuses(
      orders,
      { plan, outcomes: new Map(), inDoubt: new Set() },
      {
        ids: [...plan.targets.keys()],
        concurrency: 1,
        maxFailures: Number.POSITIVE_INFINITY,
        reconnectTimeout: 0,
        dryRun: false,
        journal: null,
        resumeHint: null,
        shutdownGraceMs: 5,
      },
      aContext({ stderr, signal: interrupt.signal }),
    );
    expect(outcomes).toMatchObject([
      { outcome: 'failed', code, message: expect.stringContaining(reason) },
      { outcome: 'not_attempted', code: null },
    ]);
    expect(stderr.text).toContain(
      'Finishing requests in flight. Press Ctrl-C again to quit now.\n',
    );
  },
);
