/** Records to which trace the attempts of a delivery belong: `traceparent`, and `tracestate` after a space. */
export const traceContexts = `
ALTER TABLE deliveries ADD COLUMN trace_context TEXT;
`;
