import { expect } from 'chai';
import { eventOf, payment, personOf, receipt, warningsOf } from '../testing/envelopes.ts';

describe('context.newUser of a legacy event (4.4, design 5)', () => {
  it('puts e-mail and name into the person and nowhere else', () => {
    const body = payment({ newUser: { id: 'u1', email: 'a@example.com', name: 'Ann' } });
    expect(personOf(body)).to.deep.equal({
      schemaVersion: 2,
      tenantId: 't1',
      userId: 'u1',
      email: 'a@example.com',
      name: 'Ann',
      receivedAt: '2026-03-01T12:00:00.000Z',
      eventId: receipt.eventId,
    });
    expect(JSON.stringify(eventOf(body))).not.to.match(/Ann|example/);
  });

  it('makes no person of neither', () => {
    for (const newUser of [{}, { id: 'u1' }, { email: '', name: null }, { fullName: 'Ann' }]) {
      expect(personOf(payment({ newUser }))).to.equal(undefined);
    }
  });

  it('leaves out an e-mail or name that v2 would refuse, and takes the event', () => {
    const emails = ['ann', 'jörg@example.com', 'a@b c', `${'x'.repeat(320)}@a`, true, 7, 'a\0@b.c'];
    for (const email of emails) {
      const body = payment({ newUser: { email, name: 'Ann' } });
      expect(personOf(body)).to.include({ name: 'Ann' }).and.not.have.property('email');
      expect(warningsOf(body)).to.deep.equal([['FIELD_NOT_STORED', '/context/newUser/email']]);
    }
    for (const name of ['x'.repeat(256), {}, '\ud800', false]) {
      const body = payment({ newUser: { email: 'a@example.com', name } });
      expect(personOf(body)).to.include({ email: 'a@example.com' }).and.not.have.property('name');
      expect(warningsOf(body)).to.deep.equal([['FIELD_NOT_STORED', '/context/newUser/name']]);
    }
  });

  it('takes an e-mail with blanks around it', () => {
    const person = personOf(payment({ newUser: { email: ' a@example.com\n' } }));
    expect(person).to.have.property('email', 'a@example.com');
  });

  it('files everything under payload.newUserId, and warns when newUser.id is another', () => {
    const body = payment({ newUser: { id: 'elsewhere', name: 'Ann' } });
    expect(eventOf(body).newUser).to.deep.equal({ id: 'u1' });
    expect(personOf(body)).to.include({ userId: 'u1' });
    expect(warningsOf(body)).to.deep.equal([['NEW_USER_ID_DIFFERS', '/context/newUser/id']]);
    expect(JSON.stringify(eventOf(body))).not.to.include('elsewhere');
  });

  it('keeps the organization in the event, with the warning of 2.7', () => {
    const body = payment({ newUser: { organizationId: 12 } });
    expect(eventOf(body).newUser).to.deep.equal({ id: 'u1', organizationId: '12' });
    expect(eventOf(body).warnings).to.deep.equal([
      {
        code: 'FIELD_NOT_YET_HONOURED',
        detail:
          '/context/newUser/organizationId is stored but does not influence attribution or ' +
          'rewards yet.',
        pointer: '/context/newUser/organizationId',
      },
    ]);
  });
});
