import { parties } from '../../profile/profile';
import { objectIn } from '../../service/call';
import { family } from './trial';

export const account = family({
  isOffered: ({ names }) => names.has('account'),
  shownBy: 'account in Tradepost-Extensions',
  checks: [
    {
      id: 'ACC-1',
      title: 'Returns the kind of the account of a key',
      method:
        'Sends GET /v1/account with each key. Fails if kind is not buyer, seller or agent, as in the profile.',
      async judge(trial) {
        for (const party of parties) {
          const { kind } = await trial.object(party, 'GET /v1/account');
          trial.expect(kind === party, `With the key of the ${party}, kind is ${kind}.`);
        }
      },
    },
    {
      id: 'ACC-2',
      title: 'Returns the ID that orders have of the account',
      method:
        'Compares it with the profile, or with the parties of an order. Fails if they differ.',
      async judge(trial) {
        const order = objectIn((await trial.order()).created) ?? {};
        for (const party of parties) {
          const expected = trial.run.profile.accounts[party] ?? order[`${party}Id`];
          if (party === 'agent' && typeof expected !== 'string') continue;
          const { id } = await trial.object(party, 'GET /v1/account');
          trial.expect(id === expected, `The ${party} is ${expected}; the response has ${id}.`);
        }
      },
    },
  ],
});
