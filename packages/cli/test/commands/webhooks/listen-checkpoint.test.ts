import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Checkpoint,
  checkpointPath,
  type Route,
  readCheckpoint,
  writeCheckpoint,
} from '../../../src/commands/webhooks/listen/checkpoint';
import { CliError } from '../../../src/errors/cli-error';
import { parseDuration } from '../../../src/input/options';
import { aFolder } from '../../helpers/webhook-builders';

const route: Route = {
  service: 'https://trade.example',
  account: 'usr_1',
  forwardTo: 'http://127.0.0.1:3000/',
  kinds: null,
};
const texts = fc.string({ unit: 'binary' });
const places: fc.Arbitrary<Checkpoint> = fc.record({
  from: fc.oneof(fc.record({ after: texts }), fc.record({ since: texts })),
  done: fc.option(texts),
});

describe('a stored checkpoint', () => {
  it('is read back unchanged, and leaves nothing else in its folder', async () => {
    const folder = await aFolder();
    const file = join(folder, 'place.json');
    fc.assert(
      fc.property(places, (place) => {
        writeCheckpoint(file, route, place);
        expect(readCheckpoint(file, route)).toEqual(place);
      }),
      { numRuns: 30 },
    );
    expect(await readdir(folder)).toEqual(['place.json']);
  });

  it('is null without a file, and an error if the file is of another kind', async () => {
    const file = join(await aFolder(), 'place.json');
    expect(readCheckpoint(file, route)).toBeNull();
    const others = fc.oneof(texts, fc.json(), fc.constant('{"from":{}}'), fc.constant('null'));
    await fc.assert(
      fc.asyncProperty(others, async (text) => {
        await writeFile(file, text);
        expect(() => readCheckpoint(file, route)).toThrow(CliError);
      }),
      { numRuns: 50 },
    );
  });

  it('has a separate file for each service, account, receiver and set of event types', () => {
    const others: Route[] = [
      route,
      { ...route, service: 'https://other.example' },
      { ...route, account: 'usr_2' },
      { ...route, forwardTo: 'http://127.0.0.1:3001/' },
      { ...route, kinds: ['order.created'] },
    ];
    const files = new Set(others.map((one) => checkpointPath('/state', one)));
    expect(files.size).toBe(others.length);
  });
});

describe('parseSpan', () => {
  it('parses seconds, minutes and hours, and rejects everything else', () => {
    expect(['1s', '30s', '5m', '24h'].map(parseDuration)).toEqual([
      1_000, 30_000, 300_000, 86_400_000,
    ]);
    fc.assert(
      fc.property(fc.oneof(texts, fc.stringMatching(/^\d{0,6}[smhd]?$/)), (text) => {
        let span: number;
        try {
          span = parseDuration(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'commander.invalidArgument' });
          return;
        }
        expect(text).toMatch(/^\d+[smh]$/);
        expect(span).toBeGreaterThanOrEqual(1_000);
        expect(span).toBeLessThanOrEqual(86_400_000);
      }),
    );
  });
});
