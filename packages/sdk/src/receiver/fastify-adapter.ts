import { isUnread, type NodeRequest, readNodeBody } from './node-adapter';
import type { Receive } from './receive';

/** A request of Fastify, as far as a receiver looks at it. */
export interface FastifyRequestLike {
  /** The request of `node:http` below it. */
  readonly raw: NodeRequest;
}

/** A reply of Fastify, as far as a receiver touches it. */
export interface FastifyReplyLike {
  /** Sets the HTTP status. */
  code(status: number): unknown;
  /** Sets headers. */
  headers(values: Record<string, string>): unknown;
  /** Sends the answer. */
  send(body?: string): unknown;
}

/** A Fastify application, as far as a receiver touches it. */
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

/** Settings of the plugin. */
export interface FastifyPluginOptions {
  /** The path that deliveries come to, below the `prefix` if there is one. `/` unless told. */
  url?: string | undefined;
}

/**
 * Makes the receiver's form for Fastify: a plugin with one route. It answers in the route's first
 * hook, before any parser of the application sees the body.
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
            goesOn: true,
          });
          reply.code(status);
          reply.headers(isUnread(raw) ? { ...headers, Connection: 'close' } : headers);
          reply.send(body || undefined);
          return reply;
        },
      },
      // Never reached: the hook has answered.
      async () => undefined,
    );
  };
}
