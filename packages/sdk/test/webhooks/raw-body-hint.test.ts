import { afterEach, describe, expect, test, vi } from 'vitest';
import { rawBodyHint, receiverHint } from '../../src/webhooks/explain-failure';

/** A stack trace in which a module of a package calls the receiver. */
const calledBy = (module: string) => `Error
    at verifyWebhook (/srv/app/node_modules/@tradepost/sdk/dist/webhooks.js:1:1)
    at /srv/app/receiver.js:10:5
    at handle (/srv/app/node_modules/${module}:152:17)`;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the hint about the raw body', () => {
  test.each([
    ['express/lib/express.js', 'express.raw('],
    ['router/lib/layer.js', 'express.raw('],
    ['fastify/lib/handleRequest.js', 'webhookReceiver(…).fastify'],
    ['hono/dist/compose.js', 'context.req.raw'],
    ['koa/lib/application.js', 'context.request.rawBody'],
    ['@nestjs/core/router/router-execution-context.js', '{ rawBody: true }'],
    ['next/dist/server/api-utils/node/api-resolver.js', 'bodyParser: false'],
  ])('names the framework that called: %s', (module, advice) => {
    expect(rawBodyHint(calledBy(module))).toContain(advice);
    expect(rawBodyHint(calledBy(module).replaceAll('/', '\\'))).toContain(advice);
  });

  test.each([
    ['AWS_LAMBDA_FUNCTION_NAME', 'event.isBase64Encoded'],
    ['FUNCTION_TARGET', 'request.rawBody'],
    ['NEXT_RUNTIME', 'route handler'],
  ])('names the host that sets %s', (variable, advice) => {
    vi.stubEnv(variable, 'anything');
    expect(rawBodyHint('')).toContain(advice);
  });

  test('lists the most common ways when the framework is unknown', () => {
    const advice = rawBodyHint(calledBy('express-session/index.js'));
    expect(advice).toContain('express.raw(');
    expect(advice).toContain('Request itself');
  });
});

describe('the hint for a receiver', () => {
  test.each([
    ['express/lib/express.js', 'before app.use(express.json())'],
    ['router/lib/layer.js', 'before app.use(express.json())'],
    ['fastify/lib/handleRequest.js', 'register receiver.fastify'],
    ['hono/dist/compose.js', 'context.req.raw'],
    ['koa/lib/application.js', 'before koa-bodyparser'],
    ['@nestjs/core/router/router-execution-context.js', '{ rawBody: true }'],
    ['next/dist/server/api-utils/node/api-resolver.js', 'bodyParser: false'],
  ])('names what to change in the framework that called: %s', (module, advice) => {
    expect(receiverHint(calledBy(module), 'otherwise')).toContain(advice);
  });

  test('is that of the adapter when the framework is unknown', () => {
    expect(receiverHint(calledBy('express-session/index.js'), 'otherwise')).toBe('otherwise');
  });
});
