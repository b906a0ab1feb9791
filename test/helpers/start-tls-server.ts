import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { closeServer, listenOnLoopback } from './loopback';

/**
 * Starts a TLS server on loopback, with a certificate for a host name that only a file makes trustworthy. Close it when the
 * test ends.
 *
 * @param caFile is written
 */
export async function startTlsServer(
  hostname: string,
  caFile: string,
  listener: RequestListener,
): Promise<{ port: number; close(): Promise<void> }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: hostname }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: hostname }] },
    ],
  });
  await writeFile(caFile, cert);
  const server = createServer({ key, cert }, listener);
  const port = await listenOnLoopback(server);
  return { port, close: () => closeServer(server) };
}

/**
 * Starts a TLS server for `localhost` that sends its certificate without that of the CA that signed it. Close it when the test ends.
 */
export async function startIncompleteTlsServer(): Promise<{
  port: number;
  close(): Promise<void>;
}> {
  const ca = await generate([{ name: 'commonName', value: 'Test CA' }], {
    extensions: [{ name: 'basicConstraints', cA: true }],
  });
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    ca: { key: ca.private, cert: ca.cert },
  });
  const server = createServer({ key, cert }, (_, response) => response.end());
  const port = await listenOnLoopback(server);
  return { port, close: () => closeServer(server) };
}
