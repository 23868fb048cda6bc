import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { type Topic, topicName, topics } from '@tributary/contracts/topics';
import { expect } from 'chai';
import { letterOf, onLog, purchase, scenario } from '../../testing/scenario.ts';
import { validateRedrive } from './validate-redrive.ts';

describe('validating a redrive', () => {
  const prefix = 'here.';
  const named = (topic: Topic, generation = 1, at = prefix) =>
    topicName(topic, { prefix: at, generation });
  const topic = named('events');
  const origin = { topic, partition: 3, offset: '7', key: 'acme:cara' };
  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

  function why(changes: object, at: object = {}): string {
    const letter = letterOf('attribution', 7, { ...changes });
    const validated = validateRedrive({ ...letter, origin: { ...origin, ...at } }, prefix);
    return validated.outcome === 'refused' ? validated.why : validated.outcome;
  }

  it('takes a record that keeps its contract today, of every topic and generation, to the byte', () => {
    for (const record of scenario().records) {
      if (record.value === null) continue;
      for (const generation of [1, 7]) {
        const name = named(record.topic, generation);
        const putAside = { origin: { ...origin, topic: name }, value: base64(record.value) };
        expect(validateRedrive(putAside, prefix)).to.deep.equal({
          outcome: 'ready',
          topic: record.topic,
          entry: { topic: name, key: 'acme:cara', value: record.value },
        });
      }
    }
  });

  it('takes the older versions that the codec lifts, as they were written', () => {
    const older = { ...purchase(7), schemaVersion: 2 };
    expect(why({ value: base64(JSON.stringify(older)) })).to.equal('ready');
  });

  it('refuses one that still breaks it, with pointer and expectation and without its value', () => {
    const broken = { ...purchase(7), occurredAtSeconds: 'yesterday' };
    expect(why({ value: base64(JSON.stringify(broken)) }))
      .to.match(
        /^It still breaks the contract of event records, version \d+: \/occurredAtSeconds: /,
      )
      .and.not.contain('yesterday');
    expect(why({ value: base64('{"schemaVersion":') })).to.contain('the value is not JSON');
    expect(why({ value: base64('{}') })).to.contain('/schemaVersion: missing');
  });

  it('refuses what cannot be appended as it was', () => {
    const value = base64(onLog.event(purchase(7)).value ?? '');
    expect(why({ value })).to.equal('ready');
    expect(why({ value: null })).to.contain('about a person');
    expect(why({ value, cutFromBytes: 900_000 })).to.contain('900000 bytes');
    expect(why({ value: base64(Buffer.from([0x22, 0xff, 0x22])) })).to.contain('not valid UTF-8');
    expect(why({ value }, { key: 'acme:a\ufffdb' })).to.contain('key was not kept');
    expect(why({ value }, { key: 'acme:a\ufffdb', keyBytes: base64('acme:a\0b') })).to.equal(
      'ready',
    );
    const newer = JSON.stringify({ schemaVersion: 99 });
    expect(why({ value: base64(newer) })).to.contain('schemaVersion 99');
  });

  it('refuses what is on no topic of this deployment', () => {
    const value = base64(onLog.event(purchase(7)).value ?? '');
    const foreign = [
      named('events', 1, ''),
      named('events', 1, 'there.'),
      `${topic}.g2`,
      `${named('attributions')}.g1`,
      `${named('attributions')}.gx`,
      'here.else',
      'here.',
    ];
    for (const name of foreign) expect(why({ value }, { topic: name })).to.contain('no topic');
  });

  it('knows a codec for every topic', () => {
    for (const name of Object.keys(topics) as Topic[])
      expect(codecOfTopic[name]).to.not.equal(undefined);
  });
});
