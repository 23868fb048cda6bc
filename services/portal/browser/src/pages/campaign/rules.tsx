import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { hrefOf, usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { withMarks } from '../../parts/hidden-characters.ts';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { Part } from '../../parts/part.tsx';
import { wholeNumber } from '../../parts/whole-number.ts';
import { place as previewPlace } from '../preview/place.ts';
import { Checked } from './checked.tsx';
import { Differences } from './differences.tsx';
import { parseObject, useDraft } from './draft.ts';
import { place } from './place.ts';
import { campaignTexts } from './texts.ts';

type Revision = AnswerOf<'listCampaigns'>['campaigns'][number];

const example = {
  name: 'Friends',
  status: 'running',
  landingUrl: 'https://example.com/join',
  creditScale: 2,
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
      holdDays: 14,
    },
  ],
};

/** The draft of the next revision: as a form, as JSON, and what it means, side by side. */
export function Rules({
  campaignId,
  newest,
}: {
  campaignId: string;
  newest: Revision | undefined;
}) {
  const t = useTexts(campaignTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const mayPreview = useMay(tenantId, 'deployment');
  const saved = bodyOf(newest);
  const draft = useDraft(`${tenantId}/${campaignId}`, JSON.stringify(saved, null, 2));
  const parsed = parseObject(draft.text);
  const [checked] = useDebouncedValue(draft.text, 300);
  const check = useCheck(campaignId, checked);
  const isValid = check.data?.valid === true && checked === draft.text;
  return (
    <Stack>
      {draft.isDraft && (
        <Text size="sm" role="status">
          {t.kept}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack>
          <Form text={draft.text} onChange={draft.change} />
          <JsonEditor label={t.json} value={draft.text} onChange={draft.change} />
        </Stack>
        <Part title={t.sentences}>
          {'mistake' in parsed ? (
            <Text role="status">
              {t.notJson}: {parsed.mistake}
            </Text>
          ) : (
            <Checked check={check} />
          )}
        </Part>
      </SimpleGrid>
      {draft.isDraft && newest && 'value' in parsed && (
        <Part title={t.draftDiffers(newest.revision)}>
          <Differences before={saved} after={parsed.value} />
        </Part>
      )}
      <Group gap="xs">
        {mayChange && isValid && 'value' in parsed && (
          <Save campaignId={campaignId} body={parsed.value} onSaved={draft.discard} />
        )}
        {mayPreview && isValid && 'value' in parsed && (
          <Preview campaignId={campaignId} campaign={parsed.value} />
        )}
        {draft.isDraft && (
          <Button variant="default" onClick={draft.discard}>
            {t.discard}
          </Button>
        )}
      </Group>
      {!mayPreview && <Text size="sm">{t.operatorsOnly}</Text>}
    </Stack>
  );
}

function useCheck(campaignId: string, text: string) {
  const { tenantId } = usePlace(place);
  const parsed = parseObject(text);
  const value = 'value' in parsed ? parsed.value : {};
  return useQuery({
    ...apiQuery('checkCampaign', { query: { tenantId, campaignId }, body: value as never }),
    enabled: 'value' in parsed,
    placeholderData: (before) => before,
  });
}

/** What is changed most, by fields; they and the JSON are one text. */
function Form({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const t = useTexts(campaignTexts);
  const parsed = parseObject(text);
  if ('mistake' in parsed) return null;
  const { value } = parsed;
  const set = (member: string, given: unknown) =>
    onChange(JSON.stringify({ ...value, [member]: given }, null, 2));
  const shown = (member: string) => {
    const given = value[member];
    return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
  };
  return (
    <fieldset className="plain-fieldset">
      <legend>{t.form}</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.name}
          value={shown('name')}
          onChange={({ currentTarget }) => set('name', currentTarget.value)}
        />
        <NativeSelect
          label={t.status}
          value={shown('status')}
          data={optionsOf(t.statuses)}
          onChange={({ currentTarget }) => set('status', currentTarget.value)}
        />
        <TextInput
          label={t.landingUrl}
          value={shown('landingUrl')}
          onChange={({ currentTarget }) => set('landingUrl', currentTarget.value)}
        />
        <TextInput
          label={t.window}
          inputMode="numeric"
          value={shown('attributionWindowDays')}
          onChange={({ currentTarget: { value: days } }) =>
            set('attributionWindowDays', days === '' ? undefined : wholeNumber(days))
          }
        />
        <RuleCredits rules={value['rules']} onChange={(rules) => set('rules', rules)} />
      </SimpleGrid>
    </fieldset>
  );
}

type FixedRule = { ruleId: string; effect: { kind: 'fixed'; credits: string } };

/** The credits of each rule that gives a fixed number of them. */
function RuleCredits({ rules, onChange }: { rules: unknown; onChange: (rules: unknown) => void }) {
  const t = useTexts(campaignTexts);
  if (!Array.isArray(rules)) return null;
  return rules.map((rule: unknown, index) =>
    isFixed(rule) ? (
      <TextInput
        key={index}
        label={t.creditsOf(withMarks(rule.ruleId))}
        inputMode="decimal"
        value={rule.effect.credits}
        onChange={({ currentTarget: { value: credits } }) =>
          onChange(rules.with(index, { ...rule, effect: { ...rule.effect, credits } }))
        }
      />
    ) : null,
  );
}

/** Whether a rule of a draft, which may be anything yet, has credits to show in a field. */
function isFixed(rule: unknown): rule is FixedRule {
  const { ruleId, effect } = (rule ?? {}) as { ruleId?: unknown; effect?: unknown };
  const { kind, credits } = (effect ?? {}) as { kind?: unknown; credits?: unknown };
  return typeof ruleId === 'string' && kind === 'fixed' && typeof credits === 'string';
}

function Save({
  campaignId,
  body,
  onSaved,
}: {
  campaignId: string;
  body: Record<string, unknown>;
  onSaved: () => void;
}) {
  const t = useTexts(campaignTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="putCampaign"
      variant="filled"
      label={t.save}
      title={t.save}
      text={t.saveText}
      done={t.saved}
      result={() => {
        onSaved();
        return null;
      }}
      asked={() => ({ path: { tenantId, campaignId }, body: body as never })}
    />
  );
}

function Preview({
  campaignId,
  campaign,
}: {
  campaignId: string;
  campaign: Record<string, unknown>;
}) {
  const t = useTexts(campaignTexts);
  const { tenantId } = usePlace(place);
  const navigate = useNavigate();
  return (
    <ActionButton
      name="startPreview"
      label={t.preview}
      title={t.preview}
      text={t.previewText}
      fields={[{ key: 'effectiveFrom', label: t.effectiveFrom }]}
      done={t.previewStarted}
      result={({ previewId }) => {
        void navigate({ to: hrefOf(previewPlace, { tenantId, params: { previewId } }) });
        return null;
      }}
      asked={({ effectiveFrom }) => ({
        body: { tenantId, campaignId, campaign, ...(effectiveFrom && { effectiveFrom }) },
      })}
    />
  );
}

/** What a request of it may hold: the rest is given with a revision. */
function bodyOf(newest: Revision | undefined): object {
  if (newest === undefined) return example;
  const { publishedAt: _published, campaignId: _id, revision: _revision, ...rest } = newest;
  const { effectiveFrom: _from, previewId: _preview, ...body } = rest;
  return body;
}
