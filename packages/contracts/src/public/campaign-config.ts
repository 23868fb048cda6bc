import { type Static, Type } from '@sinclair/typebox';

/**
 * `GET /widget/campaign-config?ucc=…[&productId=…]`, asked by the attribution script. A page of a
 * domain that is not registered, an unknown or invalid code and an unknown product are all answered
 * with `{}` (interface 2.13: the configuration may be empty).
 */

/** Interface 2.13; design 8, "Campaign config". */
export const CampaignConfig = Type.Object({
  campaignId: Type.Optional(Type.String()),
  /** Months that the new user's discount lasts; 0: none. */
  newUserDiscountMonth: Type.Optional(Type.Number()),
  /** Decimal fraction, 0.1 is 10 %; 0: no discount. */
  newUserDiscountPercentage: Type.Optional(Type.Number()),
});
export type CampaignConfig = Static<typeof CampaignConfig>;

export const CampaignConfigAnswer = Type.Object({
  campaignConfig: Type.Optional(CampaignConfig),
  /** By the tenant's setting; absent when it is not to be told, or not known. */
  referrerName: Type.Optional(Type.String()),
  /** For how long the code is kept in the browser. */
  windowDays: Type.Optional(Type.Integer()),
});
export type CampaignConfigAnswer = Static<typeof CampaignConfigAnswer>;
