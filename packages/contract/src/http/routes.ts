import { initContract } from '@ts-rest/core';
import { type ProblemCode, problemMediaType } from '../problems/problem';
import { problemSchema } from '../problems/problem-schema';
import type { headerNames } from './headers';

/** A header that a response may carry: a key of `headerNames`. */
export type ResponseHeader = Exclude<
  keyof typeof headerNames,
  'authorization' | 'idempotencyKey' | 'ifMatch'
>;

/** What the contract says of a route beyond its schemas. ts-rest carries it as `metadata`. */
export interface RouteMetadata {
  /** Name of the operation, unique in the contract. */
  operationId: string;
  /** True for an extension: the API specification does not have the route. Marked `x-extension` in OpenAPI. */
  extension: boolean;
  /**
   * Which API keys a request may have: `any` valid one, also a read-only one though the request changes something; or `none`,
   * and it needs none. By default, a read-only key may only read.
   */
  keys?: 'any' | 'none';
  /** Query parameters of the API specification. All others are marked `x-extension` in OpenAPI. */
  specQuery?: string[];
  /** Headers of the successful response, in addition to those of every response. */
  responseHeaders: ResponseHeader[];
  /** Problems of its own: others follow from what a request of the route may have, such as a body or a cursor. */
  problems?: ProblemCode[];
}

const problemResponse = initContract().otherResponse({
  contentType: problemMediaType,
  body: problemSchema,
});

/** Error responses that every endpoint may return. */
export const commonProblems = {
  400: problemResponse,
  401: problemResponse,
  403: problemResponse,
  422: problemResponse,
  429: problemResponse,
  500: problemResponse,
  503: problemResponse,
} as const;

/** Adds an endpoint's own error responses to those of every endpoint. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  const own = Object.fromEntries(statuses.map((status) => [status, problemResponse]));
  return { ...commonProblems, ...own } as typeof commonProblems &
    Record<Status, typeof problemResponse>;
}
