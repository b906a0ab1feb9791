import { isUnread, type NodeRequest, readNodeBody } from './node-adapter';
import type { Receive } from './receive';

/** A Fastify request: the part of it that a receiver uses. */
export interface FastifyRequestLike {
  /** The underlying request of `node:http`. */
  readonly raw: NodeRequest;
}

/** A Fastify reply: the part of it that a receiver uses. */
export interface FastifyReplyLike {
  /** Sets the HTTP status. */
  code(status: number): unknown;
  /** Sets headers. */
  headers(values: Record<string, string>): unknown;
  /** Sends the response. */
  send(body?: string): unknown;
}

/** A Fastify application: the part of it that a receiver uses. */
export interface FastifyInstanceLike {
  /** Adds a route for every method. */
  all(
    url: string,
    options: {
      onRequest(request: FastifyRequestLike, reply: FastifyReplyLike): Promise<unknown>;
    },
    handler: () => Promise<unknown>,
  ): unknown;
}

/** Options of the plugin. */
export interface FastifyPluginOptions {
  /** The path of the receiver, below the `prefix` if there is one. @default '/' */
  url?: string | undefined;
}

/**
 * Creates the receiver for Fastify: a plugin with one route. It responds in the first hook of the route,
 * before any parser of the application reads the body.
 */
export function fastifyAdapter(receive: Receive) {
  return async (instance: FastifyInstanceLike, options: FastifyPluginOptions): Promise<void> => {
    instance.all(
      options.url ?? '/',
      {
        async onRequest({ raw }, reply) {
          const { status, headers, body } = await receive({
            method: raw.method,
            headers: raw.headers,
            readBody: (limit) => readNodeBody(raw, limit),
            isOpen: true,
          });
          reply.code(status);
          reply.headers(isUnread(raw) ? { ...headers, Connection: 'close' } : headers);
          reply.send(body || undefined);
          return reply;
        },
      },
      // Never called, because the hook has responded.
      async () => undefined,
    );
  };
}
