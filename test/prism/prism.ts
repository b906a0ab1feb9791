import {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpRequest,
  type IHttpResponse,
} from '@stoplight/prism-http';

/** A request and its response, as a proxy has seen them. */
export interface Exchange {
  method: string;
  /** Path and query. */
  target: string;
  requestHeaders: Record<string, string>;
  requestBody: string;
  status: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}

/** Returns what of an exchange the document does not describe: one sentence each. */
export type FindViolations = (exchange: Exchange) => Promise<string[]>;

/** Prism's logger. What it would log, it also returns. */
const logger = {
  child: () => logger,
  info: () => {},
  success: () => {},
  debug: () => {},
  warn: () => {},
  error: () => {},
};

function parseBody(text: string, contentType = ''): unknown {
  if (text === '') return undefined;
  if (!/\bjson\b/.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    // The service rejects it, and Prism need not understand it.
    return text;
  }
}

function toRequest({ method, target, requestHeaders, requestBody }: Exchange): IHttpRequest {
  const { pathname, searchParams } = new URL(target, 'http://service');
  const query: Record<string, string | string[]> = {};
  for (const name of searchParams.keys()) {
    const [value = '', ...more] = searchParams.getAll(name);
    query[name] = more.length === 0 ? value : [value, ...more];
  }
  return {
    method: method.toLowerCase() as IHttpRequest['method'],
    url: { path: pathname, query },
    headers: requestHeaders,
    body: parseBody(requestBody, requestHeaders['content-type']),
  };
}

/**
 * Where the document has no body, the service also accepts these: clients that always send JSON need one. The document leaves
 * such a body out, because generated clients make a parameter of it that is of no use.
 */
const emptyBodies = new Set(['{}', 'null']);

/** The code of Prism for a body where the document has none. */
const unexpectedBody = 415;

/** Methods without an operation of their own: HEAD is that of GET, OPTIONS that of the path. */
const undocumentedMethods = new Set(['HEAD', 'OPTIONS']);

/**
 * Reads an OpenAPI document and returns Prism's validation of exchanges with a service, as its proxy does it. Prism does not
 * forward the requests itself: it would serialize bodies again, and respond to invalid requests, which tests send on purpose, in
 * place of the service.
 *
 * An invalid request is a violation only if the service accepted it.
 */
export async function loadPrism(document: object): Promise<FindViolations> {
  // Prism replaces references in what it gets.
  const operations = await getHttpOperationsFromSpec(structuredClone(document));
  return async (exchange) => {
    const { method, target, status } = exchange;
    if (undocumentedMethods.has(method)) return [];
    const response: IHttpResponse = {
      statusCode: status,
      headers: exchange.responseHeaders,
      body: parseBody(exchange.responseBody, exchange.responseHeaders['content-type']),
    };
    const prism = createInstance(
      {
        isProxy: true,
        upstream: new URL('http://service'),
        upstreamProxy: undefined,
        checkSecurity: true,
        validateRequest: true,
        validateResponse: true,
        // Otherwise Prism forwards what is in no path of the document.
        errors: true,
        mock: { dynamic: false },
      },
      {
        logger: logger as never,
        forward: () => () => async () => ({ _tag: 'Right', right: response }),
      },
    );
    const result = await prism.request(toRequest(exchange), operations)();
    const what = `${method} ${target} ${status}`;
    if (result._tag === 'Left') {
      // The document says of all other paths and methods that they are a 404 or a 405.
      return status === 404 || status === 405 ? [] : [`${what}: ${result.left.message}`];
    }
    const { input, output } = result.right.validations;
    const invalid = input.filter(
      ({ code }) => code !== unexpectedBody || !emptyBodies.has(exchange.requestBody),
    );
    const wrong = [
      ...(status < 400 ? invalid.map((found) => ({ part: 'request', ...found })) : []),
      ...output.map((found) => ({ part: 'response', ...found })),
    ];
    return wrong.map(({ part, path = [], message }) => {
      const where = [part, ...path].join('.');
      return `${what}: ${where}: ${message}`;
    });
  };
}
