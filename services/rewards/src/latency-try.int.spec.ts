import { createDatabase } from '@tributary/testkit/database';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { purchaseDecision, revisionOf } from './testing/records.ts';
import { openTopics, runRewards } from './testing/running-rewards.ts';

const stats = new Map<string, { n: number; ms: number }>();
const original = pg.Client.prototype.query as any;
(pg.Client.prototype as any).query = function (...args: any[]) {
  const t = performance.now();
  const key = String(args[0]?.name ?? args[0]?.text ?? args[0]).slice(0, 40);
  const r = original.apply(this, args);
  if (r?.then)
    r.then(
      () => {
        const s = stats.get(key) ?? { n: 0, ms: 0 };
        s.n++;
        s.ms += performance.now() - t;
        stats.set(key, s);
      },
      () => 0,
    );
  return r;
};
describe('latency try', () => {
  for (const [name, people, processes] of [
    ['hot', 1, 1],
    ['many', 500, 1],
  ] as const) {
    it(name, async () => {
      const database = await createDatabase();
      const topics = await openTopics((await getServers()).kafkaBrokers, uniquePrefix());
      await topics.publish(revisionOf());
      const running = [];
      for (let i = 0; i < processes; i++)
        running.push(await runRewards({ topics, url: database.url }));
      await delay(4000);
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const sent = new Map<string, number>();
      const cpu0 = process.cpuUsage();
      const t0 = performance.now();
      let n = 0;
      while (n < 3000) {
        const due = Math.floor((performance.now() - t0) / 5);
        while (n < due && n < 3000) {
          n++;
          const d = purchaseDecision(n, { referrerId: `r${n % people}` });
          sent.set(d.eventId, Date.now());
          void topics.decide(d);
        }
        await delay(2);
      }
      const cpu = process.cpuUsage(cpu0);
      await delay(3000);
      // kafka timestamps of issuances
      const { rows } = await client.query(
        `select e.event_id, i.issued_at from rewards_g1.entitlement e join issuance.issuance i using (reward_id)`,
      );
      const lat = rows
        .map((r) => Date.parse(r.issued_at) - sent.get(r.event_id)!)
        .sort((a, b) => a - b);
      const q = (p: number) => lat[Math.min(lat.length - 1, Math.floor(p * lat.length))];
      const left = await client.query(`select count(*) from issuance.issuance_outbox`);
      console.log(
        name,
        rows.length,
        'p50',
        q(0.5),
        'p90',
        q(0.9),
        'p99',
        q(0.99),
        'max',
        lat.at(-1),
        'outbox',
        left.rows,
        'cpu s',
        (cpu.user + cpu.system) / 1e6,
      );
      const f = await client
        .query(
          `select count(*) c, sum(n) from (select xmin, count(*) n from issuance.issuance group by xmin::text, xmin) x`,
        )
        .catch((e) => ({ rows: [String(e)] }));
      console.log(f.rows);
      console.table(
        [...stats]
          .map(([k, v]) => ({ k, n: v.n, avg: (v.ms / v.n).toFixed(2), total: v.ms.toFixed(0) }))
          .sort((a, b) => +b.total - +a.total)
          .slice(0, 30),
      );
      stats.clear();
      for (const r of running) await r.stop();
      await client.end();
      await topics.close();
      await database.drop();
    }).timeout(120000);
  }
});
