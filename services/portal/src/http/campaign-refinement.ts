import {
  createBodyValidator,
  soundMembers,
  type Validation,
} from '@tributary/contracts/admin/body-validator';
import { CampaignBody } from '@tributary/contracts/admin/campaign-body';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { Violation } from '@tributary/contracts/violation';
import type { Static } from '@sinclair/typebox';
import { type Environment, validateLandingUrl } from '../catalog/domain/addresses.ts';
import type { CampaignDraft } from '../catalog/domain/campaign-draft.ts';
import { validateDiscount, validateRules } from '../catalog/domain/validate-rules.ts';
import { refusalOf } from './body.ts';

const defaultCreditScale = 0;
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** What the schema of a campaign cannot say: see catalog/domain/validate-rules.ts. */
export function campaignRefinement(environment: Environment) {
  return (
    sound: Partial<Static<typeof CampaignBody>>,
    misshapen: ReadonlySet<string>,
    body: unknown,
  ): Violation[] => {
    const { landingUrl, effectiveFrom, creditScale = defaultCreditScale } = sound;
    const scale = misshapen.has('/creditScale') ? undefined : creditScale;
    return [
      ...(landingUrl === undefined
        ? []
        : validateLandingUrl(landingUrl, '/landingUrl', environment)),
      ...(effectiveFrom === undefined ? [] : validateStart(effectiveFrom)),
      ...validateDiscount(sound),
      ...validateRules(soundRules(body, misshapen), scale),
    ];
  };
}

/** A campaign of which every member is right, with what holds where something was left out. */
export function toCampaignDraft(body: Static<typeof CampaignBody>): CampaignDraft {
  const { status = 'running', creditScale = defaultCreditScale, ...rest } = body;
  const start = rest.effectiveFrom;
  const effectiveFrom = start === undefined ? undefined : toUtc(start);
  return { ...rest, status, creditScale, effectiveFrom };
}

/** Gives the draft, or every mistake. */
export function createCampaignValidator(
  environment: Environment,
): (body: unknown) => Validation<CampaignDraft> {
  const validate = createBodyValidator(CampaignBody, campaignRefinement(environment));

  return (body) => {
    const validation = validate(body);
    if (!('value' in validation)) return validation;
    return { violations: [], value: toCampaignDraft(validation.value) };
  };
}

/** @throws {Refusal} VALIDATION_ERROR */
export function createCampaignReader(environment: Environment): (body: unknown) => CampaignDraft {
  const validateCampaign = createCampaignValidator(environment);
  return (body) => {
    const validated = validateCampaign(body);
    if ('value' in validated) return validated.value;
    throw refusalOf(validated.violations);
  };
}

/** Keeps the members of each rule that have no mistake, so that one mistake hides no other. */
function soundRules(body: unknown, misshapen: ReadonlySet<string>): Partial<CampaignRule>[] {
  const rules = (body as { rules?: unknown } | null)?.rules;
  if (!Array.isArray(rules) || misshapen.has('/rules')) return [];
  return rules.map((rule, i) => soundMembers(rule, `/rules/${i}`, misshapen));
}

function validateStart(text: string): Violation[] {
  const pointer = '/effectiveFrom';
  const instant = parseTimestamp(text);
  if (instant === undefined) {
    const detail = 'must be an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z';
    return [{ pointer, code: 'INVALID_FORMAT', detail }];
  }
  if (instant.epochMs <= lastInstantMs) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: 'must lie before the year 10000' }];
}

function toUtc(text: string): string {
  return new Date(Math.floor(parseTimestamp(text)?.epochMs ?? NaN)).toISOString();
}
