/** What attribution needs of a campaign revision. */
export type Revision = {
  revision: number;
  status: 'running' | 'stopped';
  effectiveFrom: string;
  effectiveFromSeconds: string;
};
