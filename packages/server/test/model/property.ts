import fc from 'fast-check';
import { findLimited, mayTryCode, pickKey } from './account-actions';
import { anyAction, simultaneousActions, tradingActions } from './actions';
import { waitSeconds } from './call';
import { type Action, index, type Planned } from './choices';
import { isLongPoll } from './linearize';
import { anyList } from './list-actions';
import { ModelRun, startTime } from './model-run';
import type { Operation } from './operator-model';
import { exceedWebhooks, fail, mayFail, performDuring, readPages, signIn } from './scenarios';
import type { ReceiverBehavior } from './state';
import type { System } from './system';

interface Step {
  check?: (run: Readonly<ModelRun>) => boolean;
  run: (run: ModelRun) => Promise<void>;
  print: () => string;
}

/** A step as a command of fast-check, which a failure prints. */
class Command implements fc.AsyncCommand<ModelRun, System> {
  readonly #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  check(run: Readonly<ModelRun>): boolean {
    return this.#step.check?.(run) ?? true;
  }

  async run(run: ModelRun): Promise<void> {
    try {
      await this.#step.run(run);
    } catch (error) {
      throw run.explain(error);
    }
  }

  toString(): string {
    return this.#step.print();
  }
}

/** PostgreSQL counts what was queued a few milliseconds ago only after a worker has polled, which here it does when it sends. */
function limitsDeliveries(planned: Planned): boolean {
  if (!('operation' in planned) || planned.operation.kind !== 'limitAccount') return false;
  return planned.operation.limits.maxOpenDeliveries !== undefined;
}

function plan(run: Readonly<ModelRun>, actions: readonly Action[]): Planned[] {
  const planned = actions
    .map((action) => action.plan(run.state))
    .filter((one) => one !== null)
    .filter((one) => run.isSerial || !limitsDeliveries(one));
  // A long poll that is refused would not wait until time passes.
  const isRefused = run.state.accounts.some(({ suspendedAt }) => suspendedAt !== null);
  const isSuspended = planned.some(suspends);
  const mayWait = run.mayPass(waitSeconds * 1_000) && !isRefused && !isSuspended;
  const [, ...others] = planned.filter(revokes);
  return planned
    .filter((one) => mayWait || !isLongPoll(one))
    .filter((one) => !isSuspended || !showsDeliveries(one))
    .filter((one) => !others.includes(one));
}

/** A request whose key was checked before its account is suspended may show deliveries as held. */
function showsDeliveries(planned: Planned): boolean {
  if ('operation' in planned) return false;
  const { route } = planned.call;
  return route.startsWith('deliveries.') || ['webhooks.test', 'orders.timeline'].includes(route);
}

/** Revoking succeeds also if the key of the request was revoked since it was checked, but changes nothing then: one at a time. */
const revokes = (planned: Planned) =>
  'call' in planned ? planned.call.route === 'keys.revoke' : planned.operation.kind === 'revokeKey';

const suspends = (planned: Planned) =>
  'operation' in planned && planned.operation.kind === 'suspendAccount';

const performing = (actions: readonly Action[]): Step => ({
  check: (run) => plan(run, actions).length > 0,
  run: (run) => run.perform(plan(run, actions)),
  print: () => actions.map(String).join(' | '),
});

const passing = (milliseconds: number): Step => ({
  check: (run) => run.mayPass(milliseconds),
  run: (run) => run.pass(milliseconds),
  print: () => `pass ${milliseconds} ms`,
});

const readingPages = (list: Action, limit: number): Step => ({
  check: (run) => plan(run, [list]).length > 0,
  async run(run) {
    const [planned] = plan(run, [list]);
    if (planned !== undefined && 'call' in planned) await readPages(run, planned.call, limit);
  },
  print: () => `all pages of ${limit}: ${list}`,
});

const behavior = fc.constantFrom<ReceiverBehavior[]>(
  { status: 204 },
  { status: 204 },
  { status: 500 },
  { status: 404 },
  { status: null },
  { status: 503, retryAfter: 30 },
  { status: 503, retryAfter: 30 },
);

/** Something happens while an account is suspended, or may have few pending deliveries. */
const duringState = fc
  .record({ account: fc.nat({ max: 4 }), open: fc.constantFrom(null, 1, 2, 3), tradingActions })
  .map(({ account, open, tradingActions: actions }): Step => {
    const choose = ({ state }: Readonly<ModelRun>) =>
      (open === null ? undefined : findLimited(state)) ?? state.accounts[account]?.id ?? '';
    return {
      check: (run) =>
        open === null
          ? run.state.accounts.every(({ suspendedAt }) => suspendedAt === null)
          : run.isSerial,
      async run(run) {
        const accountId = choose(run);
        const plans = actions.map((action) => () => plan(run, [action]));
        const limit = (maxOpenDeliveries: number | null): Operation => ({
          kind: 'limitAccount',
          accountId,
          limits: { maxOpenDeliveries },
        });
        const [operation, undo]: Operation[] =
          open === null
            ? [
                { kind: 'suspendAccount', accountId },
                { kind: 'resumeAccount', accountId },
              ]
            : [limit(open), limit(null)];
        await performDuring(run, operation as Operation, plans, undo as Operation);
      },
      print: () =>
        `while account ${account} ${open === null ? 'is suspended' : `may have ${open}`}: ${actions.map(String).join(', ')}`,
    };
  });

/** A person signs in by a key that may be revoked. */
const signingIn = fc
  .record({ key: index, end: fc.constantFrom('revoke', 'sign out', 'time') })
  .map(({ key: at, end }): Step => {
    const choose = ({ state }: Readonly<ModelRun>) => pickKey(state, at);
    return {
      check: (run) => mayTryCode(run.state) && choose(run) !== undefined,
      run: async (run) => signIn(run, choose(run)?.text ?? '', end),
      print: () => `sign in by key ${at}, until ${end}`,
    };
  });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 48, arbitrary: anyAction.map((action) => performing([action])) },
  { weight: 16, arbitrary: simultaneousActions.map(performing) },
  {
    weight: 6,
    arbitrary: fc
      .record({ list: anyList, limit: fc.integer({ min: 1, max: 3 }) })
      .map(({ list, limit }) => readingPages(list, limit)),
  },
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(1, 1_000, 3_000, 15_000, 60_000, 3_600_000, 43_200_000, 86_400_000)
      .map(passing),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({ receiver: fc.nat({ max: 2 }), behavior })
      .map(({ receiver, behavior }) => ({
        run: async (run: ModelRun) => run.setReceiver(receiver, behavior),
        print: () => `receiver ${receiver} responds ${JSON.stringify(behavior)}`,
      })),
  },
  {
    weight: 8,
    arbitrary: fc.constant<Step>({
      check: (run) => !run.isSending,
      run: (run) => run.deliver(),
      print: () => 'deliver',
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constant<Step>({
      check: (run) => !run.isSending,
      run: (run) => run.send(),
      print: () => 'send',
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constant<Step>({
      check: (run) => run.isSending,
      run: (run) => run.respond(),
      print: () => 'respond',
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Step>({ run: (run) => run.sweep(), print: () => 'sweep' }),
  },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 4 }).map((account) => ({
      run: (run: ModelRun) => exceedWebhooks(run, account),
      print: () => `exceed the webhooks of account ${account}`,
    })),
  },
  { weight: 4, arbitrary: duringState },
  { weight: 3, arbitrary: signingIn },
  {
    weight: 2,
    arbitrary: fc.constant<Step>({
      run: (run) => run.disableFailing(),
      print: () => 'disable failing',
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ webhook: fc.nat({ max: 4 }), disables: fc.boolean() }).map(
      ({ webhook, disables }): Step => ({
        check: (run) => !run.isSending && mayFail(run, webhook),
        run: (run) => fail(run, webhook, disables),
        print: () => `webhook ${webhook} fails for days`,
      }),
    ),
  },
);

/** How many steps a run has, at most. */
const maxSteps = 60;

/** How the property is checked: without the bias to small values, because few steps show little. */
export const modelParameters = { unbiased: true } as const;

/**
 * Creates the property that a system behaves as the model says, whatever is done with it.
 *
 * @param start Starts a system at a time, in milliseconds since 1970.
 */
export function behavesLikeTheModel(
  start: (now: number) => Promise<System>,
): fc.IAsyncProperty<unknown> {
  const steps = fc.commands([anyStep.map((step) => new Command(step))], {
    maxCommands: maxSteps,
    size: 'max',
  });
  return fc.asyncProperty(steps, async (commands) => {
    const system = await start(startTime);
    try {
      const run = await ModelRun.start(system);
      await fc.asyncModelRun(() => ({ model: run, real: system }), commands);
      await run.finish().catch((error: unknown) => {
        throw run.explain(error);
      });
    } finally {
      await system.close();
    }
  });
}
