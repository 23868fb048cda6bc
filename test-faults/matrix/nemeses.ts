import { cutBroker, killBrokers, tooFewBrokers } from './nemeses/brokers.ts';
import { cutLog } from './nemeses/cut-log.ts';
import { days, fewMinutes, minutes, wrongClock } from './nemeses/clocks.ts';
import { failingPostgresDisk, slowPostgresDisk } from './nemeses/fsync.ts';
import { olderPostgres, postgresFailover } from './nemeses/failover.ts';
import { fullKafkaDisk, fullPostgresDisk } from './nemeses/full-disks.ts';
import { rebalanceStorm, sleepingDispatcher, sleepingFold } from './nemeses/groups.ts';
import { legacyEvents, operators, stripeEvents, widgetBoots } from './nemeses/load.ts';
import { otherLinks, postgresLinks } from './nemeses/links.ts';
import { addsPartitions, poisonLog } from './nemeses/log.ts';
import { newerRecord } from './nemeses/newer-record.ts';
import type { Nemesis } from './nemeses/nemesis.ts';
import { endsAllSessions, endsAtCommit, endsInTransaction } from './nemeses/postgres.ts';
import { killDispatcher, killService, rollingRestart } from './nemeses/processes.ts';
import { bigRecord } from './nemeses/record-sizes.ts';
import { receivers } from './nemeses/receivers.ts';
import { killedSwap, killReplay } from './nemeses/replays.ts';
import { evictingRedis, flushRedis, olderRedis } from './nemeses/redis.ts';
import { hangServer, killServer } from './nemeses/servers.ts';
import { steps } from './nemeses/steps.ts';

/** The faults, in the order in which they are run. */
export const nemeses: readonly Nemesis[] = [
  killServer('kafka', 2_000, { sources: ['widget', 'stripe'] }),
  killService('ingest-api'),
  killService('attribution'),
  killService('rewards'),
  killServer('redis', 1_000),
  flushRedis,
  killServer('postgres', 1_000),
  poisonLog,
  addsPartitions,
  ...receivers,
  sleepingFold('attribution'),
  sleepingFold('rewards'),
  sleepingDispatcher,
  killDispatcher,
  killService('portal', operators),
  killService('legacy-events', legacyEvents),
  rebalanceStorm,
  rollingRestart,
  endsInTransaction,
  endsAtCommit,
  endsAllSessions,
  olderRedis,
  evictingRedis,
  hangServer('kafka'),
  hangServer('redis'),
  hangServer('postgres'),
  ...postgresLinks,
  killReplay,
  killBrokers,
  cutBroker,
  tooFewBrokers,
  wrongClock('ingest-api', minutes),
  wrongClock('attribution', days),
  wrongClock('rewards', days),
  wrongClock('webhook-dispatcher', days),
  postgresFailover,
  ...steps,
  fullKafkaDisk,
  fullPostgresDisk,
  slowPostgresDisk,
  failingPostgresDisk,
  bigRecord,
  killService('widget', widgetBoots, { sources: ['widget'] }),
  killService('processor-events', stripeEvents, { sources: ['stripe'] }),
  ...otherLinks,
  olderPostgres,
  killedSwap,
  cutLog,
  newerRecord(),
  wrongClock('portal', days, { load: operators }),
  wrongClock('legacy-events', minutes, { load: legacyEvents }),
  wrongClock('widget', fewMinutes, { load: widgetBoots, sources: ['widget'] }),
];
