import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type ServiceRow, serviceTable } from '../local/service-table.ts';
import { variablesOfTheChart } from './chart-variables.ts';
import { valuesFile, valuesNames } from './render-chart.ts';
import { chartDir, schemaFile, schemaText } from './schema-text.ts';

const services: readonly ServiceRow[] = serviceTable;
const values = parse(readFileSync(join(chartDir, 'values.yaml'), 'utf8')) as { services: object };

describe('the schema of the chart’s values', () => {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as object;
  const accepts = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  const complaints = (given: unknown) => {
    accepts(given);
    return (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('is written from the services’ own schemas', async () => {
    const kept = readFileSync(schemaFile, 'utf8');
    expect(kept, 'run: node deploy/helm/write-schema.ts').to.equal(await schemaText());
  });

  it('takes the defaults, and what the examples change of them', () => {
    expect(complaints(values)).to.be.empty;
    for (const name of valuesNames) {
      expect(complaints(parse(readFileSync(valuesFile(name), 'utf8'))), name).to.be.empty;
    }
  });

  it('says a name of every default, and no other', () => {
    expect(namesOf(schema)).to.include.members(Object.keys(values));
    expect(Object.keys(values.services)).to.have.members(services.map(({ name }) => name));
  });

  for (const [what, given] of Object.entries({
    'a name at the top': { kafak: {} },
    'a name further down': { kafka: { broker: 'a:1' } },
    'a variable that the service does not have': {
      services: { attribution: { settings: { TRIBUTARY_REDIS_KEY_PREFIX: 'x' } } },
    },
    'a secret among the settings': {
      services: { portal: { settings: { TRIBUTARY_SMTP_PASSWORD: 'x' } } },
    },
    'a variable that another value is for': { settings: { TRIBUTARY_KAFKA_BROKERS: 'a:1' } },
    'a number out of its range': {
      services: { replay: { settings: { TRIBUTARY_REPLAY_WORKERS: 0 } } },
    },
    'brokers without a port': { kafka: { brokers: 'kafka' } },
  })) {
    it(`refuses ${what}`, () => expect(complaints(given)).to.not.be.empty);
  }

  it('knows the variables that the templates set', () => {
    const all = new Set(services.flatMap((service) => Object.keys(service.schema.properties)));
    expect(variablesOfTheChart.filter((name) => !all.has(name))).to.be.empty;
  });
});

function namesOf(schema: object): string[] {
  return Object.keys((schema as { properties: object }).properties);
}
