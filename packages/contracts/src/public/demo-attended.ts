import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from '../body-reader.ts';
import { closedBody, eventFields } from './event-fields.ts';

/** Body of POST /v2/events/demo-attended (interface 4.2, design 8 "Sibling events"). */
export const DemoAttended = Type.Object(eventFields, closedBody);
export type DemoAttended = Static<typeof DemoAttended>;

export const readDemoAttended = createBodyReader(DemoAttended);
