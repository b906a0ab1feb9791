/**
 * Loads the functions that create metrics. Their library takes longer to load than the rest of the server, so call this only if
 * metrics are enabled.
 */
export async function loadMetrics() {
  const [api, engine, database] = await Promise.all([
    import('./api-metrics'),
    import('./engine-metrics'),
    import('./database-metrics'),
  ]);
  return { ...api, ...engine, ...database };
}
