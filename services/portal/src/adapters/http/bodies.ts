import { Type } from '@sinclair/typebox';
import { AttributionMode, LegacyRepeatHours } from '@tributary/contracts/catalog-record';
import { isDerivedUccForm } from '@tributary/contracts/ucc';
import type { Violation } from '@tributary/contracts/violation';
import { createBodyReader } from './body.ts';
import { anyText, identifier, printableText } from './fields.ts';

/** The request bodies of the admin API. All closed: an undeclared field is refused. */
const closed = { additionalProperties: false };

export const readTenantBody = createBodyReader(
  Type.Object(
    {
      name: printableText(255),
      tenantId: Type.Optional(identifier()),
      attributionMode: Type.Optional(AttributionMode),
    },
    closed,
  ),
);

export const readEmptyBody = createBodyReader(Type.Object({}, closed));

export const readDefaultCampaignBody = createBodyReader(
  Type.Object({ campaignId: identifier() }, closed),
);

export const readAttributionModeBody = createBodyReader(
  Type.Object({ attributionMode: AttributionMode }, closed),
);

export const readLegacyRepeatHoursBody = createBodyReader(
  Type.Object({ legacyRepeatHours: LegacyRepeatHours }, closed),
);

/** The code is in the body: see code-routes.ts. */
export const readUccBody = createBodyReader(Type.Object({ ucc: anyText(255) }, closed));

export const readCodeBody = createBodyReader(
  Type.Object(
    {
      productUserId: anyText(255),
      campaignId: Type.Optional(identifier()),
      ucc: Type.Optional(printableText(255)),
    },
    closed,
  ),
  ({ ucc }) => (ucc !== undefined && isDerivedUccForm(ucc) ? [derivedForm] : []),
);

/** As long as the widget service takes one. */
export const readTokenBody = createBodyReader(Type.Object({ token: anyText(8_192) }, closed));

const derivedForm: Violation = {
  pointer: '/ucc',
  code: 'INVALID_FORMAT',
  detail: 'must not be 11 letters and digits: that form is kept for codes made by the service',
};
