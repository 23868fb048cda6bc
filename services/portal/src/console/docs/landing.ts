/** The first page: an overview of the documentation. */
export const landingBody = `<main class="article landing">
<h1>Tributary documentation</h1>
<p>Your backend reports signups, demos, purchases and refunds of referred users. Tributary attributes
each event to the referrer whose code it contains, accrues credits, and tells your backend by
webhook.</p>
<div class="cards">
${card('/docs/integration', 'Guide', 'From the first token to the first reward: events, idempotency, warnings, retries, webhooks; clients for Node, Python, Go and PHP.')}
${card('/docs/webhooks', 'Webhooks', 'Your endpoint that grants the credits: the contract, a command that tests the endpoint, five complete receivers.')}
${card('/docs/stripe', 'Stripe', 'Payments from Stripe instead of the API: what to put on the customer, and which field becomes which.')}
${card('/docs/widget', 'Widget', 'For pages of signed-in users: their link, the people they referred and the credits they earned, in your colours and words.')}
${card('/docs/attribution-script', 'Attribution script', 'For public pages: who referred a visitor, stored in one first-party cookie, and the discount the visitor gets.')}
${card('/docs/browser-frameworks', 'Scripts in your pages', 'Snippets to copy: both scripts in plain HTML, React, Next and Vue, and the token signed on your server.')}
${card('/docs/campaigns', 'Campaigns', 'For people who decide about rewards: rules, limits, refunds, worked examples, warnings.')}
${card('/docs/replay', 'Replay', 'See what a change of rules would have done to the whole history, apply it, and verify the numbers.')}
${card('/docs/api', 'API reference', 'Every endpoint with its fields, answers and examples.')}
${card('/docs/errors', 'Errors', 'Every problem, violation and warning code: when it occurs and what to do.')}
${card('/docs/topics', 'Topics', 'For operators: what each topic of the event log contains, and how to inspect it.')}
${card('/docs/admin-api', 'Admin API', 'For operators: tenants, campaigns, rewards, balances, and the explanation of each number.')}
${card('/docs/runbooks', 'Runbooks', 'For operators: what to do when something is wrong, by symptom.')}
${card('/docs/events', 'Record reference', 'For operators: the schema of every record of the event log.')}
</div>
<h2>For machines</h2>
<ul>
<li><a href="/docs/openapi.json">openapi.json</a>: the API, OpenAPI 3.1</li>
<li><a href="/docs/admin-openapi.json">admin-openapi.json</a>: the admin API, OpenAPI 3.1 (<a href="/docs/admin-reference">rendered</a>)</li>
<li><a href="/docs/asyncapi.json">asyncapi.json</a>: the event log, AsyncAPI 3.0</li>
</ul>
</main>`;

function card(path: string, title: string, words: string): string {
  return `<a class="card" href="${path}"><strong>${title}</strong><span>${words}</span></a>`;
}
