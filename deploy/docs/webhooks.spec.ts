import { readFileSync } from 'node:fs';
import { issuanceSchemaVersion } from '@tributary/contracts/issuance-record';
import { parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { checksOf, creditsEach } from '../../packages/client/src/verify/checks.ts';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import { createBodyReader } from '../../services/portal/src/http/body.ts';
import { keptBodyBytes } from '../../services/webhook-dispatcher/src/endpoint/answer-keeper.ts';
import {
  dispatcherSettings,
  WebhookDispatcherConfig,
} from '../../services/webhook-dispatcher/src/config.ts';
import { buildWebhookBody } from '../../services/webhook-dispatcher/src/domain/payload.ts';
import {
  retryDelaysMs,
  stepAfterFailure,
} from '../../services/webhook-dispatcher/src/domain/next-attempt.ts';

/**
 * What customers and operators are told of webhooks, held against what the services do unless set
 * otherwise.
 */
describe('the documentation of webhooks', () => {
  const contract = pageOf('docs/webhooks.md');
  const adminApi = pageOf('docs/admin-api.md');
  const service = pageOf('services/webhook-dispatcher/README.md');
  const { worker, breaker, endpoints, maintenance, failingAfterMs } = defaultSettings();

  it('has the payload as it is sent, member by member (2.12)', () => {
    const example = /^\{\n.*?^\}$/ms.exec(read('docs/webhooks.md'))![0];
    const { eventId, createdTs, data } = JSON.parse(example) as Example;
    const sent = buildWebhookBody(
      {
        schemaVersion: issuanceSchemaVersion,
        type: 'issued',
        issuanceId: eventId,
        tenantId: 'acme',
        campaignId: 'spring',
        rewardId: data.rewardId,
        recipientId: data.productUserId,
        rewardType: 'credits',
        credits: String(data.reward.amount),
        issuedAt: createdTs,
        webhookEventId: eventId,
      },
      new Date(createdTs),
    );
    expect(JSON.stringify(JSON.parse(example))).to.equal(sent.toString('utf8'));
  });

  it('has the schedule, with its jitter and its end (design 8)', () => {
    const delays = (minute: string) => retryDelaysMs.map((ms) => inUnits(ms, minute));
    const last = delays('min').at(-1);
    const list = `${delays('min').slice(0, -1).join(', ')} and ${last}`;
    expect(contract).to.contain(`At once, then after ${list}, each ${jitterPercent()} % shorter`);
    expect(service).to.contain(`immediately, then ${delays('m').join(', ')}`);
    expect(service).to.contain(`each ±${jitterPercent()} %`);
    expect(contract).to.contain(
      `(${worker.horizonMs / hourMs} hours) after issue, Tributary gives up`,
    );
  });

  it('has how far Retry-After postpones: at most a day, and not the end', () => {
    const after = (horizonAtMs: number) =>
      stepAfterFailure({
        ...{ step: 0, probe: false, nowMs: 0, random: 0.5 },
        ...{ horizonAtMs, retryAfterMs: 30 * dayMs },
      });
    expect(after(90 * dayMs)).to.include({ dueAtMs: dayMs });
    expect(after(hourMs)).to.include({ dueAtMs: hourMs });
    expect(contract).to.contain('(seconds or a date; at most a day)');
    expect(contract).to.contain('It does not postpone the end');
  });

  it('has the breaker as it opens and probes', () => {
    const { failuresInARow, failureShare, windowMinAttempts, windowMs } = breaker;
    expect([failureShare, windowMs]).to.deep.equal([1 / 2, minuteMs]);
    expect(contract).to.contain(
      `After ${failuresInARow} failures in a row, or when half of at least ${windowMinAttempts} ` +
        'requests within a minute failed',
    );
    const waits = [1, 2, 4].map((times) => `${(breaker.openMs * times) / 1_000} s`);
    const most = breaker.maxOpenMs / minuteMs;
    expect(contract).to.contain(
      `after ${waits[0]}, then ${waits[1]}, ${waits[2]} and so on up to every ${most} minutes`,
    );
    expect(service).to.contain(
      `after ${failuresInARow} failures in a row, or half of ${windowMinAttempts} attempts in a ` +
        `minute, one delivery at a time probes the endpoint, first after ${waits[0]}, finally every ` +
        `${most} minutes`,
    );
    expect(failingAfterMs).to.equal(2 * dayMs);
    expect(contract).to.contain('nothing but fail for two days');
    expect(adminApi).to.contain('every attempt has failed for two days');
  });

  it('has the limits of an exchange', () => {
    const seconds = worker.timeoutMs / 1_000;
    expect(contract).to.contain(`Tributary waits **${seconds} seconds**`);
    expect(contract).to.contain(`none within ${seconds} seconds`);
    expect(contract).to.contain(`at most ${worker.maxInFlightPerEndpoint} unless set otherwise`);
    expect(contract).to.contain(`Tributary reads ${endpoints.answerLimitBytes / 1_024} KiB`);
    const ports = endpoints.allowedPorts.map(({ from, to }) => {
      expect(from).to.equal(to);
      return from;
    });
    const list = `${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}`;
    expect(contract).to.contain(`**Ports** ${list}, unless`);
  });

  it('has what is kept, and for how long', () => {
    const { attemptDays } = maintenance;
    expect(contract).to.contain(
      `the first ${keptBodyBytes / 1_024} KiB of your answer, for ${attemptDays} days unless set`,
    );
    expect(adminApi).to.contain(`kept for ${attemptDays} days unless set otherwise`);
  });

  it('has the overlap of a rotation', () => {
    const { overlapHours } = createBodyReader(webhookRoutes.rotateWebhook.body)({});
    expect(contract).to.contain(`overlap, by default for ${overlapHours} hours`);
    expect(adminApi).to.contain(`(0 to 720, default ${overlapHours})`);
  });

  it('has a body limit that the largest reward keeps far below', () => {
    const longest = '\u0001'.repeat(255);
    const body = buildWebhookBody(
      {
        ...{
          schemaVersion: issuanceSchemaVersion,
          type: 'issued',
          tenantId: 'acme',
          campaignId: 'spring',
        },
        ...{ issuanceId: uuid, rewardId: uuid, webhookEventId: uuid, rewardType: 'credits' },
        recipientId: longest,
        credits: `${'9'.repeat(40)}.999999`,
        issuedAt: '2026-03-01T10:20:30.045Z',
      },
      new Date('2026-03-01T10:20:30.045Z'),
    );
    expect(body.length).to.be.below(4 * 1_024);
    expect(contract).to.contain('smaller than 4 KiB; accept bodies of up to 64 KiB');
  });

  it('shows as many checks and requests of `webhook verify` as it makes', () => {
    let ids = 0;
    const checks = checksOf({
      credentials: { username: 'acme', password: 'secret' },
      productUserId: 'my-test-user',
      createdTs: '2026-03-01T10:20:30.045Z',
      newId: () => `id-${++ids}`,
    });
    const requests = checks.reduce((sum, { times }) => sum + times, 0);
    // One line more: rule 5, over all of them.
    expect(contract).to.contain(`All ${checks.length + 1} checks passed`);
    expect(contract).to.contain(`all ${requests} requests together`);
    const granted = new Set(
      checks.filter(({ right }) => right === '2xx').flatMap(({ mayGrant }) => mayGrant ?? []),
    );
    expect(contract).to.contain(`**${granted.size * creditsEach} credits**`);
  });
});

type Example = {
  eventId: string;
  createdTs: string;
  data: { rewardId: string; productUserId: string; reward: { amount: number } };
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const uuid = 'eaca65c2-b618-5134-b28b-c6b7ca997256';

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

/** Without its line breaks, which say nothing. */
function pageOf(file: string): string {
  return read(file).replaceAll(/\s+/g, ' ');
}

function inUnits(ms: number, minute: string): string {
  if (ms >= hourMs) return `${ms / hourMs} h`;
  return ms >= minuteMs ? `${ms / minuteMs} ${minute}` : `${ms / 1_000} s`;
}

function jitterPercent(): number {
  const dueAtMs = (random: number) => {
    const after = stepAfterFailure({
      ...{ step: 3, probe: false, nowMs: 0, horizonAtMs: Infinity },
      random,
    });
    return after.state === 'pending' ? after.dueAtMs : NaN;
  };
  const delayMs = retryDelaysMs[3]!;
  const [shortest, longest] = [dueAtMs(0), dueAtMs(1)];
  expect(longest - delayMs).to.equal(delayMs - shortest);
  return (100 * (longest - delayMs)) / delayMs;
}

function defaultSettings() {
  const parsed = parseConfig(WebhookDispatcherConfig, {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_ADMIN_PORT: '0',
    TRIBUTARY_KAFKA_BROKERS: 'localhost:9092',
    TRIBUTARY_POSTGRES_URL: 'postgres://localhost/tributary',
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    TRIBUTARY_INTERNAL_TOKEN: 'an-internal-token-of-enough-length-00',
  });
  if ('mistakes' in parsed) throw new Error(parsed.mistakes.join('\n'));
  return dispatcherSettings(parsed.config);
}
