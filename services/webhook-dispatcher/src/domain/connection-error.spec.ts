import { expect } from 'chai';
import { classifyConnectionError, describeConnectionError } from './connection-error.ts';

describe('classifyConnectionError', () => {
  const cases: Record<string, string> = {
    ECONNREFUSED: 'refused',
    EHOSTUNREACH: 'refused',
    ENOTFOUND: 'dns_error',
    EAI_AGAIN: 'dns_error',
    ETIMEDOUT: 'timeout',
    UND_ERR_CONNECT_TIMEOUT: 'timeout',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls_error',
    ERR_SSL_WRONG_VERSION_NUMBER: 'tls_error',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_error',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_error',
    CERT_HAS_EXPIRED: 'tls_error',
    INVALID_PURPOSE: 'tls_error',
    EPROTO: 'tls_error',
    ECONNRESET: 'reset',
    EPIPE: 'reset',
    UND_ERR_SOCKET: 'reset',
    UND_ERR_HEADERS_OVERFLOW: 'reset',
    HPE_INVALID_CONSTANT: 'reset',
  };
  for (const [code, result] of Object.entries(cases)) {
    it(`reads ${code} as ${result}`, () => {
      expect(classifyConnectionError(code)).to.equal(result);
    });
  }

  it('reads an error without a code as a connection that broke', () => {
    expect(classifyConnectionError(undefined)).to.equal('reset');
  });
});

describe('describeConnectionError', () => {
  it('says what happened, where, and the code to search for', () => {
    const fault = { code: 'ECONNREFUSED', message: 'x', address: '192.0.2.1', port: 443 };
    expect(describeConnectionError(fault)).to.deep.equal({
      result: 'refused',
      detail: 'nothing accepts connections there (192.0.2.1:443) [ECONNREFUSED]',
    });
  });

  it("uses the library's words where there are no better ones", () => {
    const { detail } = describeConnectionError({ code: 'HPE_X', message: 'not HTTP/1.1' });
    expect(detail).to.equal('not HTTP/1.1 [HPE_X]');
  });

  it('has words for an error that says nothing, and never too many', () => {
    expect(describeConnectionError({}).detail).to.equal(
      'the connection broke off before an answer',
    );
    expect(describeConnectionError({ message: 'x'.repeat(9_999) }).detail).to.have.length(300);
  });
});
