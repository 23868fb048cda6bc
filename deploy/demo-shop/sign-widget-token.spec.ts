import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { signWidgetToken } from './sign-widget-token.ts';

describe('the token that the demo shop boots the widget with (interface 5)', () => {
  const now = new Date('2026-03-01T12:00:00.900Z');
  const productSecret = 'sécret';
  const token = signWidgetToken({ productId: 'p1', productSecret, productUserId: 'ü1', now });

  it('is a JWT that others verify: HS512 over the bytes of the product secret', () => {
    const options = { algorithms: ['HS512' as const], complete: true as const };
    const { header, payload } = jwt.verify(token, Buffer.from(productSecret), options);
    expect(header).to.deep.equal({ alg: 'HS512', typ: 'JWT' });
    const iat = Date.parse('2026-03-01T12:00:00Z') / 1000;
    expect(payload).to.deep.equal({ productId: 'p1', productUserId: 'ü1', iat });
    expect(() => jwt.verify(token, 'another', options)).to.throw();
  });
});
