import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from '../body-reader.ts';
import { closedBody, eventFields } from './event-fields.ts';

/** Body of POST /v2/events/signup-created (interface 4.2, design 8 "Sibling events"). */
export const SignupCreated = Type.Object(eventFields, closedBody);
export type SignupCreated = Static<typeof SignupCreated>;

export const readSignupCreated = createBodyReader(SignupCreated);
