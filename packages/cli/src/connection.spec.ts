import { expect } from 'chai';
import { findConnection } from './connection.ts';
import { UsageError } from './failures.ts';

const nowhere = '/nonexistent';

describe('findConnection', () => {
  it('takes flags before the environment', async () => {
    const env = { TRIBUTARY_ADMIN_URL: 'http://env', TRIBUTARY_ADMIN_TOKEN: 'env-token' };
    const flags = { url: 'https://flag:8443/base/', token: 'flag-token' };
    expect(await findConnection(flags, { env, cwd: nowhere })).to.deep.equal({
      baseUrl: 'https://flag:8443/base',
      token: 'flag-token',
      system: { address: 'https://flag:8443/base', foundBy: '--url' },
    });
    expect(await findConnection({}, { env, cwd: nowhere })).to.deep.equal({
      baseUrl: 'http://env',
      token: 'env-token',
      system: { address: 'http://env', foundBy: 'TRIBUTARY_ADMIN_URL' },
    });
  });

  it('asks for an address when there is none, and for a token when there is none', async () => {
    expect(await mistake({}))
      .to.contain('npm start')
      .and.contain('TRIBUTARY_ADMIN_URL');
    expect(await mistake({ url: 'http://x' })).to.contain('TRIBUTARY_ADMIN_TOKEN');
    expect(await mistake({ url: 'x', token: 't' })).to.contain('Not an http or https address');
  });

  async function mistake(flags: { url?: string; token?: string }): Promise<string> {
    try {
      await findConnection(flags, { env: { TRIBUTARY_ADMIN_URL: '' }, cwd: nowhere });
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
    throw new Error('a connection was found');
  }
});
