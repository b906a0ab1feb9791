import { beforeAll } from 'vitest';
import { describeReceiver, testBodyLimit, testParsedBody } from './describe-receiver';
import { type Application, startProject } from './start-application';

/** A receiver before and after parsers. */
const main = `
import { createMemoryDedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';
import express from 'express';

const receiver = webhookReceiver({
  secret: process.env.TRADEPOST_WEBHOOK_SECRET,
  requireTimestamp: true,
  dedupe: createMemoryDedupeStore(),
  onUnhandled: ({ event, data }) => console.log(event, JSON.stringify(data)),
});
const verify = (request, response, bytes) => {
  request.rawBody = bytes;
};

const app = express();
app.post('/webhooks', receiver.node);
app.post('/kept', express.json({ verify }), receiver.node);
app.post('/raised', express.json({ verify, limit: '1mb' }), receiver.node);
app.post('/parsed', express.json(), receiver.node);

const port = Number(process.env.PORT);
app.listen(port, () => console.log(\`listening on port \${port}\`));
`;

let application: Application;

beforeAll(() =>
  startProject(
    { name: 'express', dependencies: { express: '5.3.0' }, files: { 'main.js': main } },
    async (_, start) => {
      application = await start({ args: ['main.js'], ready: /listening on port/ });
    },
  ),
);

describeReceiver('a receiver in Express', () => ({ application, path: '/webhooks' }));

testBodyLimit('a parser of Express', 100 * 1_024, () => ({ application, path: '/kept' }));

testBodyLimit('a parser of Express with a limit', 1_024 * 1_024, () => ({
  application,
  path: '/raised',
}));

testParsedBody('a receiver in Express', 'before', () => ({ application, path: '/parsed' }));
