import { constants } from 'node:crypto';
import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';
import { throttle } from '../kernel/throttle';

/** A certificate and its private key, both as PEM. */
export interface TlsCredentials {
  /** The certificate of the server, followed by those of its authorities, if any. */
  cert: string;
  /** The private key of the certificate, without a passphrase. */
  key: string;
}

type Response = typeof ServerResponse<IncomingMessage>;
/** The options of an HTTP server, with the classes of its requests and responses. */
export type HttpOptions = ServerOptions<typeof IncomingMessage, Response>;

/** How long a client may take for its TLS handshake, in milliseconds. */
const defaultHandshakeTimeoutMs = 10_000;

/** Source: Mozilla, "Server Side TLS", version 5.7, intermediate: forward secrecy and authenticated encryption only. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Returns the options of a server's TLS connections: TLS 1.2 or later, and the certificate. */
export function toSecureContextOptions({ cert, key }: TlsCredentials): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers,
    // All ciphers are good, so the client selects the one that is fast on its processor.
    honorCipherOrder: false,
    // Clients have no reason to negotiate again, and it costs the server more than them.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** Options of an HTTPS server. */
export interface HttpsOptions {
  tls: TlsCredentials;
  log: Logger;
  clock: Clock;
  /** @default 10000 */
  handshakeTimeoutMs?: number;
}

/** An HTTPS server, and how to give it a renewed certificate. */
export interface HttpsServer {
  server: Server<typeof IncomingMessage, Response>;
  /** Uses these for new connections. Throws if they are not valid, and changes nothing then. */
  setTls(tls: TlsCredentials): void;
}

/**
 * Creates an HTTPS server that otherwise is like an HTTP server with these options. Throws if certificate and key are not valid.
 */
export function createHttpsServer(
  httpOptions: HttpOptions,
  listener: RequestListener,
  { tls, log, clock, handshakeTimeoutMs = defaultHandshakeTimeoutMs }: HttpsOptions,
): HttpsServer {
  const server = createServer(
    {
      ...httpOptions,
      ...toSecureContextOptions(tls),
      handshakeTimeout: handshakeTimeoutMs,
      ALPNProtocols: ['http/1.1'],
    },
    listener,
  );
  const logFailed = throttle<string>(clock, (failed, code) =>
    log.warn({ failed, code }, 'TLS handshakes failed'),
  );
  // Node's own listener reports these as invalid HTTP requests, which would be logged one by one and get a response.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    // Checks of a load balancer connect and disconnect without a handshake.
    if (error.code !== 'ECONNRESET') logFailed(error.code ?? error.message);
  });
  return { server, setTls: (renewed) => server.setSecureContext(toSecureContextOptions(renewed)) };
}
