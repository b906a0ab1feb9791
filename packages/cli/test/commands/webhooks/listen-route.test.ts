import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromTheStart, listening, stage } from '../../helpers/event-service';
import { brokenStream } from '../../helpers/fake-stream';
import { anEvent } from '../../helpers/webhook-builders';

describe('the checkpoint of webhooks listen', () => {
  it('has a checkpoint for each set of event types, so that a wider one misses nothing', async () => {
    const { service, folder, receiver, idsSent } = await stage();
    const env = { TRADEPOST_STATE_DIR: join(folder, 'state') };
    const argv = ['webhooks', 'listen', '--forward-to', receiver.url];
    async function once(more: string[]) {
      const interrupt = new AbortController();
      service.onEnd = () => interrupt.abort();
      return await service.bare.cli([...argv, ...more], { env, signal: interrupt.signal });
    }
    await once([]);
    await once(['--events', 'task.completed']);
    service.log.push(anEvent(4), anEvent(5, 'task.completed'));
    await once(['--events', 'task.completed']);
    expect(idsSent()).toEqual(['evt_5']);
    await once([]);
    expect(idsSent()).toEqual(['evt_5', 'evt_4', 'evt_5']);
  });

  it.each([
    ['EPIPE', 'forwarding_failed', 'The reader closed stdout'],
    ['ENOSPC', 'output_failed', 'ENOSPC'],
  ])(
    'cannot continue when stdout fails with %s, and prints its position',
    async (why, code, said) => {
      const { service, argv, idsSent } = await stage();
      const broken = ['webhooks', 'listen', ...argv, ...fromTheStart, '--output', 'ndjson'];
      const { exitCode, stderr } = await service.bare.cli(broken, { stdout: brokenStream(why) });
      expect(exitCode).toBe(1);
      const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      expect(error.code).toBe(code);
      expect(error.message).toContain(`evt_1 was forwarded, but could not be printed`);
      expect(error.message).toContain(said);
      expect(error.hint).toContain('Run it again without --since');
      expect((await listening(service, argv)).exitCode).toBe(130);
      expect(idsSent()).toEqual(['evt_1', 'evt_2', 'evt_3']);
    },
  );
});
