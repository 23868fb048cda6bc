import { expect } from 'chai';
import { classifyConnectionError } from './connection-error.ts';
import { judge } from './outcome.ts';

describe('judge (interface 6.1 rule 5)', () => {
  it('takes every 2xx as delivered', () => {
    for (const statusCode of [200, 201, 202, 204, 299]) {
      expect(judge({ end: 'answered', statusCode }).delivered, `${statusCode}`).to.equal(true);
    }
  });

  it('retries everything else, redirects and 410 too', () => {
    for (const statusCode of [301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503, 600]) {
      expect(judge({ end: 'answered', statusCode }).delivered, `${statusCode}`).to.equal(false);
    }
  });

  it('retries when there is no answer', () => {
    expect(judge({ end: 'no-answer', result: 'timeout' })).to.deep.equal({
      delivered: false,
      result: 'timeout',
    });
  });
});

describe('classifyConnectionError', () => {
  const cases: Record<string, string> = {
    ECONNREFUSED: 'refused',
    EHOSTUNREACH: 'refused',
    ENOTFOUND: 'dns_error',
    EAI_AGAIN: 'dns_error',
    ETIMEDOUT: 'timeout',
    UND_ERR_CONNECT_TIMEOUT: 'timeout',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls_error',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_error',
    CERT_HAS_EXPIRED: 'tls_error',
    ECONNRESET: 'reset',
    UND_ERR_SOCKET: 'reset',
    HPE_INVALID_CONSTANT: 'reset',
  };
  for (const [code, result] of Object.entries(cases)) {
    it(`reads ${code} as ${result}`, () => {
      expect(classifyConnectionError(code)).to.equal(result);
    });
  }
});
