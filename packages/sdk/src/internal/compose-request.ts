import { headerNames } from '@tradepost/contract/wire';
import type { Call } from './call';
import { idempotencyKey } from './idempotency-key';
import { invalidConfiguration } from './invalid-configuration';
import type { OutgoingRequest } from './send-once';
import type { Settings } from './settings';

/**
 * Makes the request of a call: the same one for all its attempts.
 *
 * @throws {TradepostError} `invalid_configuration` when a header cannot be sent.
 */
export function composeRequest(
  { method, path, query, body, ifMatch, options = {} }: Call<unknown>,
  { apiKey, baseUrl, userAgent }: Settings,
): OutgoingRequest {
  const headers = new Headers();
  const set = (name: string, value: string) => {
    try {
      headers.set(name, value);
    } catch {
      throw invalidConfiguration(
        `The header ${JSON.stringify(name)} cannot be sent: its name or value holds a character that HTTP does not allow there.`,
      );
    }
  };
  set('Accept', 'application/json');
  set(headerNames.authorization, `Bearer ${apiKey}`);
  set('User-Agent', userAgent);
  if (body) set('Content-Type', 'application/json');
  if (ifMatch !== undefined) set(headerNames.ifMatch, ifMatch);
  // One key for all attempts: that is what makes it safe to repeat a POST.
  if (method === 'POST')
    set(headerNames.idempotencyKey, options.idempotencyKey ?? idempotencyKey());
  for (const [name, value] of Object.entries(options.headers ?? {})) set(name, value);

  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const search = String(parameters);
  return {
    url: `${baseUrl}${path}${search && `?${search}`}`,
    method,
    headers,
    body: body && JSON.stringify(body),
  };
}
