import { ConnectionError, RateLimitError, TimeoutError, TradepostError } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { createConnection, type RequestLimits } from '../../src/client/connection';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';

const lost = new ConnectionError('It is away.', { code: 'connection_failed', notSent: true });
const timedOut = new TimeoutError('It is silent.', { code: 'timeout' });
const limited = new RateLimitError('Too many.', {
  code: 'rate_limited',
  status: 429,
  headers: new Headers({ 'retry-after': '20' }),
  retryAfter: 20,
});
const withStatus = (status: number) =>
  new TradepostError(`It returned ${status}.`, { code: 'http_error', status });

/** A connection with a clock that only waits and requests move, and what it printed. */
function aConnection(reconnectTimeout = 300) {
  const stderr = new FakeStream();
  const interrupt = new AbortController();
  const clock = { time: 0 };
  const waits: number[] = [];
  const context = aContext({
    stderr,
    signal: interrupt.signal,
    now: () => clock.time,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      clock.time += milliseconds;
    },
  });
  const connection = createConnection(reconnectTimeout, context);
  const limits: RequestLimits[] = [];

  /** Sends a request that fails with these errors, one after the other, and then succeeds. */
  async function send(...errors: Error[]): Promise<string> {
    const left = [...errors];
    return await connection.send(async (given) => {
      limits.push(given);
      const error = left.shift();
      if (error === timedOut) clock.time += given.timeout ?? 0;
      if (error !== undefined) throw error;
      return 'done';
    });
  }
  const notices = () => stderr.text.split('\n').filter((line) => line !== '');
  return { connection, send, clock, waits, limits, notices, interrupt };
}

describe('the connection of a command that follows a service', () => {
  it('does not wait for a service that was never reachable', async () => {
    const { send, waits, limits, notices } = aConnection();
    await expect(send(lost)).rejects.toBe(lost);
    // The client retries, as in any other command.
    expect({ waits, limits, notices: notices() }).toEqual({ waits: [], limits: [{}], notices: [] });
  });

  it('counts any response as contact, reports an outage once, and reconnects', async () => {
    const { send, waits, notices } = aConnection();
    await send();
    expect(await send(lost, lost, lost, lost, lost, lost)).toBe('done');
    expect(waits).toEqual([1, 2, 4, 8, 15, 15].map((seconds) => seconds * 1_000));
    expect(notices()).toEqual([
      expect.stringMatching(/^Could not connect.* Retrying for up to 5 minutes\.$/),
      'Reconnected.',
    ]);
  });

  it('reports a response that does not come after the first timeout', async () => {
    const { send, notices } = aConnection();
    await send();
    await send(timedOut);
    expect(notices()).toEqual([expect.stringContaining('Retrying for up to'), 'Reconnected.']);
  });

  it('does not report a single lost request', async () => {
    const { send, notices } = aConnection();
    await send();
    await send(lost);
    expect(notices()).toEqual([]);
  });

  it('notices a loss within seconds, and gives a slow service more time', async () => {
    const { send, limits } = aConnection();
    await send();
    await send(timedOut, timedOut, timedOut, timedOut);
    await send();
    expect(limits.slice(1)).toEqual(
      [5_000, 5_000, 8_000, 15_000, 15_000, 5_000].map((timeout) => ({ timeout, maxRetries: 0 })),
    );
  });

  it.each([408, 425, 500, 502, 503, 504])('repeats a request after a %i', async (status) => {
    const { send, waits } = aConnection();
    await send();
    expect(await send(withStatus(status))).toBe('done');
    expect(waits).toEqual([1_000]);
  });

  it('waits as long as Retry-After says', async () => {
    const { send, waits, notices } = aConnection();
    await send();
    expect(await send(limited)).toBe('done');
    expect(waits).toEqual([20_000]);
    expect(notices()).toEqual(['Rate limited; retrying in 20 s.']);
  });

  it.each([400, 401, 403, 404])('ends after a %i', async (status) => {
    const { send, waits } = aConnection();
    await send();
    const error = withStatus(status);
    await expect(send(error)).rejects.toBe(error);
    expect(waits).toEqual([]);
  });

  it('gives up after its timeout', async () => {
    const { send, clock } = aConnection(20);
    await send();
    await expect(send(...Array.from({ length: 99 }, () => lost))).rejects.toBe(lost);
    expect(clock.time).toBe(20_000);
  });

  it('does not wait if it is told not to', async () => {
    const { send, waits, notices } = aConnection(0);
    await send();
    await expect(send(timedOut)).rejects.toBe(timedOut);
    expect({ waits, notices: notices() }).toEqual({ waits: [], notices: [] });
  });

  it('ends a wait when it is interrupted', async () => {
    const { send, interrupt, connection } = aConnection();
    await send();
    let attempts = 0;
    const sending = connection.send(async () => {
      attempts += 1;
      if (attempts === 3) interrupt.abort();
      throw lost;
    });
    await expect(sending).rejects.toBe(lost);
    expect(attempts).toBe(3);
  });

  it('describes its problem: a late response, then the countdown to the next attempt', async () => {
    const { connection, clock, send } = aConnection();
    await send();
    const seen: (string | null)[] = [];
    connection.onChange(() => seen.push(connection.describeProblem()));
    let attempts = 0;
    await connection.send(async () => {
      attempts += 1;
      if (attempts > 1) {
        expect(connection.describeProblem()).toBe(
          'No response in time; trying again (gives up in 5 min)',
        );
        clock.time += 4_000;
        expect(connection.describeProblem()).toBe(
          'No response in time; trying again, no response for 4 s (gives up in 5 min)',
        );
        return;
      }
      clock.time += 11_000;
      expect(connection.describeProblem()).toBe(null);
      clock.time += 1_000;
      expect(connection.describeProblem()).toBe('no response for 12 s');
      throw timedOut;
    }, 10);
    expect(seen).toContain('No response in time; retrying in 1 s (gives up in 5 min)');
    expect(connection.describeProblem()).toBe(null);
    expect(connection.lastContact()).toBe(clock.time);
  });
});
