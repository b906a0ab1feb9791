import { contract } from '@tradepost/contract';
import { type AppRoute, type AppRouter, isAppRoute, isAppRouteNoBody } from '@ts-rest/core';
import * as z from 'zod';

/** What the contract says that one route may succeed with. */
export interface ContractAnswer {
  /** Method and path, as people name a route. */
  name: string;
  method: string;
  /** The path with its parameters, such as `/v1/orders/:id`. */
  route: string;
  status: number;
  /** Schema of the body; null where there is none. */
  schema: z.ZodType | null;
}

function routesOf(router: AppRouter): AppRoute[] {
  return Object.values(router).flatMap((entry) => (isAppRoute(entry) ? [entry] : routesOf(entry)));
}

function schemaOf(answer: AppRoute['responses'][number]): z.ZodType | null {
  if (answer instanceof z.ZodType) return answer;
  if (answer !== undefined && isAppRouteNoBody(answer)) return null;
  throw new TypeError('an answer of the contract that is no zod schema');
}

/** Every successful response of every route of the contract. */
export const contractAnswers: ContractAnswer[] = routesOf(contract).flatMap((found) => {
  const { method, path, responses } = found;
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return successes.map(([status, answer]) => ({
    name: `${method} ${path}`,
    method,
    route: path,
    status: Number(status),
    schema: schemaOf(answer),
  }));
});
