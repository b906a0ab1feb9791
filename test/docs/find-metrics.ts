import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression selects, with the labels of its matchers. */
export interface UsedMetric {
  name: string;
  labels: string[];
}

/** The names and labels in a PromQL expression. */
export interface UsedMetrics {
  metrics: UsedMetric[];
  /** The labels of `by (…)`, `on (…)` and the like. */
  grouping: string[];
}

/** Grafana replaces its variables before Prometheus reads a range. Those in texts, such as label values, are valid as they are. */
const withRanges = (expression: string) => expression.replaceAll(/\[\$\w+\]/g, '[5m]');

/**
 * Finds the metrics of a PromQL expression.
 *
 * @throws Error if Prometheus could not parse it.
 */
export function findMetrics(expression: string): UsedMetrics {
  const text = withRanges(expression);
  const metrics: UsedMetric[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      if (type.isError) throw new Error(`Not valid at ${from}: ${text}`);
      const value = text.slice(from, to);
      const parent = node.parent?.name;
      if (name === 'Identifier' && parent === 'VectorSelector')
        metrics.push({ name: value, labels: [] });
      if (name !== 'LabelName') return;
      if (parent === 'GroupingLabels') grouping.push(value);
      else metrics.at(-1)?.labels.push(value);
    },
  });
  return { metrics, grouping };
}
