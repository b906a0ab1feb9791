import type { LambdaEvent } from '../../../src/receiver/lambda-adapter';
import type { Sent } from './host';

type Shape = (sent: Sent) => LambdaEvent;

function inText({ body }: Sent) {
  return { body: body.length ? Buffer.from(body).toString() : null, isBase64Encoded: false };
}

function inBase64({ body }: Sent) {
  return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

function lowercase({ headers }: Sent): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(pairs);
}

function listed(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

/** The same request in each format that AWS passes to a function. */
export const lambdaEvents = {
  'API Gateway v1': (sent) => ({
    httpMethod: sent.method ?? 'POST',
    path: '/webhooks',
    headers: sent.headers,
    multiValueHeaders: listed(sent.headers),
    requestContext: { stage: 'prod' },
    ...inText(sent),
  }),
  'API Gateway v2': (sent) => ({
    version: '2.0',
    rawPath: '/webhooks',
    headers: lowercase(sent),
    requestContext: { http: { method: sent.method ?? 'POST', path: '/webhooks' } },
    ...inBase64(sent),
  }),
  'a load balancer': (sent) => ({
    httpMethod: sent.method ?? 'POST',
    path: '/webhooks',
    headers: lowercase(sent),
    requestContext: { elb: { targetGroupArn: 'arn:aws:example' } },
    ...inBase64(sent),
  }),
  'a load balancer with lists of headers': (sent) => ({
    httpMethod: sent.method ?? 'POST',
    path: '/webhooks',
    multiValueHeaders: listed(lowercase(sent)),
    requestContext: { elb: { targetGroupArn: 'arn:aws:example' } },
    ...inBase64(sent),
  }),
  'a function URL': (sent) => ({
    version: '2.0',
    rawPath: '/webhooks',
    headers: lowercase(sent),
    requestContext: { domainName: 'example', http: { method: sent.method ?? 'POST' } },
    ...inText(sent),
  }),
} satisfies Record<string, Shape>;

/** A format in which AWS passes a request. */
export type LambdaShape = keyof typeof lambdaEvents;
