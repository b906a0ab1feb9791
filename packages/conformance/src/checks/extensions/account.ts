import { parties } from '../../profile/profile';
import { objectIn } from '../../service/call';
import { family } from './family';

export const account = family('ACC', {
  shownBy: 'account',
  judges: {
    async 'ACC-1'(trial) {
      for (const party of parties) {
        const { kind } = await trial.object(party, 'GET /v1/account');
        trial.expect(kind === party, `With the key of the ${party}, kind is ${kind}.`);
      }
    },
    async 'ACC-2'(trial) {
      const order = objectIn((await trial.order()).created) ?? {};
      for (const party of parties) {
        const expected = trial.run.profile.accounts[party] ?? order[`${party}Id`];
        if (party === 'agent' && typeof expected !== 'string') continue;
        const { id } = await trial.object(party, 'GET /v1/account');
        const isDeclared = trial.run.profile.accounts[party] !== undefined;
        // The listing may have another agent than the one of the profile.
        if (party === 'agent' && !isDeclared && id !== expected) continue;
        trial.expect(id === expected, `The ${party} is ${expected}; the response has ${id}.`);
      }
    },
  },
});
