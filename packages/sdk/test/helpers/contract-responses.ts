import { contract } from '@tradepost/contract';
import { type AppRoute, type AppRouter, isAppRoute, isAppRouteNoBody } from '@ts-rest/core';
import * as z from 'zod';

/** A successful response of one route, as the contract defines it. */
export interface ContractResponse {
  /** Method and path, such as `GET /v1/orders/:id`. */
  name: string;
  method: string;
  /** The path with its parameters, such as `/v1/orders/:id`. */
  route: string;
  status: number;
  /** Schema of the body; null if the response has no body. */
  schema: z.ZodType | null;
}

function listRoutes(router: AppRouter): AppRoute[] {
  return Object.values(router).flatMap((entry) =>
    isAppRoute(entry) ? [entry] : listRoutes(entry),
  );
}

function getSchema(response: AppRoute['responses'][number]): z.ZodType | null {
  if (response instanceof z.ZodType) return response;
  if (response !== undefined && isAppRouteNoBody(response)) return null;
  throw new TypeError('A response of the contract is not a zod schema.');
}

/** Every successful response of every route of the contract. */
export const contractResponses: ContractResponse[] = listRoutes(contract).flatMap((found) => {
  const { method, path, responses } = found;
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return successes.map(([status, response]) => ({
    name: `${method} ${path}`,
    method,
    route: path,
    status: Number(status),
    schema: getSchema(response),
  }));
});
