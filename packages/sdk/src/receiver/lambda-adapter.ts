import type { RawBody } from './delivery-handler';
import { bodyParsed, type Receive } from './receive';

/**
 * The event of an AWS Lambda function: from API Gateway (payload versions 1 and 2), a load balancer or a
 * function URL.
 */
export interface LambdaEvent {
  /** The method. Absent in version 2 and from a function URL. */
  readonly httpMethod?: string | undefined;
  /** Contains the method as `http.method`, in version 2 and from a function URL. */
  readonly requestContext?: unknown;
  /** The headers. Of a repeated header, only the last value. */
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined;
  /** All header values, in version 1 and from a load balancer that is configured so. */
  readonly multiValueHeaders?:
    | { readonly [name: string]: readonly string[] | undefined }
    | null
    | undefined;
  /** The body, as text or as base64. */
  readonly body?: string | null | undefined;
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean | undefined;
}

/** A response for any of those event sources. */
export interface LambdaResult {
  /** The HTTP status. */
  statusCode: number;
  /** The headers. */
  headers: Record<string, string>;
  /** The headers again, for a source that sent `multiValueHeaders` and ignores `headers`. */
  multiValueHeaders?: Record<string, string[]>;
  /** The body, as text. */
  body: string;
  /** Always false: the body is text. */
  isBase64Encoded: false;
}

/** Creates the receiver for AWS Lambda. It always handles a delivery before it responds. */
export function lambdaAdapter(receive: Receive) {
  return async (event: LambdaEvent): Promise<LambdaResult> => {
    // A test event of the Lambda console may be null.
    const source: LambdaEvent = event ?? {};
    const { requestContext, headers: single, multiValueHeaders: multiple } = source;
    const context = (requestContext ?? {}) as { http?: { method?: unknown } | null };
    const { status, headers, body } = await receive({
      method: source.httpMethod ?? context.http?.method,
      headers: { ...single, ...multiple },
      readBody: () => readBody(source),
      isOpen: false,
    });
    const result: LambdaResult = { statusCode: status, headers, body, isBase64Encoded: false };
    if (multiple) {
      const pairs = Object.entries(headers).map(([name, value]) => [name, [value]]);
      result.multiValueHeaders = Object.fromEntries(pairs);
    }
    return result;
  };
}

function readBody({ body, isBase64Encoded }: LambdaEvent): RawBody {
  const fix = 'Do not parse the body before this function.';
  const text: unknown = body ?? '';
  if (typeof text !== 'string') throw bodyParsed(fix);
  if (!isBase64Encoded) return text;
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  } catch {
    throw bodyParsed(`${fix} isBase64Encoded is set, but the body is not base64.`);
  }
}
