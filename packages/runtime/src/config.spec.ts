import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { type Environment, parseConfig } from './config.ts';

const schema = Type.Object({
  SERVICE_ENV: Type.Union([Type.Literal('prod'), Type.Literal('sandbox')]),
  TRIBUTARY_PORT: Type.Integer({ minimum: 0, maximum: 65_535 }),
  TRIBUTARY_RATIO: Type.Number({ default: 0.5, maximum: 1 }),
  TRIBUTARY_TLS: Type.Boolean({ default: false }),
  TRIBUTARY_TLS_CA_FILE: Type.Optional(
    Type.String({
      verify: (_path: string, all: Record<string, unknown>) =>
        all['TRIBUTARY_TLS'] === true ? undefined : 'is set while TRIBUTARY_TLS is not true',
    }),
  ),
  TRIBUTARY_PIN: Type.Integer({ secret: true, default: 1 }),
});

const right = { SERVICE_ENV: 'prod', TRIBUTARY_PORT: '8080' };

function mistakesOf(env: Environment): string[] {
  const result = parseConfig(schema, env);
  return 'mistakes' in result ? result.mistakes : [];
}

describe('configuration from the environment', () => {
  it('gives values of the right type, with defaults for what is absent', () => {
    const result = parseConfig(schema, { ...right, TRIBUTARY_TLS: 'true' });
    expect(result).to.deep.equal({
      config: {
        SERVICE_ENV: 'prod',
        TRIBUTARY_PORT: 8080,
        TRIBUTARY_RATIO: 0.5,
        TRIBUTARY_TLS: true,
        TRIBUTARY_PIN: 1,
      },
    });
  });

  it('reports every mistake at once: missing, wrong type, out of range, unknown', () => {
    const mistakes = mistakesOf({
      TRIBUTARY_PORT: '99999',
      TRIBUTARY_RATIO: 'half',
      TRIBUTARY_TLS: 'yes',
      TRIBUTARY_POTR: '1',
    });
    expect(mistakes).to.deep.equal([
      'SERVICE_ENV: is missing; it must be prod or sandbox',
      'TRIBUTARY_PORT: must be a whole number from 0 to 65535, not "99999"',
      'TRIBUTARY_RATIO: must be a number, at most 1, not "half"',
      'TRIBUTARY_TLS: must be true or false, not "yes"',
      'TRIBUTARY_POTR: is not a variable of this service; the nearest known name is TRIBUTARY_PORT',
    ]);
  });

  it('reports mistakes that span variables together with the others', () => {
    const mistakes = mistakesOf({ TRIBUTARY_TLS_CA_FILE: '/ca.pem', TRIBUTARY_PORT: '1' });
    expect(mistakes).to.deep.equal([
      'SERVICE_ENV: is missing; it must be prod or sandbox',
      'TRIBUTARY_TLS_CA_FILE: is set while TRIBUTARY_TLS is not true',
    ]);
  });

  it('never repeats the value of a secret', () => {
    const mistakes = mistakesOf({ ...right, TRIBUTARY_PIN: 'hunter2' });
    expect(mistakes).to.deep.equal(['TRIBUTARY_PIN: must be a whole number']);
  });

  it('does not repeat the value of an unknown variable, which may be a misspelled secret', () => {
    const [mistake] = mistakesOf({ ...right, TRIBUTARY_PINN: 'hunter2' });
    expect(mistake).to.include('TRIBUTARY_PIN').and.not.include('hunter2');
  });

  it('refuses a text secret that can be guessed, at production only, and does not repeat it', () => {
    const withToken = Type.Object({
      SERVICE_ENV: Type.Union([Type.Literal('prod'), Type.Literal('sandbox')]),
      TRIBUTARY_TOKEN: Type.String({ secret: true }),
    });
    const parse = (environment: string, token: string) =>
      parseConfig(withToken, { SERVICE_ENV: environment, TRIBUTARY_TOKEN: token });
    expect(parse('sandbox', 'aaaaaaaaaaaaaaaa')).to.have.property('config');
    expect(parse('prod', randomBytes(16).toString('hex'))).to.have.property('config');
    expect(parse('prod', 'aaaaaaaaaaaaaaaa')).to.deep.equal({
      mistakes: ['TRIBUTARY_TOKEN: can be guessed; take random bytes (SERVICE_ENV is prod)'],
    });
  });

  it('counts an empty variable as absent', () => {
    expect(mistakesOf({ ...right, TRIBUTARY_PORT: '' })).to.have.length(1);
    expect(mistakesOf({ ...right, TRIBUTARY_RATIO: '' })).to.have.length(0);
  });

  it('takes no number in another notation', () => {
    for (const text of ['1e3', '0x10', ' 8080', '80.0', 'Infinity', '']) {
      expect(mistakesOf({ ...right, TRIBUTARY_PORT: text }), text).to.have.length(1);
    }
  });

  it('leaves variables of others alone', () => {
    expect(mistakesOf({ ...right, PATH: '/bin', NODE_OPTIONS: '' })).to.deep.equal([]);
  });
});
