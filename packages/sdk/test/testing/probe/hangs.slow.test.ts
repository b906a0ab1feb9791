import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Listener, newMemory, probe } from './probe';
import { byServiceSignature, serve } from './receivers';

describe('probeReceiver and receivers that hang', () => {
  it('fails a receiver that hangs where it should refuse', async () => {
    const memory = newMemory();
    const hanging: Listener = async (request, response) => {
      const respond = serve(byServiceSignature, memory);
      const writeHead = response.writeHead.bind(response);
      response.writeHead = ((status: number) => {
        if (status < 400) return writeHead(status);
        return { end: () => undefined };
      }) as typeof response.writeHead;
      await respond(request, response);
    };
    const report = await probe(hanging, { timeoutMs: 1_000 });
    // All that a right receiver refuses, or may refuse, is sent.
    expect(report).toMatchObject({ verdict: 'fail', counts: { notRun: 2 } });
    const forged = report.cases.filter(({ expectation }) => expectation === 'refuse');
    expect(forged.map(({ cause }) => cause)).toEqual(
      forged.map(({ name }) => (name === 'webhook ID as key' ? null : 'too slow')),
    );
  });

  it('finds that forged deliveries are accepted if what only the service can sign hangs', async () => {
    const kinds = ['signed 360 s ahead', 'signed, not JSON', 'GET', '256 kB'];
    let sending = '';
    const accept = serve(() => 204, newMemory());
    const hanging: Listener = (request, response) => {
      if (!kinds.includes(sending)) return accept(request, response);
    };
    const onCase = (name: string) => {
      sending = name;
    };
    const { causes, counts } = await probe(hanging, { timeoutMs: 3_000, onCase });
    expect(counts.notRun).toBe(2);
    const { cases } = causes.find(({ name }) => name === 'no verification') ?? {};
    expect(cases).toContain('no signature');
    const slow = causes.find(({ name }) => name === 'too slow');
    expect(slow?.cases).toEqual(expect.arrayContaining(kinds));
  });

  it('sends the rest without waiting when five minutes are over', async () => {
    const now = performance.now.bind(performance);
    let late = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + late);
    onTestFinished(() => void vi.restoreAllMocks());
    let release = () => {};
    const sound = serve(byServiceSignature, newMemory());
    const listener: Listener = async (request, response) => {
      if (request.method === 'GET') {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      await sound(request, response);
    };
    const onCase = (name: string) => {
      if (name === 'unknown fields') late = 300_001;
      if (name === 'truncated') release();
    };
    const report = await probe(listener, { onCase });
    expect(report).toMatchObject({ verdict: 'pass', counts: { notRun: 2 } });
  });
});
