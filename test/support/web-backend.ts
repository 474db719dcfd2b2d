import type { TestHome } from './test-home.ts'

/** The code of a backend whose web is one page. What it is asked may tell it to `fail` or to `die`. */
const code = (id: string, able: readonly string[]): string => `
const page = (url) => ({ url, title: 'A page of ${id}', text: 'Words of ${id}, from process ' + process.pid })
const methods = {
  search: async ({ query }) => {
    if (query === 'fail') throw new Error('it was asked to')
    if (query === 'die') process.exit(1)
    return [{ ...page('https://a.example/one'), excerpt: 'Found by ${id}, in process ' + process.pid }]
  },
  extract: async (url) => page(url),
  crawl: async ({ url }) => [page(url)],
}
export default { open: async () => ({ ${able.map((name) => `${name}: methods.${name}`).join(', ')} }) }
`

/** Puts a web backend into a home, switched off; it needs a key where `key` names a variable. */
export function addWebBackend(home: TestHome, id: string, able: readonly string[] = ['search', 'extract'], key?: string): void {
  const capabilities = Object.fromEntries(able.map((name) => [name, true]))
  const manifest = {
    ...{ manifestVersion: 1, id: `web-backend-${id}`, name: id, description: 'made up', version: '1.0.0', license: 'MIT' },
    api: { 'web-backend': 1 },
    env: key === undefined ? [] : [{ name: key, secret: true, required: true, prompt: 'a key' }],
    contributes: { webBackends: [{ id, entry: 'dist/web.js', label: id, capabilities, env: key === undefined ? [] : [key] }] },
  }
  const folder = `plugins/local/web-backend-${id}`
  home.write(`${folder}/agent.plugin.json`, JSON.stringify(manifest))
  home.write(`${folder}/package.json`, '{ "type": "module" }')
  home.write(`${folder}/dist/web.js`, code(id, able))
}
