import type { RawBody } from './incoming';
import { bodyParsed } from './raw-body-faults';
import type { Receive } from './receive';

/**
 * A request as AWS hands it to a function: by API Gateway in its versions 1 and 2, by a load
 * balancer or by a function URL.
 */
export interface LambdaEvent {
  /** The method, but in version 2 and from a function URL. */
  readonly httpMethod?: string | undefined;
  /** Has the method as `http.method` in version 2 and from a function URL. */
  readonly requestContext?: unknown;
  /** The headers; of one that came several times, the last. */
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined;
  /** All headers, in version 1 and from a load balancer that is set up so. */
  readonly multiValueHeaders?:
    | { readonly [name: string]: readonly string[] | undefined }
    | null
    | undefined;
  /** The body, as text or as base64. */
  readonly body?: string | null | undefined;
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean | undefined;
}

/** An answer that each of those hosts takes. */
export interface LambdaResult {
  /** The HTTP status. */
  statusCode: number;
  /** The headers. */
  headers: Record<string, string>;
  /** The headers once more, for a host that sent `multiValueHeaders` and reads nothing else. */
  multiValueHeaders?: Record<string, string[]>;
  /** The answer's text. */
  body: string;
  /** False: the body is text. */
  isBase64Encoded: false;
}

/** Makes the receiver's form for AWS Lambda. It handles a delivery before it answers, always. */
export function lambdaAdapter(receive: Receive) {
  return async (event: LambdaEvent): Promise<LambdaResult> => {
    // Whatever calls the function: a test event of its console may be nothing at all.
    const asked: LambdaEvent = event ?? {};
    const { requestContext, headers: single, multiValueHeaders: multiple } = asked;
    const context = (requestContext ?? {}) as { http?: { method?: unknown } | null };
    const { status, headers, body } = await receive({
      method: asked.httpMethod ?? context.http?.method,
      headers: { ...single, ...multiple },
      readBody: () => bodyOf(asked),
      goesOn: false,
    });
    const result: LambdaResult = { statusCode: status, headers, body, isBase64Encoded: false };
    if (multiple) {
      const pairs = Object.entries(headers).map(([name, value]) => [name, [value]]);
      result.multiValueHeaders = Object.fromEntries(pairs);
    }
    return result;
  };
}

function bodyOf({ body, isBase64Encoded }: LambdaEvent): RawBody {
  const fix = 'keep what parses the body away from this function';
  const text: unknown = body ?? '';
  if (typeof text !== 'string') throw bodyParsed(fix);
  if (!isBase64Encoded) return text;
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  } catch {
    throw bodyParsed(`${fix}: isBase64Encoded is set, and the body is not base64`);
  }
}
