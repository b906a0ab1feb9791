import type { Call } from '../../service/call';
import { family } from './family';
import { besideData, headerIn, NotOffered, type Trial } from './trial';

const isProblem = (call: Call) =>
  /^application\/problem\+json\s*(;|$)/i.test(headerIn(call, 'content-type') ?? '');

/** An ID of the same form that no order has. */
const inventSimilarId = (id: string): string =>
  id.replace(/.{4}$/, (end) => (end === '0000' ? '1111' : '0000'));

/** Requires that no error response has a fault. */
function expectEach(
  trial: Trial,
  errors: Record<string, Call>,
  findFault: (call: Call) => string | null,
): void {
  for (const [name, call] of Object.entries(errors)) {
    const fault = findFault(call);
    if (fault !== null) trial.calls.push(call);
    trial.expect(fault === null, `The error of ${name} ${fault}.`);
  }
}

export const problems = family('PRB', {
  shownBy: { text: 'application/problem+json as the type of an error', isIn: () => true },

  /** Six error responses, by what was requested. */
  async prepare(trial) {
    const { id } = await trial.order();
    const change = (caller: 'buyer' | 'seller', status: string) =>
      trial.send(caller, `PATCH /v1/orders/${id}`, { body: { status } });
    const errors = {
      'a request without a key': await trial.send('nobody', 'GET /v1/orders'),
      'an absent order': await trial.send('buyer', `GET /v1/orders/${inventSimilarId(id)}`),
      'a hidden order': await trial.send('stranger', `GET /v1/orders/${id}`),
      'a change by a buyer': await change('buyer', 'fulfilling'),
      'an empty body': await trial.send('buyer', 'POST /v1/orders', { body: {} }),
      'an unknown status': await change('seller', 'shipped'),
    };
    const isDeclared = trial.offer.names.has('problems');
    if (!isDeclared && !Object.values(errors).some(isProblem)) {
      throw new NotOffered('No error is application/problem+json.');
    }
    return { id, errors };
  },

  judges: {
    async 'PRB-1'(trial, { errors }) {
      expectEach(trial, errors, (call) => {
        if (!isProblem(call)) return `has the type ${headerIn(call, 'content-type')}`;
        const isText = (name: string) => typeof besideData(call, name) === 'string';
        const missing = ['type', 'title', 'code'].find((name) => !isText(name));
        if (missing !== undefined) return `has no ${missing}`;
        const status = besideData(call, 'status');
        const actual = call.response?.status;
        return status === actual ? null : `is HTTP ${actual} and has the status ${status}`;
      });
    },
    async 'PRB-2'(trial, { id, errors }) {
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
    async 'PRB-3'(trial, { errors }) {
      expectEach(trial, errors, (call) => {
        const text = JSON.stringify(call.json) ?? call.response?.body.toString() ?? '';
        if (/(\\n|\n)\s+at \S|node_modules|Traceback \(most/.test(text)) return 'has a stack';
        const keys = Object.values(trial.run.profile.keys);
        return keys.some((key) => key && text.includes(key)) ? 'has an API key' : null;
      });
    },
  },
});
