import { existsSync } from 'node:fs';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { traceTable } from '../testing/kinds.ts';
import {
  createReplayFleet,
  isAlive,
  type Replica,
  type ReplayFleet,
} from '../testing/replay-fleet.ts';
import type { Job } from '../db/job.ts';
import { insertJob } from '../db/job-rows.ts';

describe('jobs', () => {
  let fleet: ReplayFleet;
  let one: Replica;

  before(async () => {
    fleet = await createReplayFleet();
    one = await fleet.launch();
    await fleet.pool.query(traceTable);
  });
  after(() => fleet.end());

  it('runs a job to its end and tells what it did, its directory gone', async () => {
    const { jobId, ...asked } = await one.begin('steps');
    expect(asked).to.deep.include({ kind: 'verify', by: 'olga', params: { userId: 'steps' } });
    const job = await one.until(jobId, 'done');
    expect(job.result).to.deep.equal({ outcome: 'identical', attempt: 1 });
    expect(job.progress).to.include({ phase: 'counting', done: 30, total: 30, unit: 'steps' });
    expect(lines(job)).to.deep.equal(['asked for by olga', 'started', 'done']);
    expect(job.createdAt <= job.startedAt! && job.startedAt! <= job.endedAt!).to.equal(true);
    expect(existsSync(fleet.dirOf(job))).to.equal(false);
  });

  it('ends a job that throws with its sentence, cleaned up, and goes on with the next', async () => {
    const { jobId } = await one.begin('throws');
    const next = await one.begin('passes');
    const job = await one.until(jobId, 'failed');
    expect(job.error).to.equal('the log cannot be folded');
    expect(lines(job).slice(1)).to.deep.equal([
      ...['started', 'about to fail', 'failed: the log cannot be folded'],
    ]);
    expect(await traceOf(jobId)).to.deep.equal(['begin', 'cleaned']);
    const passed = await one.until(next.jobId, 'done');
    expect(passed.result).to.deep.equal({ attempt: 2 });
    expect(lines(passed)).to.include('interrupted: not now');
  });

  it('recovers a lost generation before it goes on with what waits for that', async () => {
    const { jobId } = await one.begin('steps');
    await eventually(async () => expect((await traceOf(jobId)).length).to.be.above(3));
    const recovery = '00000000-0000-7000-8000-000000000001';
    await insertJob(fleet.pool, {
      ...{ jobId: recovery, kind: 'rebuild', params: { recover: true }, by: 'replay' },
    });
    // This fleet knows no such job, so it has failed as soon as it is taken.
    const recovered = await one.until(recovery, 'failed');
    const job = await one.until(jobId, 'done');
    expect(lines(job).slice(2)).to.deep.equal([
      ...['interrupted: a lost generation is recovered first', 'taken up again, attempt 2', 'done'],
    ]);
    const second = job.history.find(({ line }) => line.includes('attempt 2'))!;
    expect(recovered.startedAt! <= second.at).to.equal(true);
    expect((await traceOf(jobId)).filter((what) => what === 'step 1')).to.have.length(1);
  });

  it('cleans up what was begun and waits behind another job when it is cancelled', async () => {
    const { jobId } = await one.begin('with a child');
    await tracedPid(jobId, /^child (\d+)/);
    const before = await one.job(jobId);
    await fleet.pool.query(`update job set status = 'queued' where job_id = $1`, [jobId]);
    const asked = await one.ask('POST', `jobs/${jobId}/cancel`, { by: 'ivan' });
    expect(asked.body).to.include({ status: 'queued', cancelAskedBy: 'ivan' });
    // Its process is told by nobody now: the service that runs it is.
    await one.kill('SIGKILL');
    one = await fleet.launch();
    const job = await one.until(jobId, 'cancelled');
    expect(job.attempts).to.equal(before.attempts + 1);
    expect((await traceOf(jobId)).at(-1)).to.equal('cleaned');
  });

  it('takes a job up again whose process died, five times', async () => {
    const twice = await one.begin('dies twice');
    expect((await one.until(twice.jobId, 'done')).result).to.deep.equal({ attempt: 3 });
    const always = await one.begin('always dies');
    const job = await one.until(always.jobId, 'failed', 60_000);
    expect(job).to.include({ attempts: 5, error: 'its process ended 5 times (SIGKILL)' });
    expect(await traceOf(always.jobId)).to.deep.equal([
      ...Array<string>(5).fill('begin'),
      'cleaned',
    ]);
  });

  it('cancels one that runs, with its children and its directory', async () => {
    const { jobId } = await one.begin('with a child');
    const child = await tracedPid(jobId, /^child (\d+)/);
    const [waiting, status] = [await one.begin('steps'), await one.job(jobId)];
    expect(status.status).to.equal('running');
    const asked = await one.ask('POST', `jobs/${jobId}/cancel`, { by: 'ivan' });
    expect([asked.status, asked.body.cancelAskedBy]).to.deep.equal([202, 'ivan']);
    const job = await one.until(jobId, 'cancelled');
    expect(lines(job).slice(-2)).to.deep.equal(['ivan asks to cancel it', 'cancelled by ivan']);
    expect(await traceOf(jobId)).to.deep.equal(['begin', `child ${child}`, 'cleaned']);
    // A process that was killed is there until it has been put away.
    await eventually(() => expect(isAlive(child)).to.equal(false));
    expect(existsSync(fleet.dirOf(job))).to.equal(false);
    await one.ask('POST', `jobs/${waiting.jobId}/cancel`, { by: 'ivan' });
    await eventually(async () => expect((await one.job(waiting.jobId)).endedAt).to.be.a('string'));
    // Once ended it stays as it is.
    const again = await one.ask('POST', `jobs/${jobId}/cancel`, { by: 'olga' });
    expect(again.body).to.deep.equal(job);
  });

  it('cancels one that waits at once, and one that hears nothing after a while', async () => {
    const deaf = await one.begin('deaf');
    const waiting = await one.begin('steps');
    const asked = await one.ask('POST', `jobs/${waiting.jobId}/cancel`, { by: 'ivan' });
    expect(asked.body.status).to.equal('cancelled');
    await tracedPid(deaf.jobId, /^deaf/);
    await one.ask('POST', `jobs/${deaf.jobId}/cancel`, { by: 'ivan' });
    await one.until(deaf.jobId, 'cancelled', 20_000);
    expect(await traceOf(deaf.jobId)).to.deep.equal(['begin', 'deaf', 'cleaned']);
    expect(await traceOf(waiting.jobId)).to.deep.equal([]);
  });

  it('goes on where it was when the service is killed twice, no step done again', async () => {
    const { jobId } = await one.begin('steps');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const before = (await traceOf(jobId)).length;
      await eventually(async () =>
        expect((await traceOf(jobId)).length).to.be.greaterThan(before + 3),
      );
      await one.kill(signal);
      one = await fleet.launch();
    }
    const job = await one.until(jobId, 'done');
    expect(job.attempts).to.equal(3);
    expect(lines(job)).to.include('interrupted: the service stops, and goes on when it is back');
    const steps = (await traceOf(jobId)).filter((what) => what.startsWith('step'));
    expect(new Set(steps).size).to.equal(30);
    // A kill may fall between a step and the note that it was done.
    expect(steps.length).to.be.lessThan(33);
  });

  it('runs one at a time on two replicas, and the other one goes on when one is killed', async () => {
    const two = await fleet.launch();
    const jobs = [await one.begin('steps'), await two.begin('steps'), await one.begin('steps')];
    await eventually(async () => expect((await traceOf(jobs[0]!.jobId)).length).to.be.above(5));
    await one.kill('SIGKILL');
    for (const { jobId } of jobs) await two.until(jobId, 'done', 30_000);
    // In the order of asking, and no attempt wrote a line after the next one had begun.
    const { rows } = await fleet.pool.query<{ job_id: string; attempt: number }>(
      `select job_id, attempt from trace where job_id = any($1) order by trace_id`,
      [jobs.map(({ jobId }) => jobId)],
    );
    const reported = rows.map(({ job_id, attempt }) => `${job_id}/${attempt}`);
    const runs = reported.filter((run, i) => run !== reported[i - 1]);
    expect(runs).to.deep.equal([
      ...[`${jobs[0]!.jobId}/1`, `${jobs[0]!.jobId}/2`],
      ...[`${jobs[1]!.jobId}/1`, `${jobs[2]!.jobId}/1`],
    ]);
    one = two;
  });

  it('goes on when the connection with the lock breaks', async () => {
    const { jobId } = await one.begin('steps');
    await eventually(async () => expect((await traceOf(jobId)).length).to.be.above(5));
    await fleet.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'replay runner' and datname = current_database()`,
    );
    const job = await one.until(jobId, 'done');
    expect(job.attempts).to.equal(2);
  });

  it('lists the newest first, page by page, and refuses what it does not know', async () => {
    type List = { jobs: Job[] };
    const first = (await one.ask('GET', 'jobs?limit=3')).body as unknown as List;
    const ids = first.jobs.map(({ jobId }) => jobId);
    expect(ids)
      .to.deep.equal([...ids].sort().reverse())
      .and.to.have.length(3);
    const next = (await one.ask('GET', `jobs?limit=1&before=${ids[1]}`)).body as unknown as List;
    expect(next.jobs.map(({ jobId }) => jobId)).to.deep.equal([ids[2]]);

    const wrong: [string, unknown][] = [
      ['jobs', { kind: 'nonsense', params: {}, by: 'olga' }],
      ['jobs', { kind: 'verify', params: { tenant: 't1' }, by: 'olga' }],
      ['jobs', { kind: 'swap', params: { to: 0 }, by: 'olga' }],
      ['jobs', { kind: 'verify', params: {} }],
      [`jobs/${ids[0]}/cancel`, {}],
    ];
    for (const [path, body] of wrong) {
      expect((await one.ask('POST', path, body)).status, JSON.stringify(body)).to.equal(422);
    }
    for (const path of ['jobs?limit=0', 'jobs?limit=201', 'jobs?before=x']) {
      expect((await one.ask('GET', path)).status, path).to.equal(422);
    }
    expect((await one.ask('GET', 'jobs/x')).status).to.equal(404);
  });

  async function traceOf(jobId: string): Promise<string[]> {
    const { rows } = await fleet.pool.query<{ what: string }>(
      'select what from trace where job_id = $1 order by trace_id',
      [jobId],
    );
    return rows.map(({ what }) => what);
  }

  /** The number in the first line of that form, if it has one. */
  function tracedPid(jobId: string, form: RegExp): Promise<number> {
    return eventually(async () => {
      const line = (await traceOf(jobId)).find((what) => form.test(what));
      if (line === undefined) throw new Error(`nothing like ${form}`);
      return Number(form.exec(line)?.[1]);
    });
  }
});

function lines(job: Job): string[] {
  return job.history.map(({ line }) => line);
}
