import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Serves a folder below a path as static hosts do: `index.html` for folders, and `404.html` for what does not exist. */
export async function serveSite(folder: string, base: string) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '', 'http://a').pathname));
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const body = file.startsWith(base)
      ? await readFile(join(folder, file.slice(base.length))).catch(() => undefined)
      : undefined;
    const type = body === undefined ? '.html' : extname(file);
    response
      .writeHead(body === undefined ? 404 : 200, { 'Content-Type': types[type] ?? '' })
      .end(body ?? (await readFile(join(folder, '404.html'))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
