import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints } from '../http/endpoints';
import { keyIdSchema, pathIdSchema } from '../http/field-schemas';
import { idempotencyKeySchema, noBodySchema, noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { maxSessionsPerKey, sessionLifetime, signInCodeLifetime } from './key';
import {
  apiKeyPageSchema,
  createdApiKeyResponseSchema,
  createKeySchema,
  createSessionSchema,
  listKeysSchema,
  sessionResponseSchema,
  signInCodeResponseSchema,
} from './key-schemas';

const c = initContract();

/** The endpoints of API keys, an extension. */
export const keyEndpoints = c.router({
  list: {
    ...endpoints.keys.list,
    summary: 'List the API keys of the account, newest first.',
    description:
      'Also those that are revoked or expired, and sessions. No response but that to its creation contains a key itself. A read-only key may call it too.',
    query: listKeysSchema,
    responses: { 200: apiKeyPageSchema, ...problemResponses() },
    metadata: { operationId: 'listKeys', extension: true, responseHeaders: [] } as RouteMetadata,
  },
  create: {
    ...endpoints.keys.create,
    query: noQuerySchema,
    summary: 'Create an API key. Only this response contains it.',
    description:
      'The key may do what the key of this request may do, or only read. It does not live longer than that key, but it is not revoked with it. Sessions cannot create keys.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createKeySchema,
    responses: { 201: createdApiKeyResponseSchema, ...problemResponses(409, 413, 415) },
    metadata: {
      operationId: 'createKey',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
      problems: ['session_not_allowed', 'key_limit_reached'],
    } as RouteMetadata,
  },
  revoke: {
    ...endpoints.keys.revoke,
    query: noQuerySchema,
    summary: 'Revoke an API key, immediately and permanently.',
    description:
      'The sessions of the key end with it. To sign out, revoke the key of the session. A read-only key may revoke only itself. Revoking a key again has no effect.',
    pathParams: z.object({ id: pathIdSchema(keyIdSchema) }),
    responses: { 204: c.noBody(), ...problemResponses(404) },
    metadata: {
      operationId: 'revokeKey',
      extension: true,
      keys: 'any',
      responseHeaders: [],
      problems: ['read_only_api_key', 'key_not_found'],
    } as RouteMetadata,
  },
});

/** The endpoint of sign-in codes, an extension. */
export const signInCodeEndpoints = c.router({
  create: {
    ...endpoints.signInCodes.create,
    query: noQuerySchema,
    summary: 'Create a code that signs a person in, once.',
    description: `Exchange it with \`POST /v1/sessions\` within ${signInCodeLifetime} seconds. In a link it belongs into the fragment, which browsers do not send. With a read-only key it signs in to read only. A key has at most five open codes: a further one replaces the oldest. Sessions cannot create codes.`,
    body: noBodySchema,
    responses: { 201: signInCodeResponseSchema, ...problemResponses(413, 415) },
    metadata: {
      operationId: 'createSignInCode',
      extension: true,
      keys: 'any',
      responseHeaders: [],
      problems: ['session_not_allowed'],
    } as RouteMetadata,
  },
});

/** The endpoint of sessions, an extension. */
export const sessionEndpoints = c.router({
  create: {
    ...endpoints.sessions.create,
    query: noQuerySchema,
    summary: 'Exchange a sign-in code for a session. Needs no API key.',
    description: `The session has the rights of the key that created the code. It ends after ${sessionLifetime / 3_600} hours, or when that key is revoked or expires. A key has at most ${maxSessionsPerKey} sessions: a further one ends the oldest. A code that is unknown, used or expired gets one and the same response. After ten of them in a minute, the address of the client has to wait.`,
    body: createSessionSchema,
    responses: { 201: sessionResponseSchema, ...problemResponses(413, 415) },
    metadata: {
      operationId: 'createSession',
      extension: true,
      keys: 'none',
      responseHeaders: [],
      problems: ['invalid_sign_in_code'],
    } as RouteMetadata,
  },
});
