import type { Account, AnyTradepostError, SafeResult, Tradepost } from '@tradepost/sdk';
import { isLacking } from '../account/identify';
import { CliError } from '../cli-error';
import { describeError } from '../error-report';
import { exitReasonOf } from '../exit-codes';
import { hintOf } from '../hint-of';
import { messageOf } from '../message-of';
import type { Terminal } from '../terminal';
import { breakHint } from './break-hint';
import { type Finding, failed, fine, untold } from './check';
import { acceptedKey, checkExpiry } from './check-key';
import { checkClock } from './clock-skew';

/** How long one request may take, in milliseconds. It is not repeated: the person waits. */
const timeout = 10_000;

/** What goes beyond the interface, and how to find out whether a service has it. */
const extensions = {
  account: { ask: null, lost: 'whoami cannot tell whose key it is' },
  events: {
    ask: ({ events }: Tradepost, options: object) => events.list({ limit: 1 }, options).safe(),
    lost: 'events cannot be listed or forwarded',
  },
  webhooks: {
    ask: ({ webhooks }: Tradepost, options: object) => webhooks.list({ limit: 1 }, options).safe(),
    lost: 'webhooks can be registered, and not be listed or changed',
  },
  deliveries: {
    ask: ({ deliveries }: Tradepost, options: object) =>
      deliveries.list({ limit: 1 }, options).safe(),
    lost: 'deliveries cannot be listed, explained or replayed',
  },
};

const afterwards = ['key', 'key-expiry', 'clock', ...Object.keys(extensions), 'service-version'];

/** All that needs the service, when it cannot be asked. */
export function uncheckedService(why: string): Finding[] {
  return ['service', ...afterwards].map((check) => untold(check, `not checked: ${why}`));
}

/**
 * Checks the service by asking it, one request after the other.
 *
 * @param hasKey whether `tradepost` has a key of the person's: without one it only sees who answers
 * @throws {CliError} `interrupted` after Ctrl-C.
 */
export async function checkService(
  tradepost: Tradepost,
  terminal: Terminal,
  { hasKey }: { hasKey: boolean },
): Promise<Finding[]> {
  const options = { timeout, deadline: timeout, maxRetries: 0, signal: terminal.signal };
  let startedAt = terminal.now();
  let endedAt = startedAt;
  async function asked<Data>(call: () => Promise<SafeResult<Data>>): Promise<SafeResult<Data>> {
    startedAt = terminal.now();
    const result = await call();
    endedAt = terminal.now();
    if (terminal.signal.aborted) {
      throw new CliError('interrupted', 'interrupted: not everything was checked');
    }
    return result;
  }

  const told = await asked(() => tradepost.account.get(options).safe());
  // A service of the interface alone has no account, and orders it has: they tell whether it is one.
  const first =
    !told.ok && isLacking(told.error)
      ? await asked(() => tradepost.orders.list({ limit: 1 }, options).safe())
      : told;
  const took = endedAt - startedAt;
  const account = told.ok ? told.data : null;
  if (!first.ok) {
    return [
      serviceFailed(first.error, took, terminal, hasKey),
      ...afterRefusal(first.error, hasKey),
    ];
  }
  return [
    fine('service', `answers within ${took} ms`),
    acceptedKey(account),
    checkExpiry(account, terminal.now()),
    checkClock(first.headers.get('date'), startedAt, endedAt),
    ...(await checkExtensions(tradepost, options, asked, account)),
    versionOf(first.headers.get('server')),
  ];
}

function serviceFailed(
  error: AnyTradepostError,
  took: number,
  terminal: Terminal,
  hasKey: boolean,
): Finding {
  if (exitReasonOf(error) === 'auth') {
    return fine(
      'service',
      `answers within ${took} ms${hasKey ? '' : ', as it does without a key'}`,
    );
  }
  const { message } = describeError(error).report;
  return failed('service', exitReasonOf(error), message, breakHint(error, terminal));
}

function afterRefusal(error: AnyTradepostError, hasKey: boolean): Finding[] {
  const isRefused = exitReasonOf(error) === 'auth';
  const why = isRefused ? 'the key is not accepted' : 'the service does not answer as it should';
  return afterwards.map((check) => {
    if (check !== 'key' || !isRefused) return untold(check, `not checked: ${why}`);
    if (!hasKey) return untold(check, 'not checked: there is none');
    return failed(check, 'auth', error.problem?.detail ?? messageOf(error), hintOf(error));
  });
}

async function checkExtensions(
  tradepost: Tradepost,
  options: object,
  asked: (call: () => Promise<SafeResult<unknown>>) => Promise<SafeResult<unknown>>,
  account: Account | null,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, { ask, lost }] of Object.entries(extensions)) {
    const result = ask === null ? null : await asked(() => ask(tradepost, options));
    const isThere = result === null ? account !== null : result.ok;
    if (isThere) findings.push(fine(name, 'the service has it'));
    else if (result === null || result.ok || isLacking(result.error)) {
      findings.push(untold(name, `this service lacks it: ${lost}`));
    } else {
      findings.push(
        untold(name, `it cannot be told: ${describeError(result.error).report.message}`),
      );
    }
  }
  return findings;
}

/** HTTP has a header for it, which many services leave out on purpose. */
function versionOf(server: string | null): Finding {
  return server === null ? untold('service-version', 'not told') : fine('service-version', server);
}
