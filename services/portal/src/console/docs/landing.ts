/** The first page: where to read what. */
export const landingBody = `<main class="article landing">
<h1>Tributary documentation</h1>
<p>Your backend reports signups, demos, purchases and refunds of referred users. Tributary attributes
each to the referrer whose code it names, accrues credits, and tells your backend by webhook.</p>
<div class="cards">
${card('/docs/integration', 'Guide', 'From the first token to the first reward: events, idempotency, warnings, retries, webhooks; clients for Node, Python, Go and PHP.')}
${card('/docs/webhooks', 'Webhooks', 'The endpoint that grants the credits: the contract, a command that tests it, five complete receivers.')}
${card('/docs/stripe', 'Stripe', 'Payments from Stripe instead of the API: what to put on the customer, and which field becomes what.')}
${card('/docs/widget', 'Widget', 'For pages of signed-in users: their link, whom they referred, what they earned; in your colours and words.')}
${card('/docs/attribution-script', 'Attribution script', 'For public pages: who sent a visitor, kept in one cookie of your own, and what they save.')}
${card('/docs/browser-frameworks', 'Scripts in your pages', 'Both scripts in plain HTML, React, Next and Vue, to copy; the token signed on your server.')}
${card('/docs/campaigns', 'Campaigns', 'For whoever decides about rewards: rules, limits, refunds, worked examples, warnings.')}
${card('/docs/replay', 'Replay', 'What a change of rules would have done to all of history, and how to make it so; how numbers are verified.')}
${card('/docs/api', 'API reference', 'Every endpoint with its fields, answers and examples.')}
${card('/docs/errors', 'Errors', 'Every problem, violation and warning code: when it comes and what to do.')}
${card('/docs/topics', 'Topics', 'For operators: what each topic of the event log holds, and how to look at it.')}
${card('/docs/admin-api', 'Admin API', 'For operators: tenants, campaigns, rewards, balances, and why each number is what it is.')}
${card('/docs/runbooks', 'Runbooks', 'For operators: what to do when something is wrong, by how it looks.')}
${card('/docs/events', 'Record reference', 'For operators: the schema of every record of the event log.')}
</div>
<h2>For machines</h2>
<ul>
<li><a href="/docs/openapi.json">openapi.json</a>: the API, OpenAPI 3.1</li>
<li><a href="/docs/admin-openapi.json">admin-openapi.json</a>: the admin API, OpenAPI 3.1 (<a href="/docs/admin-reference">drawn</a>)</li>
<li><a href="/docs/asyncapi.json">asyncapi.json</a>: the event log, AsyncAPI 3.0</li>
</ul>
</main>`;

function card(path: string, title: string, words: string): string {
  return `<a class="card" href="${path}"><strong>${title}</strong><span>${words}</span></a>`;
}
