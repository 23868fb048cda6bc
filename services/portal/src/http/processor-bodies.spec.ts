import { expect } from 'chai';
import { processorItemRoutes } from '@tributary/contracts/admin/processor-items';
import { processorRoutes } from '@tributary/contracts/admin/processor';
import { createBodyReader } from './body.ts';
import { Refusal } from './refusal.ts';

const readConnectBody = createBodyReader(processorRoutes.connectProcessor.body);
const readDisconnectBody = createBodyReader(processorRoutes.disconnectProcessor.body);
const readProcessorRotateBody = createBodyReader(processorRoutes.rotateConnection.body);
const readReconcileBody = createBodyReader(processorRoutes.reconcileConnection.body);
const readRepairBody = createBodyReader(processorRoutes.repairConnection.body);
const readRetryBody = createBodyReader(processorItemRoutes.retryItems.body);

const apiKey = 'rk_test_0123456789';

function mistakesOf(read: (body: unknown) => unknown, body: unknown): string[] {
  try {
    read(body);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.about.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort();
  }
}

describe('bodies about a payment processor', () => {
  it('take what is right as it is, with what is meant where nothing is said', () => {
    const whole = {
      ...{ apiKey, apiVersion: '2025-03-31.basil', taxPolicy: 'net', by: 'olga' },
      ...{ signingSecret: 'whsec_0123', endpointId: 'we_1' },
    };
    expect(readConnectBody(whole)).to.deep.equal(whole);
    expect(readConnectBody({ apiKey, apiVersion: '2022-11-15' })).to.not.have.property('taxPolicy');
    const by = 'operator';
    expect(readProcessorRotateBody({})).to.deep.equal({ overlapHours: 72, by });
    expect(readProcessorRotateBody({ overlapHours: 0 })).to.deep.equal({ overlapHours: 0, by });
    expect(readRepairBody({})).to.deep.equal({ by });
    expect(readRetryBody({})).to.deep.equal({ limit: 500 });
    const since = '2026-03-01T01:00:00.0001+01:00';
    expect(readReconcileBody({ kind: 'invoices', since })).to.deep.equal({
      kind: 'invoices',
      append: false,
      since: '2026-03-01T00:00:00.001Z',
    });
  });

  it('are refused with every mistake at its pointer', () => {
    const examples: [(body: unknown) => unknown, unknown, string[]][] = [
      [readConnectBody, {}, ['/apiKey REQUIRED']],
      [
        readConnectBody,
        { apiKey: 'a b', apiVersion: 'latest', taxPolicy: 'some', endpointId: '-', key: 1 },
        [
          '/apiKey INVALID_FORMAT',
          '/apiVersion INVALID_FORMAT',
          '/endpointId INVALID_FORMAT',
          '/key UNKNOWN_FIELD',
          '/taxPolicy INVALID_ENUM',
        ],
      ],
      [readConnectBody, { apiKey: 'pk_test_0123456789' }, ['/apiKey INVALID_FORMAT']],
      [readConnectBody, { apiKey: 'whsec_0123456789' }, ['/apiKey INVALID_FORMAT']],
      [readConnectBody, { apiKey: 'rk_test_01234…6789' }, ['/apiKey INVALID_FORMAT']],
      [readConnectBody, { apiKey, endpointId: 'we_1' }, ['/signingSecret REQUIRED']],
      [readRepairBody, { apiKey: 'pk_live_0123456789' }, ['/apiKey INVALID_FORMAT']],
      [readProcessorRotateBody, { overlapHours: 721 }, ['/overlapHours OUT_OF_RANGE']],
      [readDisconnectBody, { force: 1 }, ['/force INVALID_TYPE', '/reason REQUIRED']],
      [
        readReconcileBody,
        { kind: 'customers', since: 'yesterday', append: 'no' },
        ['/append INVALID_TYPE', '/kind INVALID_ENUM', '/since INVALID_FORMAT'],
      ],
      [
        readRetryBody,
        { reason: 'No Code', limit: 0 },
        ['/limit OUT_OF_RANGE', '/reason INVALID_FORMAT'],
      ],
      [readRetryBody, { reason: 'unknown-code' }, ['/reason INVALID_ENUM']],
    ];
    for (const [read, body, mistakes] of examples) {
      expect(mistakesOf(read, body), JSON.stringify(body)).to.deep.equal(mistakes);
    }
  });

  it('never repeat a key in what they say of it', () => {
    try {
      readConnectBody({ apiKey: 'pk_canary_0123456789' });
      expect.fail('it was taken');
    } catch (error) {
      expect(JSON.stringify((error as Refusal).about)).to.not.contain('canary');
    }
  });
});
