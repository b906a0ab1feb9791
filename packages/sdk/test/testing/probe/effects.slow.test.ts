import { describe, expect, it } from 'vitest';
import { harmless, newMemory, probe } from './probe';
import { byServiceSignature, type Handle, type Memory, ofCreated, serve, when } from './receivers';

/** Probes a receiver whose effects are counted some milliseconds after they were caused. */
async function probeCounting(handle: Handle, milliseconds: number) {
  let counted = 0;
  const memory: Memory = {
    seen: new Set(),
    get handled() {
      return 0;
    },
    set handled(_) {
      setTimeout(() => {
        counted += 1;
      }, milliseconds);
    },
  };
  const report = await probe(serve(handle, memory), { handled: () => counted });
  const causes = report.causes.map(({ name }) => name).filter((name) => !harmless.includes(name));
  return { verdict: report.verdict, causes };
}

const noMistake = { verdict: 'pass', causes: [] };
/** On a slow machine a probe may wait for long enough. */
const noFailure = {
  verdict: 'pass',
  causes: expect.toSatisfy((all: string[]) => all.every((name) => name === 'effects not judged')),
};

describe('probeReceiver and effects after the response', () => {
  it('finds no mistake in a receiver that acts a little later', async () => {
    expect(await probeCounting(byServiceSignature, 5)).toEqual(noMistake);
  });

  it.each([600, 1_300])('judges no effects that follow after %s ms', async (milliseconds) => {
    expect(await probeCounting(byServiceSignature, milliseconds)).toEqual(noFailure);
  });

  it('judges no effects of one type of event that follow after 600 ms', async () => {
    expect(await probeCounting(ofCreated, 600)).toEqual(noFailure);
  });

  it('finds no mistake in a receiver that acts on one type of event', async () => {
    expect(await probeCounting(ofCreated, 0)).toEqual(noMistake);
  });

  it('counts the late effects of what it need not accept', async () => {
    const leading = when(({ body }) => body.length > 100_000, 200);
    const handle: Handle = (received, memory) => {
      const result = leading(received, memory);
      if (result === 200) memory.handled += 1;
      return result;
    };
    expect(await probeCounting(handle, 100)).toEqual(noMistake);
  });

  it('notes that a receiver without effects cannot be judged by them', async () => {
    const memory = newMemory();
    const report = await probe(serve(byServiceSignature, memory), { handled: () => 0 });
    const note = report.causes.find(({ name }) => name === 'effects not judged');
    expect(note?.verdict).toBe('note');
    expect(note?.cases).toContain('genuine order.created');
    expect(report.verdict).toBe('pass');
  });
});
