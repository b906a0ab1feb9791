import { once } from 'node:events';
import { createServer } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { exampleSecret } from '@tradepost/sdk/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  closeServer,
  findUnusedPort,
  listenOnLoopback,
} from '../../../../../test/helpers/loopback';
import { createHttpFetch } from '../../../src/client/create-client';
import { forwardEvent } from '../../../src/commands/webhooks/listen/forward';
import { createStatusLine } from '../../../src/commands/webhooks/listen/status-line';
import { aContext } from '../../helpers/a-context';
import { FakeStream } from '../../helpers/fake-stream';
import { anEvent } from '../../helpers/webhook-builders';

const setting = {
  secret: exampleSecret,
  now: Date.parse('2026-11-21T12:00:00Z'),
  signal: new AbortController().signal,
  send: createHttpFetch(),
};

/** Starts a server that responds to every connection with these bytes. */
async function startReplying(text: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(text));
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return `http://127.0.0.1:${port}/`;
}

describe('forwarding an event', () => {
  it.each([
    ['HTTP/1.1 204 No Content\r\n\r\n', { status: 204, error: null, responseSnippet: '' }],
    [
      'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
      { status: 302, error: null, responseSnippet: '' },
    ],
    [
      'HTTP/1.1 500 No\r\ncontent-length: 4\r\n\r\nboom',
      { status: 500, error: null, responseSnippet: 'boom' },
    ],
    ['HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nboom', { status: 500, error: null }],
    ['', { status: null, error: 'connection_reset', responseSnippet: '' }],
  ])('parses %j', async (reply, result) => {
    const url = await startReplying(reply);
    expect(await forwardEvent(anEvent(1), { ...setting, url })).toMatchObject(result);
  });

  it('reports that nothing listens, or that the listener does not speak HTTP', async () => {
    const rejected = { ...setting, url: `http://127.0.0.1:${await findUnusedPort()}/` };
    expect(await forwardEvent(anEvent(1), rejected)).toMatchObject({ error: 'connection_refused' });
    const url = await startReplying('220 mail.example ESMTP\r\n');
    expect((await forwardEvent(anEvent(1), { ...setting, url })).error).toMatch(/./);
  });

  it('waits 15 s for a receiver that does not respond', async () => {
    const held = createServer((socket) => socket.on('error', () => {}).resume());
    const port = await listenOnLoopback(held);
    onTestFinished(() => void held.close());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const arrived = once(held, 'connection');
    const forwarded = forwardEvent(anEvent(1), { ...setting, url: `http://127.0.0.1:${port}/` });
    const [socket] = await arrived;
    onTestFinished(() => void socket.destroy());
    let isOver = false;
    void forwarded.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(14_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await forwarded).toEqual({ status: null, error: 'timeout', responseSnippet: '' });
  });

  it('ends early when its signal aborts', async () => {
    const held = createServer((socket) => socket.on('error', () => {}));
    const port = await listenOnLoopback(held);
    onTestFinished(() => closeServer(held));
    const ending = new AbortController();
    held.once('connection', () => ending.abort());
    const url = `http://127.0.0.1:${port}/`;
    const forwarded = await forwardEvent(anEvent(1), { ...setting, url, signal: ending.signal });
    expect(forwarded).toMatchObject({ status: null, error: expect.any(String) });
  });

  it('keeps only the start of a long error response', async () => {
    const url = await startReplying(`HTTP/1.1 400 No\r\n\r\n${'x'.repeat(100_000)}`);
    expect((await forwardEvent(anEvent(1), { ...setting, url })).responseSnippet).toBe(
      'x'.repeat(500),
    );
  });
});

/** A connection of which the last response has just arrived, and its problem. */
function aConnection(now: () => number) {
  const connection = {
    problem: null as string | null,
    lastContact: now,
    describeProblem: () => connection.problem,
  };
  return connection;
}

describe('the status line', () => {
  it('is printed at most once a minute without a terminal', () => {
    const stderr = new FakeStream();
    let time = Date.parse('2026-11-21T12:00:00Z');
    const now = () => time;
    const status = createStatusLine('order.created', aConnection(now), aContext({ stderr, now }));
    for (let second = 0; second <= 150; second += 10) {
      time += 10_000;
      status.contact();
      if (second % 50 === 0) status.forwarded();
    }
    status.end();
    expect(stderr.text.trim().split('\n')).toEqual([
      '2026-11-21T12:01:00.000Z: last contact 0 s ago · 1 forwarded · waiting for order.created',
      '2026-11-21T12:02:00.000Z: last contact 0 s ago · 3 forwarded · waiting for order.created',
    ]);
  });

  it('says what it does now: it waits, forwards, or has no service', () => {
    const stderr = new FakeStream({ columns: 100 });
    const connection = aConnection(() => 0);
    const status = createStatusLine('events', connection, aContext({ stderr, now: () => 0 }));
    status.draw();
    status.forwarding('order.created evt_1');
    status.forwarded();
    connection.problem = 'Connection failed; retrying in 4 s (gives up in 5 min)';
    status.draw();
    status.end();
    const lines = stripVTControlCharacters(stderr.text.replaceAll('\u001b[2K', '\n'));
    expect(lines.trim().split('\n')).toEqual([
      'last contact 0 s ago · 0 forwarded · waiting for events',
      '0 forwarded · forwarding order.created evt_1',
      'last contact 0 s ago · 1 forwarded · waiting for events',
      'Connection failed; retrying in 4 s (gives up in 5 min) · 1 forwarded',
    ]);
  });

  it.each([
    [64, 'Rate limited; retrying in 4 s (gives up in 5 min) · 1 forwarded'],
    [30, 'Rate limited; retrying in 4 …'],
  ])('is cut off where there is no room: %s cells', (columns, shown) => {
    const stderr = new FakeStream({ columns });
    const connection = aConnection(() => 0);
    connection.problem = 'Rate limited; retrying in 4 s (gives up in 5 min)';
    const status = createStatusLine('events', connection, aContext({ stderr, now: () => 0 }));
    status.forwarded();
    status.end();
    const lines = stripVTControlCharacters(stderr.text.replaceAll('\u001b[2K', '\n'));
    expect(lines.trim()).toBe(shown);
  });
});
