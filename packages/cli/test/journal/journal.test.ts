import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFailure } from '../../src/bulk/outcome';
import { createJournal, openJournal, type Plan, readJournal } from '../../src/journal/journal';
import type { StatusOutcome } from '../../src/journal/status-change';

const plan: Plan = {
  baseUrl: 'https://trade.example',
  keyHint: 'tpk_test…',
  ifStatus: 'pending',
  limits: { concurrency: 2, rate: 500 },
  targets: new Map([
    ['ord_1', 'confirmed'],
    ['ord_2', 'confirmed'],
    ['ord_3', 'confirmed'],
  ]),
};
const ids = [...plan.targets.keys()];
const details = { quantity: 5, isFinal: false };
const now = () => Date.UTC(2026, 10, 21);

function done(id: string): StatusOutcome {
  return { id, outcome: 'updated', from: 'pending', to: 'confirmed', ...noFailure };
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-result-'));
  path = join(folder, 'result.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file in which one order is done, one was started, and one was not. */
function writeHalf(): string {
  const file = createJournal(path, plan, now);
  file.begin('ord_1');
  file.begin('ord_2');
  file.end(done('ord_1'), details);
  file.close();
  return readFileSync(path, 'utf8');
}

describe('a journal', () => {
  it('is read back as it was written', () => {
    writeHalf();
    expect(readJournal(path)).toEqual({
      plan,
      createdAt: '2026-11-21T00:00:00.000Z',
      outcomes: new Map([['ord_1', done('ord_1')]]),
      details: new Map([['ord_1', { at: '2026-11-21T00:00:00.000Z', ...details }]]),
      inDoubt: new Set(['ord_2']),
      isTruncated: false,
    });
  });

  it('keeps the status of each order if they differ', () => {
    const mixed = { ...plan, targets: new Map([...plan.targets, ['ord_2', 'cancelled'] as const]) };
    createJournal(path, mixed, now).close();
    expect(readJournal(path).plan).toEqual(mixed);
  });

  it('has one JSON object per line, readable only by its owner', () => {
    const lines = writeHalf().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual([
      'tradepost orders set-status',
      'order',
      'order',
      'order',
      'started',
      'started',
      'outcome',
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('never overwrites another file', () => {
    writeFileSync(path, 'mine');
    expect(() => createJournal(path, plan, now)).toThrow(/exists/);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('is rejected, or reports only what was written, wherever it was truncated', () => {
    const whole = Buffer.from(writeHalf());
    const planEnd = whole.lastIndexOf('{"kind":"order"') + '{"kind":"order","id":"ord_3"}\n'.length;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
        const kept = whole.subarray(0, length);
        writeFileSync(path, kept);
        if (length < planEnd - 1) {
          expect(() => readJournal(path)).toThrow(/is not a complete journal/);
          return;
        }
        const read = readJournal(path);
        const text = kept.toString('utf8');
        const outcomeIsWhole = text.includes('"isFinal":false}');
        expect(read.plan).toEqual(plan);
        expect([...read.outcomes.keys()]).toEqual(outcomeIsWhole ? ['ord_1'] : []);
        const started = ['ord_1', 'ord_2'].filter((id) => text.includes(`"started","id":"${id}"}`));
        expect([...read.inDoubt]).toEqual(outcomeIsWhole ? ['ord_2'] : started);
        expect(read.isTruncated).toBe(!text.endsWith('\n'));

        const file = openJournal(path, read.isTruncated, now);
        for (const id of ids) {
          file.begin(id);
          file.end(done(id), details);
        }
        file.close();
        const after = readJournal(path);
        expect([...after.outcomes.keys()].sort()).toEqual(ids);
        expect(after.inDoubt.size).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it('is read with the last outcome of an order that was retried', () => {
    const file = createJournal(path, plan, now);
    file.begin('ord_1');
    const failure = { outcome: 'failed', code: 'timeout', message: 'No response.' } as const;
    file.end({ ...done('ord_1'), ...failure }, details);
    file.begin('ord_1');
    expect(readJournal(path)).toMatchObject({
      outcomes: new Map(),
      inDoubt: new Set(['ord_1']),
    });
    file.end(done('ord_1'), details);
    file.close();
    expect(readJournal(path).outcomes.get('ord_1')).toEqual(done('ord_1'));
  });

  it.each([
    ['nothing', ''],
    ['another kind of file', '{"kind":"plan"}\n'],
    ['a newer version', '{"kind":"tradepost orders set-status","version":2,"total":0}\n'],
    ['a text that is not JSON', 'ord_1\n'],
    [
      'an unknown status',
      '{"kind":"tradepost orders set-status","version":1,"baseUrl":"https://a.example","keyHint":"tpk_a…","status":"lost","ifStatus":null,"total":0}\n',
    ],
    [
      'an id that leads elsewhere',
      '{"kind":"tradepost orders set-status","version":1,"baseUrl":"https://a.example","keyHint":"tpk_a…","status":"confirmed","ifStatus":null,"total":1}\n{"kind":"order","id":"ord_1/../../webhooks/whk_1"}\n',
    ],
    [
      'an unknown outcome',
      '{"kind":"tradepost orders set-status","version":1,"baseUrl":"https://a.example","keyHint":"tpk_a…","status":"confirmed","ifStatus":null,"total":1}\n{"kind":"order","id":"ord_1"}\n{"kind":"outcome","id":"ord_1","outcome":"perhaps"}\n',
    ],
  ])('is rejected when it is %s', (_, text) => {
    writeFileSync(path, text);
    expect(() => readJournal(path)).toThrow(/is not a complete journal/);
  });

  it.each([
    ['an order of the plan twice', '{"kind":"order","id":"ord_1"}'],
    [
      'an outcome of an order that is not of the plan',
      JSON.stringify({ kind: 'outcome', ...done('ord_9') }),
    ],
    ['the begin of an order that is not of the plan', '{"kind":"started","id":"ord_9"}'],
  ])('is rejected when it has %s: it was edited', (_, line) => {
    writeFileSync(path, `${writeHalf()}${line}\n`);
    expect(() => readJournal(path)).toThrow(/is not a complete journal/);
  });

  it('is named in the error when it does not exist', () => {
    expect(() => readJournal(path)).toThrow(path);
  });
});
