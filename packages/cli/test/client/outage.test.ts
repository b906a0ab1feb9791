import { ServerError, TradepostError } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutageGate, type OutagePolicy } from '../../src/client/outage';

const away = new TradepostError('It is away.', { code: 'connection_failed' });
const broken = new ServerError('It is broken.', {
  code: 'internal_error',
  status: 500,
  retryAfter: null,
});

/** A gate with a clock that only waiting moves. */
function aGate(policy: Partial<OutagePolicy> = {}) {
  const interrupt = new AbortController();
  const log: string[] = [];
  const waits: number[] = [];
  let time = 0;
  const gate = createOutageGate(
    {
      timeoutMs: 60_000,
      hadContact: true,
      onLost: () => log.push('lost'),
      onReconnected: () => log.push('reconnected'),
      onWait: (wait) => log.push(wait === null ? 'go on' : 'wait'),
      ...policy,
    },
    {
      elapsed: () => time,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        time += milliseconds;
      },
      signal: interrupt.signal,
    },
  );
  return { gate, log, waits, interrupt, elapsed: () => time };
}

/** Returns these errors, one after the other, and then none. */
function failing(...errors: unknown[]) {
  let attempts = 0;
  return {
    attempt: async () => ({ error: errors[attempts++] ?? null }),
    attempts: () => attempts,
  };
}

describe('the gate of a bulk command', () => {
  it('repeats an attempt while the service is away, with longer and longer waits', async () => {
    const { gate, waits, log } = aGate();
    const request = failing(away, away, away);
    expect(await gate.send(request.attempt)).toEqual({ error: null });
    expect(request.attempts()).toBe(4);
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    // A single failure may be that of one request: it is not reported.
    expect(log).toEqual(['wait', 'lost', 'wait', 'wait', 'reconnected', 'go on']);
  });

  it('gives up after its timeout, and lets no other item start', async () => {
    const { gate, elapsed } = aGate({ timeoutMs: 10_000 });
    const request = failing(...Array.from({ length: 99 }, () => away));
    expect(await gate.send(request.attempt)).toEqual({ error: away });
    expect(elapsed()).toBe(10_000);
    expect(gate.isLost()).toBe(true);
  });

  it('waits only shortly for a service that was never reachable', async () => {
    const { gate, elapsed } = aGate({ hadContact: false });
    const request = failing(...Array.from({ length: 99 }, () => away));
    expect(await gate.send(request.attempt)).toEqual({ error: away });
    expect(elapsed()).toBe(5_000);
  });

  it('does not repeat a request that may have been applied if that is not safe', async () => {
    const { gate, waits } = aGate();
    const request = failing(away);
    expect(await gate.send(request.attempt, () => false)).toEqual({ error: away });
    expect(waits).toEqual([]);
  });

  it('lets the others go on when the one that probes cannot be repeated', async () => {
    const { gate } = aGate();
    let repeats = 0;
    const probing = gate.send(failing(away, away).attempt, () => {
      repeats += 1;
      return repeats === 1;
    });
    const waiting = gate.send(failing(away).attempt);
    expect(await probing).toEqual({ error: away });
    expect(await waiting).toEqual({ error: null });
    await gate.untilOver();
  });

  it('returns errors that are no outage at once', async () => {
    const { gate, waits } = aGate();
    expect(await gate.send(failing(broken).attempt)).toEqual({ error: broken });
    expect(waits).toEqual([]);
  });

  it('gives up an item that fails alone, while others succeed', async () => {
    const { gate } = aGate();
    let attempts = 0;
    const poison = async () => {
      attempts += 1;
      await gate.send(failing().attempt);
      return { error: away };
    };
    expect(await gate.send(poison)).toEqual({ error: away });
    expect(attempts).toBe(4);
    expect(gate.isLost()).toBe(false);
  });

  it('repeats one request of many during an outage, and then all of those that failed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (workers, length) => {
          const { gate } = aGate();
          let isAway = true;
          let probes = 0;
          const sent: number[] = [];
          const send = (id: number) =>
            gate.send(async () => {
              sent.push(id);
              await Promise.resolve();
              if (!isAway) return { error: null };
              if (sent.length > workers) probes += 1;
              if (probes >= length) isAway = false;
              return { error: away };
            });
          const results = await Promise.all(Array.from({ length: workers }, (_, id) => send(id)));
          expect(results).toEqual(results.map(() => ({ error: null })));
          // During the outage the same one is repeated.
          const during = sent.slice(workers, workers + length);
          expect(new Set(during).size).toBeLessThanOrEqual(1);
          expect(sent).toHaveLength(2 * workers + length);
        },
      ),
    );
  });

  it('lets all items go at once when it is interrupted', async () => {
    const interrupt = new AbortController();
    const gate = createOutageGate(
      {
        timeoutMs: 60_000,
        hadContact: true,
        onLost: () => {},
        onReconnected: () => {},
        onWait: () => {},
      },
      {
        elapsed: () => 0,
        wait: (_, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        signal: interrupt.signal,
      },
    );
    const sending = Array.from({ length: 3 }, () => gate.send(failing(away, away).attempt));
    const passage = gate.untilOver();
    setImmediate(() => interrupt.abort());
    expect(await Promise.all(sending)).toEqual(sending.map(() => ({ error: away })));
    await passage;
  });
});
