import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { adminRoutes, serviceRoutes } from '@tributary/contracts/admin/admin-areas';
import { needsRole, rights, rolesWith } from '@tributary/contracts/admin/rights';
import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../openapi/json-schema.ts';
import { operationsOf, type ApiDocument, resolve } from '../openapi/testing/document.ts';
import { buildAdminOpenApi } from './openapi.ts';
import { adminApiPage } from './render-page.ts';

const docs = new URL('../../../docs/', import.meta.url);
const generate = 'else run: node deploy/docs/generate-admin-api.ts';

describe('docs/admin-api.md', () => {
  it(`is what the declarations and its template say; ${generate}`, async () => {
    const page = await readFile(new URL('admin-api.md', docs), 'utf8');
    expect(page).to.equal(await adminApiPage());
  });
});

describe('docs/api/admin-openapi.json', () => {
  const document = JSON.parse(JSON.stringify(buildAdminOpenApi())) as ApiDocument;

  it(`is what the declarations say; ${generate}`, async () => {
    const committed = await readFile(new URL('api/admin-openapi.json', docs), 'utf8');
    expect(JSON.parse(committed)).to.deep.equal(document);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).to.equal(undefined);
    expect([result.valid, validator.version]).to.deep.equal([true, '3.1']);
  });

  it('has schemas of JSON Schema 2020-12 only, with no keyword of our own', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
    ajv.addFormat('date-time', true).addFormat('uri', true);
    const schemas = document.components['schemas']!;
    for (const [name, schema] of Object.entries(schemas)) {
      ajv.addSchema(schema, `#/components/schemas/${name}`);
    }
    for (const { path, method, operation } of operationsOf(document)) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)]
        .filter((part) => part !== undefined)
        .flatMap((part) => Object.values(resolve(document, part as Json)['content'] as Json));
      for (const body of bodies) {
        const { schema } = body as { schema: Json };
        expect(() => ajv.compile(schema), `${method} ${path}`).not.to.throw();
      }
    }
  });

  it('declares 404 where a path, a query or a body names what may not be there', () => {
    const missing = operationsOf(document)
      .filter(({ path, operation }) => !path.includes('{') && '404' in operation.responses)
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(missing).to.have.members([
      ...['GET /api/explain', 'POST /api/replay/jobs', 'POST /api/replay/previews'],
      'POST /api/invitation',
      ...['GET /api/session/single-sign-on', 'GET /api/session/single-sign-on/callback'],
      ...['POST /api/session/passkey/options', 'POST /api/account/passkeys/options'],
      'POST /api/sign-in-links',
    ]);
    for (const { path, operation } of operationsOf(document)) {
      if (path.includes('{')) expect(operation.responses, path).to.include.keys('404');
    }
  });

  it('declares 415 wherever a body is read', () => {
    for (const { path, operation } of operationsOf(document)) {
      const isRead = operation.requestBody !== undefined;
      expect('415' in operation.responses, path).to.equal(isRead);
    }
  });

  it('has summaries without links, which lead nowhere from there', () => {
    for (const { path, operation } of operationsOf(document)) {
      expect(operation.summary, path).not.to.match(/\]\(/);
    }
  });

  it('has every route, named once', () => {
    const operations = operationsOf(document);
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).to.have.members(
      adminRoutes.map(({ method, path }) => `${method} ${path}`),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length).and.to.be.above(60);
  });
});

describe('what is declared of the admin API', () => {
  it('names no route twice', () => {
    const asked = adminRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(asked).size).to.equal(asked.length);
    const internal = serviceRoutes.map(
      ({ service, method, path }) => `${service} ${method} ${path}`,
    );
    expect(new Set(internal).size).to.equal(internal.length);
  });

  it('says of each route what it does and whom it is for', () => {
    for (const { path, summary, right } of adminRoutes) {
      expect(summary, path).to.match(/^[A-Z].*\.$/);
      expect(rights, path).to.include(right);
    }
  });

  it('lets analysts read and do nothing else, and nobody but operators what is of no tenant', () => {
    for (const { path, method, right, storesNothing } of adminRoutes) {
      const looks = method === 'GET' || storesNothing === true;
      if (right === 'read') expect(looks, path).to.equal(true);
      if (!needsRole(right) || looks) continue;
      expect(rolesWith(right), path).not.to.include('analyst');
      if (!path.includes('{tenantId}')) expect(rolesWith(right), path).to.deep.equal(['operator']);
    }
  });

  it('closes every body, so that a misspelt member is refused', () => {
    for (const { path, body } of adminRoutes) {
      if (body) expect(body['additionalProperties'], path).to.equal(false);
    }
  });
});
