import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgress } from '../../src/output/progress';
import { cellWidth } from '../../src/output/text';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';

/** What takes a line away again: back to its start, and everything on it gone. */
const cleared = '\u001b[1G\u001b[2K';

/** A terminal so many cells wide, with a clock that is moved by hand. */
function aScreen(columns: number, colours = false) {
  const stderr = new FakeStream({ columns, colours });
  const clock = { time: 1_000_000 };
  return { stderr, clock, context: aContext({ stderr, now: () => clock.time }) };
}

/** The lines that were drawn, one after the other. */
const drawn = ({ text }: FakeStream) => text.split(cleared).filter((line) => line !== '');

describe('the progress of a bulk command', () => {
  it('has a bar, the failures, the rate and the remaining time', () => {
    const { stderr, clock, context } = aScreen(100);
    const progress = createProgress(4, context);
    clock.time += 2000;
    progress.step('done');
    clock.time += 2000;
    progress.step('failed');
    expect(drawn(stderr)).toEqual([
      '██████░░░░░░░░░░░░░░░░░░  1/4  0.5/s  6 s left',
      '████████████░░░░░░░░░░░░  2/4  1 failed  0.5/s  4 s left',
    ]);
  });

  it('is replaced by a countdown, whose end is cut off where there is no room', () => {
    const countdown = () => 'Connection failed; retrying in 4 s (gives up in 5 min)';
    const show = (columns: number) => {
      const { stderr, context } = aScreen(columns);
      const progress = createProgress(4, context);
      progress.hold(countdown);
      progress.end();
      return drawn(stderr);
    };
    expect(show(60)).toEqual(['Connection failed; retrying in 4 s (gives up in 5 min)']);
    expect(show(30)).toEqual(['Connection failed; retrying …']);
  });

  it('is removed once, at the end', () => {
    const { stderr, context } = aScreen(100);
    const progress = createProgress(1, context);
    progress.end();
    expect(stderr.text).toBe('');
    progress.step('done');
    progress.end();
    progress.end();
    expect(stderr.text).toMatch(/^█{24} {2}1\/1 .* left/);
    expect(stderr.text.endsWith(` left${cleared}`)).toBe(true);
  });

  it('is not written if stderr is not a terminal', () => {
    const context = aContext();
    const progress = createProgress(2, context);
    progress.step('done');
    progress.step('failed');
    progress.end();
    expect(context.stderr).toMatchObject({ text: '' });
  });

  it('is redrawn at most every 80 ms, and always for the last one', () => {
    const { stderr, clock, context } = aScreen(100);
    const progress = createProgress(100, context);
    for (let step = 1; step <= 100; step += 1) {
      clock.time += 1;
      progress.step('done');
    }
    expect(drawn(stderr).map((line) => line.split('  ')[1])).toEqual([
      '1/100',
      '81/100',
      '100/100',
    ]);
  });

  it('has colours only around what failed', () => {
    const { stderr, context } = aScreen(100, true);
    createProgress(2, context).step('failed');
    expect(stderr.text).toContain('  \u001b[31m1 failed\u001b[39m  ');
  });

  it('fits the line and has valid numbers, for any width, total and clock', () => {
    const width = fc.oneof(fc.integer({ min: 2, max: 200 }), fc.constant(80));
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -500, max: 90_000_000 })), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(width, fc.nat(60), steps, fc.boolean(), (columns, total, course, colours) => {
        const { stderr, clock, context } = aScreen(columns, colours);
        const progress = createProgress(total, context);
        for (const [isDone, passed] of course) {
          clock.time += passed;
          progress.step(isDone ? 'done' : 'failed');
        }
        const lines = drawn(stderr);
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) {
          const text = stripVTControlCharacters(line);
          expect(cellWidth(text)).toBeLessThan(columns);
          expect(text).not.toMatch(/NaN|Infinity|undefined|-/);
        }
      }),
    );
  });

  it('assumes 80 cells if the terminal reports no width', () => {
    const { stderr, context } = aScreen(0);
    createProgress(3, context).step('done');
    expect(stderr.text).toBe('████████░░░░░░░░░░░░░░░░  1/3  1000/s  1 s left');
  });
});
