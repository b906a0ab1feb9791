import type { Judgement } from '../checks/check';
import { isTimestamp } from '../checks/timestamp';
import { keyVariable, listSecrets } from '../profile/profile';
import type { Delivery } from '../receiver/receiver';
import type { Body, Evidence, Exchange } from '../report/report';
import { type Call, isAccepted, isObject, objectIn, operations, outcome } from '../service/call';
import { eventData, eventKinds, type Facts, isAbout, kindOf, type Webhook } from './facts';
import { createRedactor, type Redactor } from './redact';

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Shows what a judgement rests on, without keys and secrets. */
export type Explain = (judgement: Judgement) => Evidence;

export function createRedactorFor({ profile, webhooks }: Facts): Redactor {
  return createRedactor([
    ...listSecrets(profile),
    ...webhooks.flatMap((webhook): [string, string][] => {
      const variable = `$SECRET_${webhook.name.replaceAll('-', '_').toUpperCase()}`;
      const values = webhook.secret === null ? listUnknown(webhook) : [webhook.secret];
      return values.map((value) => [value, variable]);
    }),
  ]);
}

/** The texts of a registration that may be its secret, which has not been found. */
function listUnknown({ call, id, url }: Webhook): string[] {
  const known = (text: string) =>
    [id, url, ...eventKinds].includes(text) || text.startsWith('usr_') || isTimestamp(text);
  const list = (json: unknown): string[] => {
    if (typeof json === 'string') return json.length < 8 || known(json) ? [] : [json];
    return isObject(json) || Array.isArray(json) ? Object.values(json).flatMap(list) : [];
  };
  return isAccepted(call) ? list(call.json) : [];
}

export function createExplain(facts: Facts, redactor: Redactor): Explain {
  return ({ reason, shown: { calls = [], deliveries = [], orderId } }) => {
    const requests = calls.filter((call) => call !== undefined);
    const arrived = deliveries.filter((delivery) => delivery !== undefined);
    const [request] = requests;
    const [delivery] = arrived;
    const title = request
      ? nameCall(request)
      : delivery
        ? `Delivery of ${kindOf(delivery)}`
        : reason;
    const exchanges = [
      ...requests.map((call) => showCall(call, redactor)),
      ...arrived.map((one) => showDelivery(one, redactor)),
    ];
    const timeline = orderId === undefined ? [] : listTimeline(facts, orderId, redactor);
    return { title: redactor.text(title), exchanges: exchanges.slice(0, 8), timeline };
  };
}

/** `POST /v1/orders (buyer)`; of an extension, with its whole path. */
const nameCall = ({ operation, method, url, caller }: Call) =>
  `${operation ? operations[operation] : `${method} ${new URL(url).pathname}`} (${caller})`;

function showBody(body: Buffer | null, redactor: Redactor): Body | null {
  if (body === null || body.length === 0) return null;
  const shown = redactor.bytes(body);
  let text: string | null = null;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(shown);
  } catch {
    // Not UTF-8: the bytes say what it is.
  }
  return { bytes: body.length, text, base64: shown.toString('base64') };
}

const showHeaders = (headers: readonly [string, string][], redactor: Redactor) =>
  headers.map(([name, content]): [string, string] => [name, redactor.text(content)]);

function showCall(call: Call, redactor: Redactor): Exchange {
  const { method, url, headers, body, sentAt, endedAt, response, error } = call;
  return {
    direction: 'to service',
    at: iso(sentAt),
    milliseconds: endedAt - sentAt,
    request: {
      ...{ method, url: redactor.text(url) },
      headers: showHeaders(headers, redactor),
      body: showBody(body, redactor),
    },
    response: response && {
      status: response.status,
      headers: showHeaders(response.headers, redactor),
      body: showBody(response.body, redactor),
    },
    error,
    curl: redactor.text(toCurl(call)),
  };
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A command that sends the request again. The key is in double quotes, so that the shell replaces its variable. */
function toCurl({ method, url, body, caller }: Call): string {
  const parts = ['curl', '-i', ...(method === 'GET' ? [] : ['-X', method]), quote(url)];
  if (caller === 'invented key') parts.push('-H', quote('Authorization: Bearer invented'));
  else if (caller !== 'nobody') parts.push('-H', `"Authorization: Bearer $${keyVariable(caller)}"`);
  if (body) parts.push('-H', quote('Content-Type: application/json'), '-d', quote(body.toString()));
  return parts.join(' ');
}

function showDelivery(delivery: Delivery, redactor: Redactor): Exchange {
  const { method, target, headers, body, at, behaviour, respondedAt } = delivery;
  const status = typeof behaviour === 'number' ? behaviour : null;
  return {
    direction: 'to receiver',
    at: iso(at),
    milliseconds: Math.max(0, (respondedAt ?? at) - at),
    request: {
      method,
      url: redactor.text(target),
      headers: showHeaders(headers, redactor),
      body: showBody(body, redactor),
    },
    response: status === null || respondedAt === null ? null : { status, headers: [], body: null },
    error:
      status === null
        ? `the receiver ${behaviour === 'close' ? 'closed the connection' : 'sent no response'}`
        : null,
    curl: null,
  };
}

/** What happened around an order, oldest first, at most sixty lines. */
function listTimeline(
  { calls, deliveries }: Facts,
  orderId: string,
  redactor: Redactor,
): Evidence['timeline'] {
  const requests = calls
    .filter((call) => call.url.includes(orderId) || objectIn(call)?.id === orderId)
    .map((call) => {
      const body = call.body ? ` ${call.body}` : '';
      return { time: call.sentAt, text: `${nameCall(call)}${body}: ${outcome(call)}` };
    });
  const arrivals = deliveries
    .filter((delivery) => isAbout(delivery, orderId))
    .map((delivery) => {
      const { previousStatus, status } = eventData(delivery);
      const move = previousStatus === undefined ? '' : ` ${previousStatus} → ${status}`;
      const place = `at "${delivery.hook ?? delivery.target}": ${delivery.behaviour}`;
      return { time: delivery.at, text: `${kindOf(delivery)}${move} arrived ${place}` };
    });
  return [...requests, ...arrivals]
    .sort((a, b) => a.time - b.time)
    .slice(0, 60)
    .map(({ time, text }) => ({ at: iso(time), text: redactor.text(text).slice(0, 300) }));
}
