import { initContract } from '@ts-rest/core';
import { problemMediaType } from './problem';
import { problemSchema } from './problem-schema';

const problemResponse = initContract().otherResponse({
  contentType: problemMediaType,
  body: problemSchema,
});

/** Answers that any endpoint may give, whatever was asked. */
export const commonProblems = {
  400: problemResponse,
  401: problemResponse,
  422: problemResponse,
  429: problemResponse,
  500: problemResponse,
  503: problemResponse,
} as const;

/** Adds the error answers of one endpoint to those that all have. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  const own = Object.fromEntries(statuses.map((status) => [status, problemResponse]));
  return { ...commonProblems, ...own } as typeof commonProblems &
    Record<Status, typeof problemResponse>;
}
