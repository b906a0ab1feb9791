import { createRuleGroups } from '../data-rules';

/** What the server keeps true with each change, beyond what the schema enforces. */
export const ruleGroups = createRuleGroups({
  isNoJson: 'NOT json_valid(body)',
  attemptReference: { from: 'delivery_seq', to: 'seq' },
  isCounted: 'TRUE',
});
