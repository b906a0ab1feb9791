import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../src/runtime/server';
import { getProblem, startService } from './service';

/** Starts a service that is stopped after the test. */
export async function startForTest(options: Partial<ServerOptions> = {}) {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return service;
}

export type Service = Awaited<ReturnType<typeof startForTest>>;

/** Sends a GET with exactly these headers: fetch would decompress the body. */
export function getRaw(
  service: Service,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(service.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      });
    }).on('error', reject);
  });
}

const decompress = { br: brotliDecompressSync, gzip: gunzipSync };

/** A page and everything that belongs to it. */
interface ServedFiles {
  /** What they are, such as `the API reference`. */
  name: string;
  listPaths: (service: Service) => Promise<string[]>;
  /** Returns the content coding of a path for clients that accept both. */
  chooseCoding: (path: string) => keyof typeof decompress;
}

/** Tests what is true of every file that is served from the build. */
export function testServedFiles({ name, listPaths, chooseCoding }: ServedFiles): void {
  describe(`every file of ${name}`, () => {
    it('is compressed for clients that accept it', async () => {
      const service = await startForTest();
      for (const path of await listPaths(service)) {
        const plain = await getRaw(service, path, {});
        expect(plain.headers['content-encoding']).toBeUndefined();
        for (const [accepted, coding] of [
          ['gzip', 'gzip'],
          ['gzip, br', chooseCoding(path)],
        ] as const) {
          const compressed = await getRaw(service, path, { 'Accept-Encoding': accepted });
          expect(compressed.headers['content-encoding'], path).toBe(coding);
          expect(decompress[coding](compressed.body).equals(plain.body)).toBe(true);
          expect(compressed.headers.etag).not.toBe(plain.headers.etag);
          for (const { headers, body } of [plain, compressed]) {
            expect(headers.vary).toBe('Accept-Encoding');
            expect(headers['content-length']).toBe(String(body.length));
          }
        }
      }
    });

    it('is a 304 for a client that has it', async () => {
      const service = await startForTest();
      for (const path of await listPaths(service)) {
        for (const encoding of ['br', 'gzip', 'identity']) {
          const headers = { 'Accept-Encoding': encoding };
          const { etag = '' } = (await getRaw(service, path, headers)).headers;
          const again = await getRaw(service, path, { ...headers, 'If-None-Match': String(etag) });
          expect([again.status, again.body.length]).toEqual([304, 0]);
          expect(again.headers.etag).toBe(etag);
          const changed = await getRaw(service, path, { ...headers, 'If-None-Match': '"other"' });
          expect(changed.status).toBe(200);
        }
      }
    });

    it('responds to HEAD with the headers of GET, and rejects other methods', async () => {
      const service = await startForTest();
      for (const path of await listPaths(service)) {
        const got = await service.request(`GET ${path}`);
        const head = await service.request(`HEAD ${path}`);
        expect([head.status, head.text]).toEqual([200, '']);
        for (const name of ['etag', 'content-type', 'cache-control', 'content-length']) {
          expect(head.headers.get(name)).toBe(got.headers.get(name));
        }
        const options = await service.request(`OPTIONS ${path}`);
        expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD']);
        for (const method of ['POST', 'PUT', 'DELETE']) {
          const rejected = await service.request(`${method} ${path}`);
          expect(getProblem(rejected).code).toBe('method_not_allowed');
          expect(rejected.headers.get('allow')).toBe('GET, HEAD');
          expect(rejected.headers.get('cache-control')).toBe('no-store');
        }
      }
    });
  });
}

/** Requests a path while the server shuts down, and expects to be told so. */
export async function expectUnavailableWhileStopping(path: string): Promise<void> {
  const service = await startService();
  const pending = await service.openConnection();
  await pending.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n`);
  // A response on another connection shows that these bytes have arrived.
  await service.request('GET /livez');
  const closed = service.close();
  await pending.send('\r\n');
  const response = await pending.response;
  expect(response).toContain('HTTP/1.1 503 ');
  expect(response).toContain('"code":"shutting_down"');
  await closed;
}
