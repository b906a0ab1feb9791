/** A framework, how a program shows that it runs in it, and how the raw body is had there. */
interface Framework {
  /** An environment variable that its hosts set. */
  variable?: string;
  /** A part of the paths of its modules, as a stack shows them. */
  path?: string;
  advice: string;
}

const expressAdvice =
  "In Express put express.raw({ type: 'application/json' }) on this route, before any express.json(), and pass request.body.";

const frameworks: Framework[] = [
  {
    variable: 'AWS_LAMBDA_FUNCTION_NAME',
    advice:
      "In AWS Lambda pass Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), or use webhookReceiver(…).lambda.",
  },
  {
    variable: 'FUNCTION_TARGET',
    advice: 'In Cloud Functions and Firebase pass request.rawBody, not request.body.',
  },
  {
    path: '/@nestjs/',
    advice:
      'In NestJS create the application with { rawBody: true } and pass request.rawBody of RawBodyRequest.',
  },
  {
    variable: 'NEXT_RUNTIME',
    path: '/next/dist/',
    advice:
      'In Next.js pass the Request of a route handler as payload; under pages/api export const config = { api: { bodyParser: false } } and read the stream.',
  },
  {
    path: '/fastify/',
    advice:
      "In Fastify register webhookReceiver(…).fastify, or a parser of your own: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)).",
  },
  {
    path: '/hono/',
    advice: 'In Hono pass context.req.raw as payload, before anything calls context.req.json().',
  },
  {
    path: '/koa',
    advice:
      'In Koa keep koa-bodyparser off this route and read context.req, or pass context.request.rawBody.',
  },
  { path: '/express/', advice: expressAdvice },
  // The router of Express 5.
  { path: '/router/', advice: expressAdvice },
];

const elsewhere =
  "Take the body before a parser does: in Express with express.raw({ type: 'application/json' }) on the route, from a Request by passing the Request itself.";

/**
 * Says how the raw body is had in the framework that is in use, as far as the stack and the
 * environment tell.
 */
export function rawBodyAdvice(stack = ''): string {
  const path = stack.replaceAll('\\', '/');
  const environment = typeof process === 'undefined' ? {} : (process.env ?? {});
  const found = frameworks.find(
    (one) =>
      (one.variable !== undefined && environment[one.variable] !== undefined) ||
      (one.path !== undefined && path.includes(`/node_modules${one.path}`)),
  );
  return found?.advice ?? elsewhere;
}
