import { deliveriesTo, type Facts, idsOfOrders } from '../../run/facts';
import { type Call, isAccepted, isUnclear, listIn, operations, outcome } from '../../service/call';
import {
  expect,
  fail,
  inconclusive,
  type Judge,
  type Judgement,
  judgeProbes,
  notApplicable,
  pass,
  show,
} from '../check';

/** Whether a check could send its request to each of the seven endpoints. */
function countEndpoints({ probes }: Facts, check: string): Judgement[] {
  const sent = probes.filter((probe) => probe.check === check);
  const { size } = new Set(sent.map(({ call }) => call.operation));
  const isComplete = sent.length === 0 || size === Object.keys(operations).length;
  return isComplete ? [] : [inconclusive(`Only ${size} of seven endpoints could be judged.`)];
}

/** Judges what the endpoints reject, and that a webhook which must not exist gets nothing. */
const judgeKeys =
  (check: string): Judge =>
  (facts) => [
    ...judgeProbes(check, 'fail')(facts),
    ...countEndpoints(facts, check),
    ...deliveriesTo(facts, `refused-${check}`)
      .slice(0, 1)
      .map((delivery) => fail('The webhook of a rejected registration gets deliveries.', delivery)),
  ];

/** Why a change of an order does not show who may change a pending one. */
const notPending = (status: unknown) =>
  inconclusive(
    `The order is ${show(status)}, not pending: name in \`pending\` of the profile a command that makes it so.`,
  );

const operatorSees = inconclusive('The stranger of the profile is an operator.');

/** Judges that no list of the stranger has a record of the run's orders. */
const judgeStrangersLists =
  (operation: Call['operation'], field: string): Judge =>
  (facts) => {
    const ours = idsOfOrders(facts);
    const lists = facts.calls.filter(
      (call) => call.caller === 'stranger' && call.operation === operation,
    );
    return lists.slice(ours.size > 0 ? 0 : lists.length).map((call) => {
      const leaked = listIn(call).find((record) => ours.has(String(record[field])));
      const reason = `The stranger's list has ${leaked?.id}, of others. Or keys.stranger is a key of a party.`;
      return expect(!leaked, reason, call);
    });
  };

const unlessOperator =
  (judge: Judge): Judge =>
  (facts) =>
    facts.profile.stranger === 'operator' ? [operatorSees] : judge(facts);

/** Who may do what, and who sees what. */
export const judgeAccounts = {
  'AUTH-1': judgeKeys('AUTH-1'),
  'AUTH-2': judgeKeys('AUTH-2'),
  'AUTH-3': judgeProbes('AUTH-3', 'fail'),
  'AUTH-4': judgeProbes('AUTH-4', 'fail'),
  'AUTH-5': ({ changes }) =>
    changes
      .filter(({ order }) => order.name === 'main')
      .slice(0, 1)
      .map(({ before, call }) => {
        if (isUnclear(call)) return inconclusive(`The seller's change: ${outcome(call)}.`, call);
        if (before?.status !== 'pending') return notPending(before?.status);
        const reason = `The seller's change of a pending order: ${outcome(call)}. Is keys.seller that of the seller of the listing?`;
        return expect(isAccepted(call), reason, call);
      }),
  'AUTH-6': ({ changes, profile }) => {
    const own = changes.filter(({ caller }) => caller === 'agent');
    if (own.length === 0 && profile.listingWithAgent !== undefined) {
      return [inconclusive('The order of listingWithAgent has no agent.')];
    }
    return own.map(({ before, call }) => {
      if (isUnclear(call)) return inconclusive(`The agent's change: ${outcome(call)}.`, call);
      if (before?.status !== 'pending') return notPending(before?.status);
      if (isAccepted(call)) return pass;
      const declared = profile.accounts.agent;
      if (declared !== undefined && declared !== before?.agentId) {
        return notApplicable('The agent of the order is not that of the profile.');
      }
      return declared === undefined
        ? inconclusive('The order may have another agent: see accounts.agent.')
        : fail(`The agent's change of a pending order: ${outcome(call)}.`, call);
    });
  },
  'VIS-1': unlessOperator(judgeStrangersLists('listOrders', 'id')),
  'VIS-2': unlessOperator(judgeProbes('VIS-2', 'pass')),
  'VIS-3': unlessOperator(judgeStrangersLists('listNotifications', 'orderId')),
  'VIS-4': unlessOperator(judgeProbes('VIS-4', 'pass')),
  'VIS-5': (facts) =>
    judgeProbes(
      'VIS-5',
      'pass',
    )(facts).map((one) => (one.verdict === 'fail' ? { ...one, verdict: 'advice' } : one)),
} satisfies Record<string, Judge>;
