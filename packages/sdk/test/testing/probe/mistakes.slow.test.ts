import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exampleSecret } from '../../../src/testing/index';
import { temporaryStatuses } from '../../../src/testing/temporary-statuses';
import { createMemoryDedupeStore, webhookReceiver } from '../../../src/webhooks/index';
import { getServerPort } from '../../helpers/receiver/host';
import { bridge } from '../../helpers/receiver/listening';
import { harmless, newMemory, probe, probeAt } from './probe';
import { byServiceSignature, byWebhookSignature, type Handle, mistakes, serve } from './receivers';

describe('probeReceiver and mistakes', () => {
  it.each(mistakes)('names the cause if a receiver %s', async (_, cause, handle, setting) => {
    const { counts, ...options } = setting;
    const memory = newMemory();
    const report = await probe(serve(handle, memory), {
      ...options,
      ...(counts && { handled: () => memory.handled }),
    });
    const isNote = cause === 'refuses unknown types' || cause === 'body limit';
    const named = report.causes.filter(
      ({ name, verdict }) => verdict === 'fail' || !harmless.includes(name),
    );
    expect(named.map(({ name }) => name)).toEqual([cause]);
    expect(report.verdict).toBe(isNote ? 'pass' : 'fail');
    const failed = report.cases.filter(({ verdict }) => verdict === 'fail');
    expect(failed.filter((one) => one.cause !== cause)).toEqual([]);
  });
});

/** A receiver of the SDK, whose effects are counted. */
function receiverOfSdk() {
  const memory = newMemory();
  const receiver = webhookReceiver({
    ...{ secret: exampleSecret, requireTimestamp: true, test: 'deliver' },
    dedupe: createMemoryDedupeStore(),
    onUnhandled: () => {
      memory.handled += 1;
    },
    onVerificationError: () => undefined,
  });
  return { receiver, memory, options: { handled: () => memory.handled } };
}

describe('probeReceiver and sound receivers', () => {
  const standardWebhooks = { declare: { standardWebhooks: true } };

  it('passes webhookReceiver in node:http, and finds one effect of each delivery', async () => {
    const { receiver, memory, options } = receiverOfSdk();
    const report = await probe(receiver.node, { ...options, ...standardWebhooks });
    expect(report.causes.filter(({ name }) => !harmless.includes(name))).toEqual([]);
    expect(report.verdict).toBe('pass');
    expect(memory.handled).toBeGreaterThan(20);
  });

  it('passes webhookReceiver in Express', async () => {
    const { receiver, options } = receiverOfSdk();
    const app = express().post('/webhooks', receiver.node);
    expect(await probe(app, { ...options, ...standardWebhooks })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('passes webhookReceiver in Fastify', async () => {
    const { receiver, options } = receiverOfSdk();
    const app = fastify();
    onTestFinished(() => app.close());
    await app.register(receiver.fastify, { url: '/webhooks' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${getServerPort(app.server)}`;
    expect(await probeAt(url, { ...options, ...standardWebhooks })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('passes webhookReceiver in Hono', async () => {
    const { receiver, options } = receiverOfSdk();
    const app = new Hono().post('/webhooks', (context) => receiver.fetch(context.req.raw));
    const served = bridge(async (request) => app.fetch(request));
    expect(await probe(served, { ...options, ...standardWebhooks })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('passes a receiver that accepts Service-Signature alone, and notes that it accepts replays', async () => {
    const declare = { signatureHeaderAlone: true, webhookId: 'whk_1' };
    const memory = newMemory();
    const report = await probe(serve(byServiceSignature, memory), { declare });
    expect(report).toMatchObject({ verdict: 'pass', counts: { fail: 0 } });
    expect(report.causes.map(({ name }) => name)).toContain('replays');
  });

  it('passes a receiver that verifies webhook-signature only', async () => {
    const report = await probe(serve(byWebhookSignature, newMemory()), standardWebhooks);
    expect(report).toMatchObject({ verdict: 'pass', counts: { fail: 0, notRun: 2 } });
  });

  it.each(temporaryStatuses)('notes a %s to one of two simultaneous copies', async (status) => {
    const seen = new Set<unknown>();
    let copies = 0;
    const handle: Handle = (received, memory) => {
      const id = received.headers['webhook-id'];
      copies += Number(seen.has(id));
      // The first two copies are those of the cases before.
      const isBusy = seen.has(id) && copies === 3;
      seen.add(id);
      return isBusy ? Number(status) : byServiceSignature(received, memory);
    };
    const report = await probe(serve(handle, newMemory()));
    expect(report.cases.find(({ name }) => name === 'simultaneous copies')).toMatchObject({
      ...{ verdict: 'note', cause: 'busy' },
    });
    expect(report.verdict).toBe('pass');
  });

  it('passes both phases of a rotation of a receiver that has both secrets', async () => {
    const nextSecret = 'whsec_bmV4dA==';
    const receiver = webhookReceiver({
      secrets: [exampleSecret, nextSecret],
      onUnhandled: () => undefined,
      onVerificationError: () => undefined,
    });
    const report = await probe(receiver.node, { nextSecret });
    expect(report.cases.find(({ name }) => name === 'next secret')).toMatchObject({
      verdict: 'pass',
      status: 200,
    });
    expect(report.verdict).toBe('pass');
  });
});
