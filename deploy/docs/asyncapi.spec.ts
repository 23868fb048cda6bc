import { readFile } from 'node:fs/promises';
import specs from '@asyncapi/specs';
import { type Topic, topicSettings, topics } from '@tributary/contracts/topics';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { buildAsyncApi } from './asyncapi.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const names = Object.keys(topics) as Topic[];

describe('docs/api/asyncapi.json', () => {
  it('is what the contracts say; else run: node deploy/docs/generate-asyncapi.ts', async () => {
    const committed: unknown = JSON.parse(await read('docs/api/asyncapi.json'));
    expect(committed).to.deep.equal(buildAsyncApi());
  });

  it('is a valid AsyncAPI 3.0 document, by the schema that its authors publish', () => {
    // Their schema has that of draft 7 inside; its formats are remarks.
    const lenient = { strict: false, validateFormats: false };
    const ajv = new Ajv({ ...lenient, meta: false, validateSchema: false, allErrors: true });
    const isValid = ajv.compile(specs.schemas['3.0.0'] as object);
    const document = JSON.parse(JSON.stringify(buildAsyncApi())) as Record<string, unknown>;
    isValid(document);
    expect(isValid.errors).to.equal(null);
    expect(isValid({ ...document, channels: { events: { address: 1 } } })).to.equal(false);
  });

  it('has the members of an AsyncAPI 3.0 document, and no others', () => {
    const document = buildAsyncApi();
    expect(document.asyncapi).to.equal('3.0.0');
    expect(document.info).to.include.keys('title', 'version');
    expect(document).to.have.all.keys(
      ...['asyncapi', 'info', 'defaultContentType', 'servers', 'channels', 'components'],
    );
    for (const channel of Object.values(document.channels)) {
      expect(withoutExtensions(channel)).to.have.members([
        'address',
        'description',
        'messages',
        'bindings',
      ]);
    }
    for (const message of Object.values(document.components.messages)) {
      expect(withoutExtensions(message)).to.have.members([
        'name',
        'title',
        'contentType',
        'payload',
        'bindings',
      ]);
    }
  });

  it('has a target for every reference', () => {
    const document: unknown = buildAsyncApi();
    const references = referencesIn(document);
    expect(references.length).to.be.at.least(2 * names.length);
    for (const reference of references) {
      expect(resolve(document, reference), reference).to.be.an('object');
    }
  });

  it('has a schema with a type at every payload', () => {
    for (const schema of Object.values(buildAsyncApi().components.schemas)) {
      const alternatives = (schema as { anyOf?: unknown[] }).anyOf ?? [schema];
      for (const alternative of alternatives) expect(alternative).to.include({ type: 'object' });
    }
  });

  it('has a name of its own for each form of a record', () => {
    for (const [name, schema] of Object.entries(buildAsyncApi().components.schemas)) {
      const forms = (schema as { anyOf?: { title?: string }[] }).anyOf ?? [];
      const titles = forms.map(({ title }) => title);
      expect(titles, name).to.not.include(undefined);
      expect(new Set(titles).size, name).to.equal(titles.length);
    }
  });

  for (const topic of names) {
    it(`lists address, key, partitions and settings of ${topics[topic].name}`, () => {
      const document = buildAsyncApi();
      const channel = document.channels[topic];
      expect(channel).to.include({ address: topics[topic].name });
      const { kafka } = channel!.bindings;
      const { name: topicOnBroker, partitions } = topics[topic];
      expect(kafka).to.include({ topic: topicOnBroker, partitions });
      expect(kafka.topicConfiguration).to.include.keys(Object.keys(topicSettings(topic)));
      const name = Object.keys(channel!.messages)[0]!;
      const { key } = document.components.messages[name]!.bindings.kafka;
      expect(key.description).to.equal(topics[topic].key);
    });
  }
});

describe('docs/topics.md', () => {
  it('has one section for each topic, in the order of the table', async () => {
    const found = [...(await sections()).keys()];
    expect(found).to.deep.equal(names.map((topic) => topics[topic].name));
  });

  for (const topic of names) {
    it(`tells key, keeping and generations of ${topics[topic].name}, with a kcat example`, async () => {
      const { name, key, kept, generational } = topics[topic];
      const section = (await sections()).get(name) ?? '';
      expect(section).to.contain(`| Key | \`${key}\` |`);
      expect(section).to.contain(`| Kept | ${kept.replaceAll('-', ' ')} |`);
      expect(section).to.contain(`| Partitions | ${partitionsOf(topic)} |`);
      expect(section.includes('| Generations | one topic each |')).to.equal(generational);
      expect(section).to.match(new RegExp(`^kcat .*-t ${name.replaceAll('.', '\\.')} `, 'm'));
    });
  }

  function partitionsOf(topic: Topic): string {
    const { partitions } = topics[topic];
    return 'fixed' in topics[topic] ? `${partitions}, for ever` : `${partitions}, or more later`;
  }

  async function sections(): Promise<Map<string, string>> {
    // The formatter pads table cells.
    const text = (await read('docs/topics.md')).replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ');
    const parts = text.split(/^## /m).slice(1);
    return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]));
  }
});

function withoutExtensions(object: object): string[] {
  return Object.keys(object).filter((name) => !name.startsWith('x-'));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

function resolve(document: unknown, reference: string): unknown {
  const path = reference.replace(/^#\//, '').split('/');
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
}
