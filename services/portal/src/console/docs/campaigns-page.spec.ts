import { readFile } from 'node:fs/promises';
import { CampaignRule, RuleConditions, RuleLimits } from '@tributary/contracts/campaign-rule';
import { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { expect } from 'chai';
import type { CampaignDraft } from '../../catalog/domain/campaign-draft.ts';
import {
  campaignWarningCodes,
  warningsOfCampaign,
} from '../../catalog/domain/campaign-warnings.ts';
import { describeCampaign } from '../../catalog/domain/describe-campaign.ts';
import { createCampaignValidator } from '../../http/campaign-refinement.ts';

const read = (name: string) =>
  readFile(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/campaigns.md', () => {
  let page: string;
  let example: Record<string, unknown>;
  before(async () => {
    page = await read('campaigns.md');
    example = JSON.parse(await read('campaigns.example.json')) as Record<string, unknown>;
  });

  it('shows the example that is beside it', () => {
    expect(blocks('json').map((text) => JSON.parse(text) as unknown)[0]).to.deep.equal(example);
  });

  it('has an example without mistakes and warnings', () => {
    expect(warningsOfCampaign(draftOfExample())).to.deep.equal([]);
  });

  it('says of the example what a check says', () => {
    const { campaign, rules } = describeCampaign(draftOfExample());
    const sentences = rules.flatMap(({ ruleId, sentences: own }) => [
      `Rule ${ruleId}`,
      ...own.map((sentence) => `  ${sentence}`),
    ]);
    const shown = [...campaign, ...sentences, 'No mistakes.'].join('\n');
    expect(blocks('').map((text) => text.trim())).to.include(
      `$ tributary campaign check docs/campaigns.example.json\n${shown}`,
    );
  });

  it('shows effects that can be put', () => {
    const effects = blocks('json').slice(1);
    expect(effects).to.have.length(3);
    for (const text of effects) {
      const rule = { ruleId: 'r', trigger: 'purchase-created', recipient: 'referrer' };
      const campaign = { name: 'x', landingUrl: 'https://example.com/', creditScale: 2 };
      const effect = JSON.parse(text) as unknown;
      const { violations } = validate({ ...campaign, rules: [{ ...rule, effect }] });
      expect(violations, text).to.deep.equal([]);
    }
  });

  it('explains every member and every warning, and no other', () => {
    const {
      entity: _e,
      schemaVersion: _s,
      version: _v,
      publishedAt: _p,
      revision: _r,
      ...own
    } = CampaignRevisionRecord.properties;
    const members = [CampaignRule, RuleConditions, RuleLimits].flatMap(({ properties }) =>
      Object.keys(properties),
    );
    expect(firstCells()).to.have.members([
      ...Object.keys(own),
      ...members,
      ...campaignWarningCodes,
    ]);
  });

  function blocks(language: string): string[] {
    const fences = page.matchAll(/^```([a-z]*)\n([^]*?)^```$/gm);
    return [...fences].flatMap(([, name, text]) => (name === language ? [text ?? ''] : []));
  }

  /** The names in the first cell of each row of the tables that explain. */
  function firstCells(): string[] {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    return rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
    );
  }

  function draftOfExample(): CampaignDraft {
    const { tenantId: _tenant, campaignId: _campaign, ...body } = example;
    const validation = validate(body);
    if ('value' in validation) return validation.value;
    throw new Error(JSON.stringify(validation.violations));
  }
});

const validate = createCampaignValidator('prod');
