import { expect } from 'chai';
import { renderMarkdown } from './markdown.ts';
import { indexOfOperations, indexOfPage } from './search-index.ts';

describe('the index that the documentation is searched by', () => {
  it('has each section of a page, at its own address', () => {
    const html = renderMarkdown('# Webhooks\n\nFirst.\n\n## Retries\n\nThen.');
    expect(indexOfPage('/docs/webhooks', 'Webhooks', html)).to.deep.equal([
      { path: '/docs/webhooks', page: 'Webhooks', heading: '', text: 'First.' },
      { path: '/docs/webhooks#retries', page: 'Webhooks', heading: 'Retries', text: 'Then.' },
    ]);
  });

  it('has each operation of a reference', () => {
    const post = { operationId: 'createToken', summary: 'Get a token', description: 'By `key`.' };
    const json = JSON.stringify({ paths: { '/token': { post, parameters: [] } } });
    expect(indexOfOperations('/docs/api', 'API reference', json)).to.deep.equal([
      {
        path: '/docs/api#operation/createToken',
        page: 'API reference',
        heading: 'POST /token',
        text: 'Get a token. By key.',
      },
    ]);
  });
});
