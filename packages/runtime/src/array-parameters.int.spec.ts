import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { createLogger } from './logger.ts';
import { createPool } from './postgres.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('array parameters', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'public', poolSize: 1 };
    pool = createPool(settings, { applicationName: 'spec', logger });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  /** Elements as the server has them, or what it says against them. */
  async function read(statement: string, elements: readonly unknown[]): Promise<unknown> {
    try {
      const { rows } = await pool.query<{ found: string }>(statement, [elements]);
      return rows[0]?.found;
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'NULL', '"', '{}', '\0'),
  );
  const time = fc.date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  const digits = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
  const types: Record<string, fc.Arbitrary<unknown>> = {
    text,
    uuid: fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.constant('no uuid'),
    ),
    int: fc.oneof({ weight: 9, arbitrary: fc.integer() }, fc.constantFrom(2 ** 31, 1.5, '7', 'x')),
    integer: fc.integer(),
    smallint: fc.integer({ min: -(2 ** 15) - 1, max: 2 ** 15 }),
    bigint: fc.oneof(fc.maxSafeInteger(), digits, digits.map(String), fc.constant('1e3')),
    boolean: fc.oneof({ weight: 9, arbitrary: fc.boolean() }, fc.constantFrom('true', 'no')),
    timestamptz: fc.oneof(
      time,
      time.map((at) => at.toISOString()),
      fc.constantFrom('2026-02-29T00:00:00Z', '2024-02-29T10:00:00.5Z', '2026-01-31T24:00:00Z'),
      fc.constantFrom('2026-13-01T00:00:00Z', '2026-03-01 10:00:00.123456+02', 'infinity', '-'),
    ),
    json: fc.json(),
    bytea: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    numeric: fc.integer(),
  };

  for (const [type, element] of Object.entries(types)) {
    it(`of ${type} mean to the server what they mean as text`, async () => {
      const elements = fc.array(fc.option(element, { freq: 8 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(elements, async (array) => {
          const binary = await read(`select $1::${type}[]::text as found`, array);
          const asText = await read(`select cast($1 as ${type}[])::text as found`, array);
          expect(binary).to.equal(asText);
        }),
      );
    });
  }

  it('are of the type that the statement says first, by whatever name it is sent', async () => {
    const statement = {
      name: 'twice',
      text: 'select $2::uuid[]::text[] || $1::text[] || $2::text[] as found',
      values: [['a', 'b'], ['00000000-0000-4000-8000-000000000000']],
    };
    for (let round = 0; round < 2; round++) {
      const { rows } = await pool.query<{ found: string[] }>(statement);
      const [, [id]] = statement.values as [string[], string[]];
      expect(rows[0]?.found).to.deep.equal([id, 'a', 'b', id]);
    }
    const undeclared = await pool.query<{ found: boolean }>('select 2 = any($1) as found', [
      [1, 2],
    ]);
    expect(undeclared.rows).to.deep.equal([{ found: true }]);
  });
});
