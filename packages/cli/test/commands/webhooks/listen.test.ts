import type { AccountEvent, EventPage } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/commands/webhooks/listen/checkpoint';
import {
  type ForwardedEvent,
  listen,
  nextDelay,
} from '../../../src/commands/webhooks/listen/forward';
import { anEvent } from '../../helpers/webhook-builders';

/** How a receiver responds: with a status, or with an attempt error. */
type Reply = number | string;

/** Pages of a log, each from where the one before ended, and then no more. */
async function* pagesOf(log: readonly AccountEvent[], from: Checkpoint['from'], size: number) {
  let start = 'after' in from ? Number(from.after) : 0;
  do {
    const data = log.slice(start, start + size);
    start += data.length;
    yield { data, nextCursor: String(start) } satisfies EventPage;
  } while (start < log.length);
}

/** Listens to a log with a receiver that sends these replies, and then 204. */
async function listenTo(
  log: readonly AccountEvent[],
  setting: {
    replies?: readonly Reply[];
    start?: Checkpoint;
    maxAttempts?: number;
    pageSize?: number;
    kinds?: readonly 'task.completed'[];
    interrupt?: AbortController;
    interruptAt?: number;
  } = {},
) {
  const { start = { from: { since: '2026-11-21T00:00:00.000Z' }, done: null } } = setting;
  const interrupt = setting.interrupt ?? new AbortController();
  const replies = [...(setting.replies ?? [])];
  const sent: string[] = [];
  const pauses: number[] = [];
  const told: ForwardedEvent[] = [];
  const said: string[] = [];
  const kept: Checkpoint[] = [];
  let time = 0;
  let error: unknown = null;
  try {
    await listen({
      start,
      pages: pagesOf(log, start.from, setting.pageSize ?? 2),
      eventTypes: setting.kinds,
      maxAttempts: setting.maxAttempts ?? 6,
      async forward(event) {
        sent.push(event.id);
        if (sent.length === setting.interruptAt) interrupt.abort();
        time += 7;
        const reply = replies.shift() ?? 204;
        return typeof reply === 'number'
          ? { status: reply, error: null, responseSnippet: reply < 300 ? '' : 'oh no' }
          : { status: null, error: reply, responseSnippet: '' };
      },
      save: (place) => kept.push(place),
      report: async (event) => {
        told.push(event);
      },
      status: {
        contact: () => {},
        forwarding: () => {},
        forwarded: () => {},
        say: (text) => said.push(text),
      },
      now: () => time,
      wait: async (milliseconds) => {
        pauses.push(milliseconds);
      },
      signal: interrupt.signal,
    });
  } catch (thrown) {
    error = thrown;
  }
  return { sent, pauses, told, said, kept, error };
}

const three = [anEvent(1), anEvent(2, 'task.completed'), anEvent(3)];

describe('listening', () => {
  it('forwards each event once, in order, and reports it', async () => {
    const { sent, told, kept, error } = await listenTo(three);
    expect(error).toBeNull();
    expect(sent).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(told[0]).toEqual({
      at: new Date(7).toISOString(),
      id: 'evt_1',
      event: 'order.created',
      status: 204,
      attempts: 1,
      durationMs: 7,
    });
    expect(kept).toEqual([
      { from: { since: '2026-11-21T00:00:00.000Z' }, done: 'evt_1' },
      { from: { since: '2026-11-21T00:00:00.000Z' }, done: 'evt_2' },
      { from: { after: '2' }, done: null },
      { from: { after: '2' }, done: 'evt_3' },
      { from: { after: '3' }, done: null },
    ]);
  });

  it('retries after increasing pauses, and reports why', async () => {
    const replies = [500, 'connection_refused', 301];
    const { sent, told, pauses, said } = await listenTo(three, { replies });
    expect(sent).toEqual(['evt_1', 'evt_1', 'evt_1', 'evt_1', 'evt_2', 'evt_3']);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(told[0]).toMatchObject({ id: 'evt_1', attempts: 4 });
    expect(said[0]).toBe(
      'order.created evt_1: the receiver returned 500, an error on its side (oh no). Retrying in 1 s.',
    );
    expect(said[1]).toContain('nothing listens on that port');
    expect(said[2]).toContain('which is not followed');
  });

  it('never waits longer than 30 s', () => {
    expect([1, 2, 5, 6, 7, 900].map(nextDelay)).toEqual([
      1_000, 2_000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('gives up after the maximum number of attempts, with the event it stopped at', async () => {
    const { sent, error, kept } = await listenTo(three, {
      replies: [204, 500, 500],
      maxAttempts: 2,
    });
    expect(sent).toEqual(['evt_1', 'evt_2', 'evt_2']);
    expect(error).toMatchObject({
      code: 'forwarding_failed',
      message: expect.stringMatching(/^task\.completed evt_2 was not accepted after 2 attempts: /),
    });
    expect(kept.at(-1)).toMatchObject({ done: 'evt_1' });
  });

  it('forwards the requested event types, and skips the others', async () => {
    const { sent, kept } = await listenTo(three, { kinds: ['task.completed'] });
    expect(sent).toEqual(['evt_2']);
    expect(kept.at(-1)).toEqual({ from: { after: '3' }, done: null });
  });

  it('finishes the event in progress when it is interrupted, and starts no other', async () => {
    const { sent, told, error } = await listenTo(three, { interruptAt: 1 });
    expect(sent).toEqual(['evt_1']);
    expect(told).toHaveLength(1);
    expect(error).toBeNull();
  });

  it('does not retry once it is interrupted', async () => {
    const { sent, pauses, error } = await listenTo(three, { interruptAt: 1, replies: [500] });
    expect({ sent, pauses, error }).toEqual({ sent: ['evt_1'], pauses: [], error: null });
  });

  it('forwards each event exactly once, in order, wherever it stops and resumes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }),
        async (count, pageSize, stops) => {
          const log = Array.from({ length: count }, (_, index) => anEvent(index + 1));
          let start: Checkpoint = { from: { since: '2026-11-21T00:00:00.000Z' }, done: null };
          const sent: string[] = [];
          for (const interruptAt of [...stops, undefined]) {
            const run = await listenTo(log, {
              start,
              pageSize,
              ...(interruptAt === undefined ? {} : { interruptAt }),
            });
            expect(run.error).toBeNull();
            sent.push(...run.sent);
            start = run.kept.at(-1) ?? start;
          }
          expect(sent).toEqual(log.map(({ id }) => id));
        },
      ),
    );
  });
});
