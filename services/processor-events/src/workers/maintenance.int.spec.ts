import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { readEventTimes } from '../db/event-times.ts';
import { connectionTestKind } from '../domain/kinds.ts';
import { usualGapMs } from '../domain/silence.ts';
import {
  createProcessorDatabase,
  type ProcessorDatabase,
  silentLogger,
} from '../testing/database.ts';
import { connection } from '../testing/fetch-world.ts';
import { connectionId, received } from '../testing/records.ts';
import { createMaintenance } from './maintenance.ts';

describe('maintenance', () => {
  let database: ProcessorDatabase;
  let maintenance: ReturnType<typeof createMaintenance> | undefined;

  beforeEach(async () => {
    database = await createProcessorDatabase();
  });
  afterEach(async () => {
    await maintenance?.stop();
    await database.drop();
  });

  function start(connections: (typeof connection)[], removed: string[] = []): void {
    maintenance = createMaintenance({
      pool: database.pool,
      logger: silentLogger,
      connections: () => connections,
      removeEndpoint: (_connection, id) => {
        removed.push(id);
        // The first time Stripe does not answer.
        if (removed.length === 1) return Promise.resolve({ outcome: 'later', detail: 'timeout' });
        return Promise.resolve({ outcome: 'removed' });
      },
      settings: { connectionsEveryMs: 20, endpointsEveryMs: 20, silenceEveryMs: 20 },
    });
    maintenance.start();
  }

  it('takes connections up as the catalog changes, and never an older version', async () => {
    const known = [connection];
    start(known);
    const stored = async () =>
      (await database.pool.query<object>('select version, active, rest_until from connection'))
        .rows;
    await eventually(async () =>
      expect(await stored()).to.deep.equal([{ version: 1, active: true, rest_until: null }]),
    );
    await database.pool.query(`update connection set rest_until = 'infinity', failures = 3`);
    known[0] = { ...connection, version: 2, status: 'disconnected' };
    await eventually(async () =>
      expect(await stored()).to.deep.equal([{ version: 2, active: false, rest_until: null }]),
    );
  });

  it('removes an endpoint that was rotated away when its time is over, once', async () => {
    const removed: string[] = [];
    const previous = { id: 'we_0', sealedSecret: 'v1.old' };
    const over = { ...connection, previous: { ...previous, until: '2026-03-01T00:00:00.000Z' } };
    const later = {
      ...connection,
      connectionId: 'con00000000000002',
      previous: { id: 'we_9', sealedSecret: 'v1.old', until: '2999-01-01T00:00:00.000Z' },
    };
    start([over, later], removed);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        'select removed_endpoint_id from connection order by connection_id',
      );
      expect(rows).to.deep.equal([{ removed_endpoint_id: 'we_0' }, { removed_endpoint_id: null }]);
    });
    const times = removed.length;
    await maintenance!.stop();
    start([over, later], removed);
    await eventually(() => expect(maintenance!.silent()).to.equal(0));
    expect(removed.slice(0, times)).to.deep.equal(Array(times).fill('we_0'));
  });

  it('reports a connection that is silent for longer than usual', async () => {
    const hourMs = 3_600_000;
    const times = Array.from({ length: 12 }, (_, n) => Date.now() - (20 - n) * hourMs);
    await tell(times);
    start([connection]);
    await eventually(() => expect(maintenance!.silent()).to.equal(1));
    await tell([Date.now() - 1_000], 'evt_now');
    await eventually(() => expect(maintenance!.silent()).to.equal(0));
  });

  it('takes a test event of our own for no event of Stripe', async () => {
    const ours = received('evt_ours', undefined, {
      ignored: 'connection-test',
      kind: connectionTestKind,
      receivedAt: new Date().toISOString(),
    });
    await database.apply(ours);
    expect(await readEventTimes(database.pool, [connectionId])).to.deep.equal(new Map());
    const lastMs = Date.now() - 3_600_000;
    await tell([lastMs]);
    const [times] = (await readEventTimes(database.pool, [connectionId])).values();
    expect(Math.round(times?.lastEventMs ?? 0)).to.equal(lastMs);
  });

  it('knows the usual gap as the domain does', async () => {
    const dayMs = 86_400_000;
    for (const count of [9, 10, 40]) {
      const times = Array.from(
        { length: count },
        (_, n) => Date.now() - 3 * dayMs * ((n * 7) % 11) - n * 1_000,
      );
      await database.pool.query('truncate seen');
      await tell(times);
      const known = (await readEventTimes(database.pool, [connectionId])).get(connectionId)!;
      expect(Math.round(known.lastEventMs!)).to.equal(Math.max(...times));
      const usual = usualGapMs(times, Date.now());
      expect(known.usualGapMs === null ? null : Math.round(known.usualGapMs)).to.equal(usual);
    }
  });

  async function tell(times: readonly number[], name = 'evt'): Promise<void> {
    await database.apply(
      ...times.map((ms, n) =>
        received(`${name}_${n}`, undefined, {
          ignored: 'kind-not-used',
          receivedAt: new Date(ms).toISOString(),
        }),
      ),
    );
  }
});
