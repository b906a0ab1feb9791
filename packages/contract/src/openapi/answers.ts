import { type AppRouteResponse, isAppRouteNoBody, isAppRouteOtherResponse } from '@ts-rest/core';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { AnswerHeader } from '../http/route-notes';
import { problemCodes, problemMediaType, problems } from '../problems/problem';
import { codesOfStatus, problemSchema } from '../problems/problem-schema';
import { answerHeadersOf } from './answer-headers';
import type { FoundRoute } from './routes';
import { zodOf } from './zod-of';

function problemAnswer(status: number, headers: AnswerHeader[]): ZodOpenApiResponseObject {
  const codes = codesOfStatus(status).map((code) => `\`${code}\`: ${problems[code].title}.`);
  const [first = 'A problem.', ...more] = codes;
  return {
    description: more.length === 0 ? first : codes.map((code) => `- ${code}`).join('\n'),
    headers: answerHeadersOf(status, headers),
    content: { [problemMediaType]: { schema: problemSchema } },
  };
}

/** One answer for each status that a problem has: the routes that give it refer to it. */
const sharedProblemAnswers = new Map<number, ZodOpenApiResponseObject>(
  problemCodes.map((code) => {
    const { status } = problems[code];
    return [status, { id: `Problem${status}`, ...problemAnswer(status, []) }];
  }),
);

const otherProblemAnswer: ZodOpenApiResponseObject = {
  id: 'OtherProblem',
  description: 'Any other problem, such as a 408 when the request took too long to arrive.',
  headers: answerHeadersOf(),
  content: { [problemMediaType]: { schema: problemSchema } },
};

const successes = new Map([
  [201, 'Created.'],
  [202, 'Accepted: it is done after this answer.'],
  [204, 'Done. There is no body.'],
]);

function isProblem(response: AppRouteResponse): boolean {
  return isAppRouteOtherResponse(response) && response.body === problemSchema;
}

function contentOf(response: AppRouteResponse, where: string) {
  if (isAppRouteNoBody(response)) return {};
  const { contentType, body } = isAppRouteOtherResponse(response)
    ? response
    : { contentType: 'application/json', body: response };
  return { content: { [contentType]: { schema: zodOf(body, where) } } };
}

/** Every answer that the contract has for a route, by status, and `default` for all others. */
export function answersOf({ name, route, notes }: FoundRoute): ZodOpenApiResponsesObject {
  const always: AnswerHeader[] = route.deprecated ? ['deprecation', 'sunset'] : [];
  const answers = Object.entries(route.responses).map(([key, response]) => {
    const status = Number(key);
    if (isProblem(response)) {
      const shared = always.length === 0 ? sharedProblemAnswers.get(status) : undefined;
      return [key, shared ?? problemAnswer(status, always)];
    }
    const answer: ZodOpenApiResponseObject = {
      description: successes.get(status) ?? 'Success.',
      headers: answerHeadersOf(status, [...notes.answerHeaders, ...always]),
      ...contentOf(response, `${name}: the body of its ${status}`),
    };
    return [key, answer];
  });
  return { ...Object.fromEntries(answers), default: otherProblemAnswer };
}
