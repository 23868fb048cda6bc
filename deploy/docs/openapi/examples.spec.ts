import { violationsDetail } from '@tributary/contracts/body-reader';
import { buildProblem, problemCatalogue, type ProblemCode } from '@tributary/contracts/problem';
import { readTokenRequest } from '@tributary/contracts/public/token';
import { v2Events } from '@tributary/contracts/public/v2-events';
import { expect } from 'chai';
import { readLegacyEvent } from '../../../services/legacy-events/src/domain/read-legacy-event.ts';
import { parseRawJson } from '../../../services/legacy-events/src/domain/raw-json.ts';
import { integrationGuide } from './integration-guide.ts';
import type { Json } from './json-schema.ts';
import { schemaRef } from './schemas.ts';
import {
  type ApiDocument,
  type Content,
  createSchemaCheck,
  type OperationObject,
  operationsOf,
  readDocument,
  resolve,
} from './testing/document.ts';

describe('the examples of the OpenAPI document', () => {
  let document: ApiDocument;
  let schemaCheck: ReturnType<typeof createSchemaCheck>;
  before(async () => {
    document = await readDocument();
    schemaCheck = createSchemaCheck(document);
  });

  it('exist for every request and every answer with a body, and fit their schemas', () => {
    let count = 0;
    for (const operation of allOperations()) {
      const bodies: [string, Content | undefined][] = [
        ['request', operation.requestBody?.content],
        ...Object.entries(operation.responses).map(
          ([status, response]): [string, Content | undefined] => [
            status,
            resolve(document, response)['content'] as Content | undefined,
          ],
        ),
      ];
      for (const [where, content] of bodies) {
        for (const { schema, examples } of Object.values(content ?? {})) {
          const check = schemaCheck(schema);
          expect(examples, `${operation.operationId} ${where}`).to.not.be.empty;
          for (const { value } of Object.values(examples)) {
            check(value);
            expect(check.errors, `${operation.operationId} ${where}`).to.equal(null);
            count += 1;
          }
        }
      }
    }
    expect(count).to.be.above(100);
  });

  for (const [type, { read }] of Object.entries(v2Events)) {
    it(`of ${type} are accepted by its own reader, twice with different bodies`, () => {
      const examples = requestExamples(`/v2/events/${type}`);
      expect(examples).to.have.length.at.least(2);
      for (const example of examples) {
        expect(read(Buffer.from(JSON.stringify(example)))).to.include({ outcome: 'valid' });
      }
    });

    it(`of ${type}, when changed, are validated alike by the reader and by the schema`, () => {
      const check = schemaCheck(contentOf(`/v2/events/${type}`).schema);
      for (const example of requestExamples(`/v2/events/${type}`)) {
        for (const body of mutationsOf(example)) {
          const { outcome } = read(Buffer.from(JSON.stringify(body)));
          expect(check(body), JSON.stringify(body)).to.equal(outcome === 'valid');
        }
      }
    });
  }

  it('of POST /token are read by its own reader', () => {
    for (const example of requestExamples('/token')) {
      const bytes = Buffer.from(JSON.stringify(example));
      expect(readTokenRequest(bytes)).to.include({ outcome: 'valid' });
    }
  });

  it('of the legacy endpoint are read by its own reader', () => {
    const receipt = {
      eventId: '01a1fe03-c8aa-7571-a42e-072a6930b333',
      tenantId: 't',
      receivedAt: new Date('2026-02-01T00:00:00Z'),
      backdatingWindowDays: 90,
    };
    for (const example of requestExamples('/events')) {
      const body = parseRawJson(Buffer.from(JSON.stringify(example)));
      const reading = readLegacyEvent(body!, receipt);
      expect(reading).to.deep.include({ outcome: 'event', unknownFields: [] });
    }
  });

  it('of problems say what the catalogue says, at a status where the code can come', () => {
    for (const { operationId, responses } of allOperations()) {
      for (const [status, reference] of Object.entries(responses)) {
        const content = (resolve(document, reference)['content'] ?? {}) as Content;
        const { examples = {} } = content['application/problem+json'] ?? {};
        for (const [code, { value }] of Object.entries(examples)) {
          const { title, type } = problemCatalogue[code as ProblemCode];
          expect(value, `${operationId} ${status}`).to.include({ code, title, type });
          if (status !== 'default') expect(value['status']).to.equal(Number(status));
        }
      }
    }
  });

  it('of the guide are no worse: its event is accepted, its problem one of ours', async () => {
    const guide = await integrationGuide();
    const sent = (/<<EVENT\n(\{[^}]*\}[^}]*\}[^}]*\})\nEVENT/.exec(guide)?.[1] ?? '')
      .replace('$UCC', 'MiYK421SmMb')
      .replace('$PAID_AT', '2026-01-31T12:00:00Z');
    expect(v2Events['purchase-created'].read(Buffer.from(sent))).to.include({ outcome: 'valid' });
    const problem = JSON.parse(/\{\s+"type": "urn:[^`]*/.exec(guide)?.[0] ?? '') as Json;
    const check = schemaCheck(schemaRef('Problem'));
    expect([check(problem), check.errors]).to.deep.equal([true, null]);
    const reading = v2Events['purchase-created'].read(
      Buffer.from(sent.replace(/.*invoiceId.*/, '')),
    );
    const { violations, truncated } = reading as Extract<typeof reading, { outcome: 'invalid' }>;
    const detail = violationsDetail(violations, truncated);
    const { instance } = problem as { instance: string };
    const answered = buildProblem('VALIDATION_ERROR', { detail, errors: violations, instance });
    expect(problem).to.deep.equal(answered);
  });

  function allOperations(): OperationObject[] {
    const webhooks = operationsOf({ paths: document.webhooks });
    return [...operationsOf(document), ...webhooks].map(({ operation }) => operation);
  }

  function contentOf(path: string): Content[string] {
    return document.paths[path]!['post']!.requestBody!.content['application/json']!;
  }

  function requestExamples(path: string): Json[] {
    return Object.values(contentOf(path).examples).map(({ value }) => value);
  }
});

/** The example with one thing changed, at every member of every object of it. */
function mutationsOf(body: Json): unknown[] {
  const strange = [null, '', ' ', 'x'.repeat(256), 'x'.repeat(321), -1, 1.5, {}, [], true];
  const deeper = Object.entries(body).flatMap(([name, value]) =>
    isObject(value) ? mutationsOf(value).map((changed) => ({ ...body, [name]: changed })) : [],
  );
  return [
    body,
    { ...body, unknown: 1 },
    ...Object.keys(body).flatMap((name) => [
      Object.fromEntries(Object.entries(body).filter(([other]) => other !== name)),
      ...strange.map((value) => ({ ...body, [name]: value })),
    ]),
    ...deeper,
  ];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
