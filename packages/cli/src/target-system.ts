import { printable } from './print.ts';

/** What a command is about to change, and how it was found: a flag, a variable or a file. */
export type TargetSystem = {
  address: string;
  /** Known only of a system that `npm start` described. */
  environment?: string;
  foundBy: string;
};

/** One line, with --json one of JSON, so that the standard error stays a stream of JSON texts. */
export function describeTarget(system: TargetSystem, json: boolean): string {
  if (json) return JSON.stringify({ system });
  const { address, environment, foundBy } = system;
  const known = environment === undefined ? '' : `${environment}; `;
  return printable(`System: ${address} (${known}from ${foundBy})`);
}
