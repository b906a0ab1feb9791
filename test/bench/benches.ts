import { api } from './api';
import { backlog } from './backlog';
import type { BenchContext } from './bench-context';
import { calls } from './calls';
import { changes } from './changes';
import { claims } from './claims';
import { openConsole } from './console';
import { delivered } from './delivered';
import { enqueue } from './enqueue';
import { failover } from './failover';
import type { Figure } from './figure';
import { firstCall } from './first-call';
import { heap } from './heap';
import { hotListing } from './hot-listing';
import { isolation } from './isolation';
import { jobQueues } from './job-queues';
import { neighbours } from './neighbours';
import { onPostgres } from './on-postgres';
import { overload } from './overload';
import { overviews } from './overviews';
import { pages } from './pages';
import { pruning } from './pruning';
import { receipt } from './receipt';
import { recording } from './recording';
import { requests } from './requests';
import { restart } from './restart';
import { start } from './start';
import { streaming } from './streaming';
import { sustained } from './sustained';
import { verify } from './verify';
import { workers } from './workers';

/** Measures something and returns its figures. */
export type Bench = (context: BenchContext) => Promise<Figure[]>;

/** All benches by name, in the order in which they run. */
export const benches: Record<string, Bench> = {
  sustained,
  delivered,
  onPostgres,
  jobQueues,
  workers,
  receipt,
  isolation,
  api,
  hotListing,
  requests,
  pages,
  overviews,
  console: openConsole,
  overload,
  neighbours,
  heap,
  enqueue,
  pruning,
  backlog,
  claims,
  recording,
  verify,
  calls,
  firstCall,
  start,
  restart,
  failover,
  changes,
  streaming,
};
