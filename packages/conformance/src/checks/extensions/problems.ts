import type { Call } from '../../service/call';
import { besideData, family, headerIn, NotOffered, type Trial } from './trial';

const isProblem = (call: Call) =>
  /^application\/problem\+json\s*(;|$)/i.test(headerIn(call, 'content-type') ?? '');

/** Judges each error response. */
function expectEach(
  trial: Trial,
  errors: Record<string, Call>,
  judge: (call: Call) => string | null,
): void {
  for (const [name, call] of Object.entries(errors)) {
    const found = judge(call);
    if (found !== null) trial.calls.push(call);
    trial.expect(found === null, `The error of ${name} ${found}.`);
  }
}

export const problems = family({
  isOffered: () => true,
  shownBy: 'application/problem+json as the type of an error',
  async prepare(trial) {
    const { id } = await trial.order();
    const status = { status: 'fulfilling' };
    const errors = {
      'a request without a key': await trial.send('nobody', 'GET /v1/orders'),
      'an absent order': await trial.send('buyer', `GET /v1/orders/${inventSimilarId(id)}`),
      'a hidden order': await trial.send('stranger', `GET /v1/orders/${id}`),
      'a change by a buyer': await trial.send('buyer', `PATCH /v1/orders/${id}`, { body: status }),
      'an empty body': await trial.send('buyer', 'POST /v1/orders', { body: {} }),
      'an unknown status': await trial.send('seller', `PATCH /v1/orders/${id}`, {
        body: { status: 'shipped' },
      }),
    };
    const isDeclared = trial.offer.names.has('problems');
    if (!isDeclared && !Object.values(errors).some(isProblem)) {
      throw new NotOffered('No error is application/problem+json.');
    }
    return { id, errors };
  },
  checks: [
    {
      id: 'PRB-1',
      title: 'Sends every error as a problem with type, title, code and the HTTP status',
      method:
        'Provokes six errors. Fails if one is not application/problem+json, lacks a member, or has another status.',
      judge: async (trial, { errors }) =>
        expectEach(trial, errors, (call) => {
          if (!isProblem(call)) return `has the type ${headerIn(call, 'content-type')}`;
          const isText = (name: string) => typeof besideData(call, name) === 'string';
          const missing = ['type', 'title', 'code'].find((name) => !isText(name));
          if (missing !== undefined) return `has no ${missing}`;
          const status = besideData(call, 'status');
          const actual = call.response?.status;
          return status === actual ? null : `is HTTP ${actual} and has the status ${status}`;
        }),
    },
    {
      id: 'PRB-2',
      hides: true,
      title: 'Returns the same problem for a hidden order as for an absent one',
      method: 'Compares status, code, title and detail, without the ID. Fails if they differ.',
      async judge(trial, { id, errors }) {
        const [hidden, absent] = [errors['a hidden order'], errors['an absent order']];
        trial.calls.push(hidden, absent);
        for (const name of ['status', 'code', 'title', 'detail']) {
          const texts = [
            String(besideData(hidden, name)).replaceAll(id, 'ID'),
            String(besideData(absent, name)).replaceAll(inventSimilarId(id), 'ID'),
          ];
          trial.expect(texts[0] === texts[1], `${name} is "${texts[0]}" and "${texts[1]}".`);
        }
      },
    },
    {
      id: 'PRB-3',
      title: 'Shows no stack and no key in a problem',
      method: 'Searches the same errors for lines of a stack and for the keys of the profile.',
      judge: async (trial, { errors }) =>
        expectEach(trial, errors, (call) => {
          const text = JSON.stringify(call.json) ?? call.response?.body.toString() ?? '';
          if (/(\\n|\n)\s+at \S|node_modules|Traceback \(most/.test(text)) return 'has a stack';
          const keys = Object.values(trial.run.profile.keys);
          return keys.some((key) => key && text.includes(key)) ? 'has an API key' : null;
        }),
    },
  ],
});

/** An ID of the same form that no order has. */
const inventSimilarId = (id: string): string =>
  id.replace(/.{4}$/, (end) => (end === '0000' ? '1111' : '0000'));
