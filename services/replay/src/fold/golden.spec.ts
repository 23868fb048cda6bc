import { decideFromScratch, type History } from '@tributary/attribution-fold/decide-from-scratch';
import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { Topic } from '@tributary/contracts/topics';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';

/**
 * A replay meets records of every version that was ever written. Golden files are such records,
 * never edited: each must be lifted to the newest form by its codec, and be one that the folds
 * take.
 */
describe('a replay of the golden records of all versions', () => {
  const versionsOf = (topic: Topic) =>
    Array.from({ length: codecOfTopic[topic].schemaVersion }, (_, i) => i + 1);

  function golden<T>(topic: Topic, version: number): T[] {
    const codec = codecOfTopic[topic];
    const file = `../../../../packages/contracts/golden/${codec.name}.v${version}.json`;
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    return (JSON.parse(text) as object[]).map((record) => {
      const decoded = codec.decode(Buffer.from(JSON.stringify(record)));
      if (decoded.outcome !== 'record') throw new Error(`${codec.name}: ${decoded.outcome}`);
      expect(decoded.value).to.include({ schemaVersion: codec.schemaVersion });
      return decoded.value as T;
    });
  }
  const all = <T>(topic: Topic) => versionsOf(topic).flatMap((v) => golden<T>(topic, v));

  /**
   * They are examples of forms, and several have one id; the place in the file tells them apart.
   */
  function goldenEvents(version: number): EventRecord[] {
    return golden<EventRecord>('events', version).map((event, n) => ({
      ...event,
      eventId: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    }));
  }

  function historyOf(
    events: readonly EventRecord[],
    catalog: readonly CatalogRecord[],
    codes = all<CodeRecord>('codes'),
  ): History {
    return {
      events,
      codes,
      revisions: catalog.filter((record) => record.entity === 'campaign-revision'),
      tenants: catalog.filter((record) => record.entity === 'tenant'),
    };
  }

  /** What the services would put on the log, and what rewards makes of it. */
  function fold(history: History) {
    const decisions: DecisionRecord[] = decideFromScratch(history).map((decision) => ({
      ...decision,
      version: 1,
    }));
    for (const decision of decisions) decisionCodec.encode(decision);
    return { decisions, targets: foldClaims(claimsOf(decisions, history)) };
  }
  function claimsOf(decisions: readonly DecisionRecord[], { revisions }: History) {
    return decisions.map((decision) => {
      const revision = revisions.find(
        ({ campaignId, revision: number }) =>
          campaignId === decision.campaignId && number === decision.campaignRevision,
      );
      return { decision, ...(revision && { revision }) };
    });
  }

  for (const eventVersion of versionsOf('events')) {
    for (const catalogVersion of versionsOf('catalog')) {
      it(`folds events of version ${eventVersion} under a catalog of version ${catalogVersion}`, () => {
        const events = goldenEvents(eventVersion);
        const catalog = golden<CatalogRecord>('catalog', catalogVersion);
        const codes = all<CodeRecord>('codes').filter(({ type }) => type === 'code-issued');
        const { decisions, targets } = fold(historyOf(events, catalog, codes));
        expect(decisions.map(({ eventId }) => eventId)).to.have.members(
          events.map(({ eventId }) => eventId),
        );
        expect(decisions.map(({ outcome }) => outcome)).to.include('attributed');
        expect(decisions.map(({ outcome }) => outcome)).to.not.include('undecided');
        // The second revision of spring asks for plans that no golden event has.
        if (catalogVersion === 1 || catalogVersion > 3) expect(targets).to.not.be.empty;
      });
    }
  }

  it('folds them all together, each event once in whatever versions it is there', () => {
    const events = versionsOf('events').flatMap(goldenEvents);
    const { decisions } = fold(historyOf(events, all<CatalogRecord>('catalog')));
    const ids = new Set(events.map(({ eventId }) => eventId));
    expect(ids.size).to.be.below(events.length);
    expect(decisions.map(({ eventId }) => eventId)).to.have.members([...ids]);
  });

  it('gives rewards decisions of every version', () => {
    for (const version of versionsOf('attributions')) {
      const decisions = golden<DecisionRecord>('attributions', version);
      const history = historyOf([], all<CatalogRecord>('catalog'));
      expect(foldClaims(claimsOf(decisions, history)), `version ${version}`).to.not.be.empty;
    }
  });

  it('lifts the records of every other topic', () => {
    for (const topic of Object.keys(codecOfTopic) as Topic[]) {
      expect(all(topic), topic).to.not.be.empty;
    }
  });
});
