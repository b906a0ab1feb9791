import {
  headerNames,
  type ProblemCode,
  type ProblemIssue,
  problemMediaType,
  problems,
  problemType,
} from '@tradepost/contract/wire';
import type { MockResponse } from './handler';

/** Thrown where a request breaks a rule of the service. */
export class MockProblem extends Error {
  readonly code: ProblemCode;
  readonly issues: ProblemIssue[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    issues?: ProblemIssue[],
    headers: Record<string, string> = {},
  ) {
    super(detail);
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }
}

/** Builds the response to a request that breaks a rule. Source: RFC 9457. */
export function toProblemResponse(
  { code, message: detail, issues, headers }: MockProblem,
  requestId: string,
): MockResponse {
  const { status, title } = problems[code];
  const errors = issues && { errors: issues };
  const challenge = `Bearer realm="tradepost"${code === 'invalid_api_key' ? ', error="invalid_token"' : ''}`;
  return {
    status,
    headers: {
      'Content-Type': problemMediaType,
      ...headers,
      ...(status === 401 && { [headerNames.wwwAuthenticate]: challenge }),
    },
    body: { type: problemType(code), title, status, detail, code, requestId, ...errors },
  };
}
