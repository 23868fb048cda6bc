import { expect } from 'chai';
import { aclsOf, aclText, kafkaPrincipals } from './topic-rights.ts';
import { topics } from './topics.ts';

const textsOf = (principal: Parameters<typeof aclsOf>[0], prefix = '') =>
  aclsOf(principal, prefix).map(aclText);

describe('the rights of principals at the brokers', () => {
  it('are permissions of a topic by its name, and of its later generations by how that begins', () => {
    const written = textsOf('attribution', 'acme.').filter((text) => text.startsWith('Write'));
    expect(written).to.have.members([
      `Write on topic acme.${topics.attributions.name}`,
      `Write on topics acme.${topics.attributions.name}.g*`,
      `Write on topic acme.${topics.deadLetters.name}`,
    ]);
  });

  it('let each principal read in groups that begin with its name, and in no other', () => {
    for (const principal of kafkaPrincipals) {
      const groups = textsOf(principal).filter((text) => text.startsWith('Read on group'));
      const own = principal === 'transfer' ? 'tributary-transfer' : principal;
      expect(groups).to.deep.equal(principal === 'topics' ? [] : [`Read on groups ${own}*`]);
    }
  });

  it('let only replay remove topics, of what the folds write; and make those of later generations', () => {
    for (const principal of kafkaPrincipals) {
      const made = textsOf(principal).filter((text) => /^(Create|Delete) on topic/.test(text));
      if (principal === 'topics' || principal === 'transfer') {
        expect(made.every((text) => text.startsWith('Create'))).to.equal(true);
      } else if (principal === 'replay') {
        expect(made).to.have.members([
          `Create on topics ${topics.attributions.name}.g*`,
          `Create on topics ${topics.rewards.name}.g*`,
          `Delete on topic ${topics.attributions.name}`,
          `Delete on topic ${topics.rewards.name}`,
          `Delete on topics ${topics.attributions.name}.g*`,
          `Delete on topics ${topics.rewards.name}.g*`,
        ]);
      } else expect(made, principal).to.deep.equal([]);
    }
  });

  it('are each given once', () => {
    for (const principal of kafkaPrincipals) {
      const texts = textsOf(principal);
      expect(new Set(texts).size).to.equal(texts.length);
    }
  });
});
