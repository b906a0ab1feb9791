import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findUnusedPort, startHttpServer } from '../../../../../test/helpers/loopback';
import {
  startIncompleteTlsServer,
  startTlsServer,
} from '../../../../../test/helpers/start-tls-server';
import { exampleSecret, probeReceiver } from '../../../src/testing/index';
import { type Listener, newMemory, probe, probeAt } from './probe';
import { alsoKey, byServiceSignature, type Handle, isForged, serve, when } from './receivers';

describe('probeReceiver', () => {
  it('passes a sound receiver, and fails one that verifies nothing', async () => {
    expect(await probe(serve(byServiceSignature, newMemory()))).toMatchObject({ verdict: 'pass' });
    const { verdict, causes } = await probe(serve(() => 204, newMemory()));
    expect({ verdict, cause: causes[0]?.name }).toEqual({
      verdict: 'fail',
      cause: 'no verification',
    });
  });
});

describe('probeReceiver and what is no mistake', () => {
  it('takes no time of day in a response for a line of a stack', async () => {
    const handle = when(isForged, [400, 'Received at 2026-11-29T01:20:30Z']);
    expect(await probe(serve(handle, newMemory()))).toMatchObject({ verdict: 'pass' });
  });

  it('notes a second form of the secret that is accepted beside the right one', async () => {
    const report = await probe(serve(alsoKey(exampleSecret.slice(6)), newMemory()));
    const found = report.cases.find(({ name }) => name === 'key without whsec_');
    expect(found).toMatchObject({ verdict: 'note', cause: 'lenient' });
    expect(report.verdict).toBe('pass');
  });
});

describe('probeReceiver and receivers that cannot be judged', () => {
  const causesOf = async (report: ReturnType<typeof probe>) =>
    (await report).causes.map(({ name }) => name);

  it('sends nothing more if nothing listens', async () => {
    const report = await probeAt(`http://127.0.0.1:${await findUnusedPort()}`);
    expect(report).toMatchObject({ verdict: 'fail', counts: { pass: 0, fail: 1, note: 0 } });
    expect(report.causes).toMatchObject([{ name: 'unreachable', verdict: 'fail' }]);
    // What depends on a declaration is neither right nor wrong, also in a case that was not run.
    const alone = report.cases.find(({ name }) => name === 'Service-Signature alone');
    expect(alone).toMatchObject({ expectation: 'either', verdict: 'not run' });
  });

  it('names a certificate that it cannot verify', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'probe-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const accept: Listener = (_, response) => void response.end();
    const server = await startTlsServer('localhost', join(folder, 'ca.pem'), accept);
    onTestFinished(server.close);
    expect(await causesOf(probeAt(`https://localhost:${server.port}`))).toEqual(['TLS error']);
  });

  it('names a certificate without the one that signed it', async () => {
    const server = await startIncompleteTlsServer();
    onTestFinished(server.close);
    const report = await probeAt(`https://localhost:${server.port}`);
    expect(report.cases[0]?.error).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(report.causes).toMatchObject([{ name: 'TLS error', verdict: 'fail' }]);
  });

  it('names a host that does not exist, and a connection that ends', async () => {
    expect(await causesOf(probeAt('http://receiver.invalid'))).toEqual(['unreachable']);
    expect(await causesOf(probe((request) => void request.socket.destroy()))).toEqual([
      'no response',
    ]);
  });

  it('is inconclusive, and sends nothing more, if the receiver limits requests', async () => {
    let requests = 0;
    const handle: Handle = (received, memory) => {
      requests += 1;
      return requests > 30 ? 429 : byServiceSignature(received, memory);
    };
    const report = await probe(serve(handle, newMemory()));
    expect(requests).toBe(31);
    expect(report).toMatchObject({ verdict: 'inconclusive', counts: { fail: 0 } });
    expect(report.causes).toMatchObject([{ name: 'rate limited', verdict: 'note' }]);
  });

  it('ends at a receiver that does not respond', async () => {
    let requests = 0;
    const silent: Listener = () => {
      requests += 1;
    };
    expect(await causesOf(probe(silent, { timeoutMs: 50 }))).toEqual(['too slow']);
    expect(requests).toBe(5);
  });

  it('fails a receiver that does not end its responses', async () => {
    const endless: Listener = (_, response) => void response.writeHead(200).write('1');
    const report = await probe(endless, { timeoutMs: 200 });
    expect(report).toMatchObject({ verdict: 'fail', counts: { pass: 0, fail: 5 } });
    expect(report.causes).toMatchObject([{ name: 'too slow', verdict: 'fail' }]);
  });

  it('names https at a port of http', async () => {
    const { url, close } = await startHttpServer((_, response) => void response.end());
    onTestFinished(close);
    expect(await causesOf(probeAt(url.replace('http:', 'https:')))).toEqual(['no TLS']);
  });

  it('names the end of a receiver that stops while it is probed', async () => {
    const server = await startHttpServer((request, response) => {
      response.writeHead(request.method === 'GET' ? 405 : 204, { Connection: 'close' }).end();
      if (request.method === 'GET') void server.close();
    });
    expect(await causesOf(probeAt(server.url))).toContain('stopped responding');
  });

  it('names the end of a receiver that stops at a genuine delivery, and nothing else', async () => {
    let requests = 0;
    const sound = serve(byServiceSignature, newMemory());
    const server = await startHttpServer((request, response) => {
      requests += 1;
      if (requests < 11) return sound(request, response);
      const closed = server.close();
      request.socket.destroy();
      return closed;
    });
    const { causes } = await probeAt(server.url);
    expect(causes.map(({ name, cases }) => [name, cases[0]])).toEqual([
      ['stopped responding', 'reordered JSON'],
    ]);
  });

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = [];
    const report = await probe((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { Location: 'https://a.example/webhooks/?token=1' }).end();
    });
    expect(paths).toEqual(['/webhooks']);
    expect(report.causes[0]?.text).toContain('It redirects to https://a.example/webhooks/. ');
    expect(report.counts).toMatchObject({ fail: 1, pass: 0 });
  });

  it('notes what was refused if no genuine delivery was accepted', async () => {
    const { cases } = await probe((_, response) => void response.writeHead(400).end());
    const refused = cases.filter(({ expectation }) => expectation === 'refuse');
    expect(new Set(refused.map(({ verdict }) => verdict))).toEqual(new Set(['note', 'not run']));
  });

  it('sends at most 70 requests, each with data of a test event and of at most 300 kB', async () => {
    const bodies: string[] = [];
    await probe((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        bodies.push(Buffer.concat(pieces).toString());
        response.writeHead(204).end();
      });
    });
    expect(bodies.length).toBeLessThanOrEqual(70);
    const events = bodies.filter((body) => body.startsWith('{'));
    expect(events.filter((body) => !/"\w{3}(_|\\u005f)TradepostTest/.test(body))).toEqual([]);
    expect(Math.max(...bodies.map((body) => body.length))).toBeLessThan(300_000);
  });

  it('rejects when its signal aborts', async () => {
    const controller = new AbortController();
    const aborting = probe(
      (_, response) => {
        controller.abort(new Error('enough'));
        response.end();
      },
      { signal: controller.signal },
    );
    await expect(aborting).rejects.toThrow('enough');
  });

  it('rejects when its signal aborts while handled does not return', async () => {
    const controller = new AbortController();
    const handled = () => {
      controller.abort(new Error('enough'));
      return new Promise<number>(() => undefined);
    };
    const { signal } = controller;
    const probing = probeAt('http://127.0.0.1:9', { handled, signal });
    await expect(probing).rejects.toThrow('enough');
  });

  it('rejects without options, and names the one that is missing', async () => {
    await expect(Reflect.apply(probeReceiver, undefined, [])).rejects.toThrow('url must be');
  });

  it.each([
    [{ url: 'ftp://receiver.example' }, 'url must be a URL of http or https'],
    [{ secret: '' }, 'secret must be whsec_ and base64'],
    [
      { declare: { signatureHeaderAlone: true, standardWebhooks: true } },
      'declare.signatureHeaderAlone contradicts standardWebhooks',
    ],
    [{ declare: { standardWebhook: true } }, 'declare.standardWebhook is not known'],
    [{ declare: { webhookId: 1 } }, 'declare.webhookId must be an ID, whk_…'],
    [{ declare: { webhookId: 'nonsense' } }, 'declare.webhookId must be an ID, whk_…'],
    [{ declare: { webhookId: '' } }, 'declare.webhookId must be an ID, whk_…'],
    [{ secret: `${exampleSecret}\n` }, 'secret must be whsec_ and base64, without white space'],
    [{ nextSecret: exampleSecret }, 'nextSecret must be another one than secret'],
    [{ url: undefined }, 'url must be'],
    [{ timeout: 1 }, 'timeout is not known: there is url, secret'],
    [{ timeoutMs: 0 }, 'timeoutMs must be'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
    [{ timeoutMs: 1e12 }, 'timeoutMs must be'],
    [{ handled: 3 }, 'handled must be a function'],
    [{ handled: () => Number.NaN }, 'handled must return a number'],
    [{ handled: () => undefined }, 'handled must return a number'],
  ] as [object, string][])('rejects the options %o', async (options, message) => {
    const url = 'http://127.0.0.1:9';
    await expect(probeReceiver({ url, secret: exampleSecret, ...options })).rejects.toThrow(
      message,
    );
  });
});
