import { contract, type RouteMetadata } from '@tradepost/contract';
import { type AppRoute, validateIfSchema, validateMultiSchemaObject } from '@ts-rest/core';
import type { ApiKeyWithAccount, Caller } from './accounts/account';
import {
  readBearerKey,
  requireValid,
  requireWriteAccess,
  toCaller,
} from './accounts/authentication';
import { DomainError } from './kernel/errors';
import { readIdempotencyKey, type StoredResponse } from './kernel/idempotency';
import { methodNotAllowed, routeNotFound, toValidationProblem } from './problems';
import type { RequestContext } from './route-handlers';
import { createRoutes, type RouteDependencies } from './routes';

/** A request without HTTP. */
export interface ServiceRequest {
  method: string;
  /** A list for a parameter that was sent more than once. */
  query: Readonly<Record<string, string | string[]>>;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** The parsed JSON. Undefined without a body. */
  body: unknown;
  /** Aborts when the client no longer waits. */
  signal: AbortSignal;
  /** Called with the ID of a valid API key, before anything is done. It throws a `DomainError` to reject the request. */
  admit?: ((keyId: string) => void) | undefined;
}

/** A route of the contract, such as `orders.list`, and the parameters in the path of a request. */
export interface MatchedRoute {
  noun: string;
  name: string;
  route: AppRoute & { metadata: RouteMetadata };
  params: Record<string, string>;
}

/** What a service without HTTP is made of. */
export type ServiceSettings = RouteDependencies;

const routes = Object.entries(contract).flatMap(([noun, router]) =>
  Object.entries(router).map(([name, route]) => ({
    noun,
    name,
    route: route as MatchedRoute['route'],
  })),
);

/** Returns the parameters of a path; null if it does not match the template. */
function matchPath(template: string, path: string): Record<string, string> | null {
  const match = new RegExp(`^${template.replace(':id', '(?<id>[^/]+)')}$`).exec(path);
  if (match === null) return null;
  try {
    const params = Object.entries(match.groups ?? {});
    return Object.fromEntries(params.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}

/**
 * Finds the route of a request.
 *
 * @param isOffered Whether the service has a route. @default all
 * @throws DomainError `method_not_allowed`, `route_not_found`.
 */
export function findRoute(
  method: string,
  path: string,
  isOffered: (metadata: RouteMetadata) => boolean = () => true,
): MatchedRoute {
  const allowed: string[] = [];
  for (const { route, ...names } of routes) {
    const params = isOffered(route.metadata) ? matchPath(route.path, path) : null;
    if (params === null) continue;
    if (route.method === (method === 'HEAD' ? 'GET' : method)) return { ...names, route, params };
    allowed.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  }
  if (allowed.length > 0) throw methodNotAllowed(path, method, allowed.join(', '));
  throw routeNotFound(path);
}

/**
 * Validates a request by the schemas of its route, as ts-rest does in the server.
 *
 * @throws DomainError `validation_failed`, with all issues.
 */
function validate({ route, params }: MatchedRoute, { query, headers, body }: ServiceRequest) {
  const results = {
    pathParams: validateIfSchema(params, route.pathParams, { passThroughExtraKeys: true }),
    query: validateIfSchema(query, route.query),
    headers: validateMultiSchemaObject(headers, route.headers),
    body: validateIfSchema(body, 'body' in route ? route.body : null),
  };
  if (Object.values(results).some(({ error }) => error)) {
    const errors = {
      pathParams: results.pathParams.error ?? null,
      query: results.query.error ?? null,
      headers: results.headers.error ?? null,
      body: results.body.error ?? null,
    };
    const sent = { pathParams: params, query, headers, body };
    const { code, detail, issues } = toValidationProblem(errors, sent);
    throw new DomainError(code, detail, issues);
  }
  return {
    params: results.pathParams.value,
    query: results.query.value,
    headers: results.headers.value,
    body: results.body.value,
  };
}

type Handler = (request: Record<string, unknown> & RequestContext) => Promise<StoredResponse>;

/**
 * The service without HTTP: it authenticates and validates requests, and handles them by the rules. The order of its checks is
 * that of the server, whose `http/app.ts` has them as middleware of Express.
 */
export class Service {
  readonly #settings: ServiceSettings;
  readonly #handlers: Record<string, Record<string, Handler>>;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#handlers = createRoutes(settings) as unknown as Record<string, Record<string, Handler>>;
  }

  /**
   * Handles a request to a route.
   *
   * @param readBody Runs before the body is validated, and throws if it is not JSON.
   * @throws DomainError if a rule rejects it.
   */
  async handle(
    matched: MatchedRoute,
    request: ServiceRequest,
    readBody: () => void = () => {},
  ): Promise<StoredResponse> {
    const { clock } = this.#settings;
    const { noun, name, route } = matched;
    const { metadata } = route;
    const access = metadata.keys === 'none' ? null : await this.#authenticate(request, metadata);
    if (route.method === 'POST' || route.method === 'PATCH') readBody();
    const parsed = validate(matched, request);
    const identified = parsed as Parameters<typeof readIdempotencyKey>[2];
    const now = clock.now();
    const handler = this.#handlers[noun]?.[name];
    if (handler === undefined) throw new Error(`${noun}.${name} has no handler.`);
    return handler({
      ...parsed,
      caller: access?.caller as Caller,
      idempotencyKey:
        access &&
        readIdempotencyKey(access.caller, metadata.operationId, identified, now, (text) => text),
      signal: request.signal,
      requireValidKey: async () => {
        await access?.findKey();
      },
      // Keys of a service without HTTP protect nothing.
      seal: (text) => `${access?.caller.keyId} ${text}`,
      unseal(sealed) {
        const [keyId, text = ''] = sealed.split(' ');
        return keyId === access?.caller.keyId ? text : null;
      },
    });
  }

  /** @throws DomainError if the request has no valid key, or its key may not make it. */
  async #authenticate(
    { headers, method, admit }: ServiceRequest,
    metadata: RouteMetadata,
  ): Promise<{ caller: Caller; findKey: () => Promise<ApiKeyWithAccount> }> {
    const { store, clock, tokens } = this.#settings;
    const hash = tokens.hash(readBearerKey(headers.authorization));
    const findKey = async () => requireValid(await store.accounts.findKeyByHash(hash), clock.now());
    const caller = toCaller(await findKey());
    admit?.(caller.keyId);
    requireWriteAccess(caller, method, metadata);
    return { caller, findKey };
  }
}
