import { once } from 'node:events';
import { createServer, Server as HttpServer, type RequestListener } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';

/** A server that listens on loopback. */
export interface LoopbackServer {
  port: number;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  url: string;
  /** Ends the server and all its connections. */
  close(): Promise<void>;
}

/** Starts a real HTTP server on a free port of loopback. */
export async function startHttpServer(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener);
  const port = await listenOnLoopback(server);
  return { port, url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

/** Makes a server listen on loopback, by default on a free port. Returns the port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Ends a server and all its connections; of a plain TCP server, the caller ends the connections. */
export async function closeServer(server: Server): Promise<void> {
  if (server instanceof HttpServer || server instanceof HttpsServer) server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Whether nothing listens on a port of loopback. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createTcpServer();
  try {
    await listenOnLoopback(server, port);
  } catch {
    return false;
  }
  await closeServer(server);
  return true;
}

/** Returns a port of loopback on which nothing listens. */
export async function findUnusedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listenOnLoopback(server);
  await closeServer(server);
  return port;
}
