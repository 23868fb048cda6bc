import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);

type Result = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };

/**
 * What axe finds wrong with a page, its shadow roots included: one text for each kind. Everything
 * that WCAG 2.2 A and AA and axe's best practices ask for.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
  const found = await page.evaluate<Result[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => {
    const where = nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('\n  ');
    return `${id}: ${help}\n  ${where}`;
  });
}
