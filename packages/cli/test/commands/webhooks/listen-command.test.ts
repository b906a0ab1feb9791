import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret } from '@tradepost/sdk/testing';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { forTest } from '../../../../../test/helpers/for-test';
import { startReceiver } from '../../../../../test/helpers/start-receiver';
import { forwardedView } from '../../../src/commands/webhooks/listen/command';
import { createTableFormat } from '../../../src/output/table';
import { fromTheStart, listening, stage } from '../../helpers/event-service';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { anEvent } from '../../helpers/webhook-builders';

describe('webhooks listen', () => {
  it('forwards the headers and body of a real delivery, and prints a line per event', async () => {
    const { service, receiver, argv, secretFile } = await stage();
    const more = [...argv, ...fromTheStart, '--secret-file', secretFile, '--output', 'ndjson'];
    const { exitCode, stdout, stderr } = await listening(service, more);
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Forwarding events to');
    expect(stderr).toContain('Stopped. Run it again without --since to continue.');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { id: 'evt_1', event: 'order.created', status: 204, attempts: 1 },
      { id: 'evt_2', event: 'task.completed', status: 204, attempts: 1 },
      { id: 'evt_3', event: 'order.created', status: 204, attempts: 1 },
    ]);
    for (const [index, { body, headers }] of receiver.arrivals.entries()) {
      const verified = await verifyDelivery({
        payload: body,
        headers,
        secret: exampleSecret,
        requireTimestamp: true,
      });
      const { id, ...envelope } = service.log[index] ?? anEvent(0);
      expect(verified).toMatchObject({ id, event: envelope });
      expect(body.toString()).toBe(JSON.stringify(envelope));
      expect(headers.authorization).toBeUndefined();
      expect(headers['content-type']).toBe('application/json');
    }
  });

  it.each([
    ['localhost:', ''],
    ['127.0.0.1:', '/hook'],
  ])('takes http for a receiver on this machine without a scheme: %sPORT%s', async (host, path) => {
    const { service, receiver, argv, idsSent } = await stage();
    const { port } = new URL(receiver.url);
    const forwardTo = ['--forward-to', `${host}${port}${path}`];
    await listening(service, [...forwardTo, ...argv.slice(2), ...fromTheStart]);
    expect(idsSent()).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });

  it('accepts any certificate of the receiver with --skip-verify, and none that is not valid without', async () => {
    const { service, argv } = await stage();
    const receiver = await forTest(startReceiver());
    const more = ['--forward-to', receiver.url, ...argv.slice(2), ...fromTheStart];
    const rejected = await listening(service, [...more, '--max-attempts', '1']);
    expect(rejected.stderr).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    await listening(service, [...more, '--skip-verify']);
    expect(receiver.arrivals.map(({ headers }) => headers['webhook-id'])).toEqual([
      'evt_1',
      'evt_2',
      'evt_3',
    ]);
  });

  it('prints its generated secret once on stderr, and signs with it', async () => {
    const { service, receiver, argv } = await stage();
    const { stdout, stderr } = await listening(service, [...argv, ...fromTheStart]);
    const [secret = ''] = /whsec_[\w+/]{43}=/.exec(stderr) ?? [];
    expect(stdout).not.toContain('whsec_');
    const { body, headers } = receiver.arrivals[0] ?? { body: '', headers: {} };
    await expect(verifyDelivery({ payload: body, headers, secret })).resolves.toBeTruthy();
  });

  it('starts with new events, whatever clocks say', async () => {
    const { service, argv, idsSent, stateFile } = await stage();
    await listening(service, argv);
    expect(idsSent()).toEqual([]);
    const queries = service.bare.seen.map(({ query }) => query);
    expect(queries).toContainEqual({ after: 'now' });
    expect(queries.some(({ since }) => since !== undefined)).toBe(false);
    expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({
      service: service.bare.baseUrl,
      account: 'usr_1',
      from: { after: '3' },
    });
    expect((await stat(stateFile)).mode & 0o777).toBe(0o600);
    service.log.push(anEvent(4));
    await listening(service, argv);
    expect(idsSent()).toEqual(['evt_4']);
  });

  it('stops when the receiver stops, prints how to resume, and resumes with that event', async () => {
    const { service, argv, idsSent } = await stage((number) => (number === 2 ? 503 : 204));
    const argvOnce = [...argv, '--max-attempts', '1'];
    const stopped = await listening(service, [...argvOnce, ...fromTheStart]);
    expect(stopped.exitCode).toBe(1);
    expect(stopped.stderr).toContain('task.completed evt_2 was not accepted after 1 attempt');
    expect(stopped.stderr).toContain(
      'hint: Fix the receiver, then run it again without --since to continue with this event.',
    );
    expect(stopped.stderr).not.toContain('.lock');
    expect((await listening(service, argvOnce)).exitCode).toBe(130);
    expect(idsSent()).toEqual(['evt_1', 'evt_2', 'evt_2', 'evt_3']);
  });

  it('prints a command that resumes where it stopped: one without --since', async () => {
    const { service, argv } = await stage();
    const started = await listening(service, [...argv, ...fromTheStart]);
    expect(started.stderr).toMatch(/\nStopped\. Run it again without --since to continue\.\n$/);
    const continued = await listening(service, argv);
    expect(continued.stderr).toMatch(/\nStopped\. Run it again to continue\.\n$/);
  });

  it('finishes the attempt in progress when it is interrupted, and reports that', async () => {
    const interrupt = new AbortController();
    const { service, argv, idsSent } = await stage(() => {
      interrupt.abort();
      return 204;
    });
    const { exitCode, stdout, stderr } = await service.bare.cli(
      ['webhooks', 'listen', ...argv, ...fromTheStart, '--output', 'ndjson'],
      { signal: interrupt.signal },
    );
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Finishing requests in flight. Press Ctrl-C again to quit now.\n');
    expect(stdout.split('\n')).toEqual([expect.stringContaining('"id":"evt_1"'), '']);
    expect(idsSent()).toEqual(['evt_1']);
  });

  it('prints no secret and no key from a response of the receiver', async () => {
    const { service, argv } = await stage(() => 400);
    const told = 'tpk_abcdefghijklmnop whsec_abcdefghijklmnop';
    service.log[0] = { ...anEvent(1), id: `evt_${told.replace(' ', '_')}` };
    const more = [...argv, ...fromTheStart, '--max-attempts', '2'];
    const { stderr } = await listening(service, more);
    expect(stderr).toContain('Retrying in 1 s.');
    expect(stderr).not.toContain('abcdefgh');
  });

  it('rejects a second listener with the same checkpoint, and accepts it afterwards', async () => {
    const { service, argv, idsSent } = await stage();
    let second: ReturnType<typeof service.bare.cli> | undefined;
    const interrupt = new AbortController();
    service.onEnd = () => {
      second ??= service.bare.cli(['webhooks', 'listen', ...argv]).finally(() => interrupt.abort());
    };
    const first = await service.bare.cli(['webhooks', 'listen', ...argv, ...fromTheStart], {
      signal: interrupt.signal,
    });
    expect(first.exitCode).toBe(130);
    const rejected = await second;
    expect(rejected?.exitCode).toBe(1);
    expect(rejected?.stderr).toContain('is in use by');
    expect(idsSent()).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect((await listening(service, argv)).exitCode).toBe(130);
  });

  it('keeps a checkpoint for each service, account and receiver in the state folder', async () => {
    const { service, receiver, folder } = await stage();
    for (const url of [receiver.url, receiver.url, `${receiver.url}/2`]) {
      const interrupt = new AbortController();
      service.onEnd = () => interrupt.abort();
      await service.bare.cli(['webhooks', 'listen', '--forward-to', url], {
        signal: interrupt.signal,
        env: { TRADEPOST_STATE_DIR: join(folder, 'deep', 'state') },
      });
    }
    const files = await readdir(join(folder, 'deep', 'state'));
    expect(files.filter((file) => /^listen-[0-9a-f]{16}\.json$/.test(file))).toHaveLength(2);
    expect(files).toHaveLength(2);
  });

  it('rejects the checkpoint of other events, and a file that is not a checkpoint', async () => {
    const { service, argv, receiver, stateFile } = await stage();
    await listening(service, argv);
    const other = ['--forward-to', `${receiver.url}/other`, '--state-file', stateFile];
    const rejected = await listening(service, other);
    expect(rejected.exitCode).toBe(2);
    expect(rejected.stderr).toContain('is the checkpoint of other events');
    await writeFile(stateFile, '{');
    expect((await listening(service, argv)).exitCode).toBe(2);
    // --since starts again, but does not overwrite a file of another program.
    expect((await listening(service, [...argv, ...fromTheStart])).exitCode).toBe(2);
    expect(await readFile(stateFile, 'utf8')).toBe('{');
    expect((await listening(service, [...other, ...fromTheStart])).exitCode).toBe(2);
    await rm(stateFile);
    expect((await listening(service, [...argv, ...fromTheStart])).exitCode).toBe(130);
    const rejectedToo = await listening(service, [...other, ...fromTheStart]);
    expect(rejectedToo.exitCode).toBe(2);
    expect(rejectedToo.stderr).toContain('is the checkpoint of other events');
  });

  it.each([
    [400, 'invalid_cursor', 'hint: The saved position is not valid on this service.'],
    [410, 'cursor_expired', 'hint: Events after the saved position are no longer stored.'],
  ])('reports %i %s, and how to start again', async (status, code, hint) => {
    const { service, argv } = await stage();
    await listening(service, argv);
    service.bare.instead = ({ path }) =>
      path === '/v1/account'
        ? { status: 200, body: { data: { id: 'usr_1' } } }
        : aProblem(status, code);
    const before = service.bare.seen.length;
    const result = await listening(service, argv);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(hint);
    expect(result.stderr).toContain('Start again with --since');
    expect(result.stderr).not.toContain('Run it again to continue');
    // It is asked once: no other attempt could succeed.
    expect(service.bare.seen).toHaveLength(before + 2);
  });

  it('rewrites one line on a terminal, and removes it at the end', async () => {
    const { service, argv } = await stage();
    const { stderr } = await listening(service, [...argv, ...fromTheStart], { columns: 120 });
    expect(stderr).toContain('no contact yet · 0 forwarded · waiting for events');
    expect(stderr).toContain('last contact 0 s ago · 3 forwarded · waiting for events');
    expect(stderr).toContain('\u001b[1G\u001b[2KStopped');
  });

  it.each([
    [() => undefined, 2, 'needs the extension'],
    [() => aProblem(401, 'invalid_api_key'), 4, 'The API key may be'],
  ])('ends with a clear error if it cannot start', async (instead, exitCode, said) => {
    const { service, argv, receiver } = await stage();
    service.bare.instead = instead;
    const result = await listening(service, argv);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(said);
    expect(receiver.arrivals).toEqual([]);
  });

  it.each([
    [['--forward-to', 'ftp://127.0.0.1/']],
    [['--forward-to', 'trade.example:3000']],
    [['--forward-to', 'http://me:word@127.0.0.1/']],
    [['--forward-to', 'http://127.0.0.1/', '--max-attempts', '0']],
    [['--forward-to', 'http://127.0.0.1/', '--output', 'json']],
    [['--forward-to', 'http://127.0.0.1/', '--jq', '.id']],
    [['--since', '2h']],
  ])('rejects %j before anything is sent', async (argv) => {
    const service = await BareService.start();
    const result = await service.cli(['webhooks', 'listen', ...argv]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.seen).toEqual([]);
  });

  it('rejects a state file that cannot be written', async () => {
    const { service, receiver, folder } = await stage();
    const file = join(folder, 'taken');
    await mkdir(file);
    const result = await listening(service, ['--forward-to', receiver.url, '--state-file', file]);
    expect(result.exitCode).toBe(2);
    expect(receiver.arrivals).toEqual([]);
  });
});

it('the rows of events stay aligned, whatever their types and times', async () => {
  const table = createTableFormat(forwardedView.columns ?? [], 200, (_, text) => text);
  const row = { at: '2026-11-21T12:00:00.000Z', id: 'evt_1', status: 204, attempts: 1 };
  const rows = [
    { ...row, event: 'order.created', durationMs: 4 },
    { ...row, event: 'listing.availability_low', durationMs: 14_999, attempts: 12 },
  ];
  const texts = await Promise.all(rows.map((item) => table.formatItems([item])));
  const lines = texts.join('').trim().split('\n');
  expect(lines.map((line) => line.search(/ID$|evt_1$/))).toEqual([77, 77, 77]);
});
