import { type RefusalRecord, refusalCodec } from '@tributary/contracts/refusal-record';
import { expect } from 'chai';
import { AppendRefused, type Entry } from './appender.ts';
import { createRefusalRecorder, refusalLimits } from './refusal-recorder.ts';

function recording(append: (entries: readonly Entry[]) => Promise<void>) {
  let ms = Date.parse('2026-03-01T12:00:00.000Z');
  const lost: number[] = [];
  const recorder = createRefusalRecorder({
    ...{ appender: { append }, service: 'ingest-api', topic: 'refusals', everyMs: 3_600_000 },
    clock: { now: () => new Date((ms += 1_000)) },
    onLost: (requests) => void lost.push(requests),
  });
  return { recorder, lost };
}

const missing = { pointer: '/purchase/amount', code: 'REQUIRED', detail: 'is missing' } as const;
const request = {
  ...{ tenantId: 'acme', accessKeyId: 'key-1', route: 'POST /v2/events/purchase-created' },
  ...{ status: 422, code: 'VALIDATION_ERROR', violations: [missing] },
};

describe('what is recorded of refused requests', () => {
  const entries: Entry[] = [];
  const log = (more: readonly Entry[]) => Promise.resolve(void entries.push(...more));
  const records = () =>
    entries.splice(0).map(({ key, value }) => {
      const decoded = refusalCodec.decode(Buffer.from(value!));
      if (decoded.outcome !== 'record') throw new Error(JSON.stringify(decoded));
      expect(key).to.equal(decoded.value.tenantId);
      return decoded.value;
    });

  it('is one entry with a count of those that were refused alike', async () => {
    const { recorder } = recording(log);
    recorder.note(request);
    recorder.note({ ...request });
    recorder.note({ ...request, accessKeyId: 'key-2' });
    await recorder.stop();
    const [record, ...more] = records();
    expect(more).to.deep.equal([]);
    expect(record!.refusals.map(({ count, accessKeyId }) => [accessKeyId, count])).to.deep.equal([
      ['key-1', 2],
      ['key-2', 1],
    ]);
    const [first] = record!.refusals;
    expect(first).to.include({ status: 422, code: 'VALIDATION_ERROR', route: request.route });
    expect(first!.lastAt > first!.firstAt).to.equal(true);
    expect(first!.violations).to.deep.equal([{ pointer: '/purchase/amount', code: 'REQUIRED' }]);
  });

  it('is counted only, beyond what is kept of a moment', async () => {
    const { recorder } = recording(log);
    for (let n = 0; n < refusalLimits.ofATenant + 7; n++) {
      recorder.note({ ...request, accessKeyId: `key-${n}` });
    }
    await recorder.stop();
    const [record] = records() as [RefusalRecord];
    expect(record.refusals).to.have.lengthOf(refusalLimits.ofATenant);
    expect(record.omitted).to.equal(7);
  });

  it('is lost and counted where the log does not take it, or too many tenants come', async () => {
    const { recorder, lost } = recording(() => Promise.reject(new AppendRefused('no brokers')));
    recorder.note(request);
    recorder.note(request);
    await recorder.stop();
    expect(lost).to.deep.equal([2]);

    const many = recording(log);
    for (let n = 0; n < refusalLimits.tenants + 3; n++) {
      many.recorder.note({ ...request, tenantId: `tenant-${n}` });
    }
    expect(many.lost).to.deep.equal([1, 1, 1]);
    await many.recorder.stop();
    expect(records()).to.have.lengthOf(refusalLimits.tenants);
  });
});
