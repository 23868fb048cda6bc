/** The release, which gives its resources their names. */
export const release = 'tributary';

/** Name of the Deployment, the Service and the ScaledObject of one part. */
export function deploymentOf(part: string): string {
  return `${release}-${part}`;
}
