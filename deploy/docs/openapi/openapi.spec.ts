import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import type { Json } from './json-schema.ts';
import {
  type ApiDocument,
  createSchemaCheck,
  operationsOf,
  readDocument,
  resolve,
} from './testing/document.ts';

const committed = new URL('../../../docs/api/openapi.json', import.meta.url);

describe('docs/api/openapi.json', () => {
  let document: ApiDocument;
  before(async () => {
    document = await readDocument();
  });

  it('is what the contracts say; else run: node deploy/docs/generate-openapi.ts', async () => {
    expect(JSON.parse(await readFile(committed, 'utf8'))).to.deep.equal(document);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).to.equal(undefined);
    expect([result.valid, validator.version]).to.deep.equal([true, '3.1']);
  });

  it('is found invalid when it is not', async () => {
    const { valid } = await new Validator().validate({ ...document, info: { title: 'x' } });
    expect(valid).to.equal(false);
  });

  it('has schemas of JSON Schema 2020-12 only, with no keyword of our own', () => {
    const schemaCheck = createSchemaCheck(document);
    for (const name of Object.keys(document.components['schemas']!)) {
      expect(() => schemaCheck({ $ref: `#/components/schemas/${name}` }), name).not.to.throw();
    }
    expect(JSON.stringify(document)).not.to.match(/"\$id"|trimmedLength|"format":"text"/);
  });

  it('describes every field of every schema', () => {
    for (const [name, schema] of Object.entries(document.components['schemas']!)) {
      for (const [pointer, field] of fieldsOf(schema, name)) {
        expect(descriptionOf(field), pointer)
          .to.be.a('string')
          .that.matches(/^[`A-Z].*[.)]$/);
      }
    }
  });

  it('uses every component that it has, and has every one that it uses', () => {
    const used = new Set(referencesIn(document));
    for (const reference of used) expect(resolve(document, { $ref: reference })).to.be.an('object');
    for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
      for (const name of Object.keys(document.components[kind]!)) {
        expect(used, `${kind}/${name}`).to.include(`#/components/${kind}/${name}`);
      }
    }
  });

  it('names each operation once, under a tag that it explains', () => {
    const operations = operationsOf(document).map(({ operation }) => operation);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include('createPurchaseCreatedEvent'); // interface 4.1
    const tags = document.tags.map(({ name }) => name);
    for (const { tags: own } of operations) expect(tags).to.include.members(own);
  });

  it('declares the parameters of each path', () => {
    for (const { path, operation } of operationsOf(document)) {
      const inPath = (operation.parameters ?? [])
        .map((parameter) => resolve(document, parameter))
        .filter((parameter) => parameter['in'] === 'path');
      const declared = inPath.map((parameter) => `{${String(parameter['name'])}}`);
      expect(declared, path).to.have.members(path.match(/\{\w+\}/g) ?? []);
    }
  });

  it('has the request id at every answer, and the header that its status calls for (design 8)', () => {
    const needed: Record<string, string> = {
      '401': 'WWW-Authenticate',
      '405': 'Allow',
      '503': 'Retry-After',
    };
    for (const { path, operation } of operationsOf(document)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const headers = Object.keys(resolve(document, response)['headers'] as Json);
        const extra = needed[status] === undefined ? [] : [needed[status]];
        expect(headers, `${path} ${status}`).to.include.members(['X-Request-Id', ...extra]);
      }
    }
  });

  /** Each field with its place, those of objects inside too. */
  function fieldsOf(schema: Json, place: string): [string, Json][] {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
    return properties.flatMap(([name, field]) => [
      [`${place}.${name}`, field] satisfies [string, Json],
      ...fieldsOf(field, `${place}.${name}`),
    ]);
  }

  function descriptionOf(field: Json): unknown {
    return field['description'] ?? resolve(document, field)['description'];
  }
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}
