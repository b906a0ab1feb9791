import type { OutcomeKind } from '../../bulk/outcome';
import type { View } from '../../output/column';
import type { Look } from '../../output/style';
import type { ReplayOutcome } from '../../webhooks/replay-deliveries';
import { lookOfState } from './delivery-view';

const looks: Partial<Record<OutcomeKind, Look>> = {
  done: 'green',
  'would-change': 'cyan',
  failed: 'red',
  untried: 'yellow',
};

/** How what came of replays is shown. */
export const replayOutcomeView: View<ReplayOutcome> = {
  fields: ['id', 'outcome', 'state', 'code', 'message', 'requestId'],
  columns: [
    { title: 'ID', field: 'id', text: ({ id }) => id },
    {
      title: 'OUTCOME',
      field: 'outcome',
      text: ({ outcome }) => outcome,
      look: ({ outcome }) => looks[outcome] ?? null,
    },
    {
      title: 'STATE',
      field: 'state',
      text: ({ state }) => state ?? '-',
      look: ({ state }) => lookOfState(state),
    },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'shorten' },
  ],
};

/** The fields of what came of a replay, for help pages. */
export const replayOutcomeShape = `{ ${replayOutcomeView.fields.join(', ')} }`;
