// @module-tag process
import { afterEach, beforeEach, expect } from 'vitest'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { addWebBackend } from '../../support/web-backend.ts'
import { proves } from '../proves.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addWebBackend(home, 'ant', ['search', 'extract'], 'ANT_KEY')
  addWebBackend(home, 'zebra')
})
afterEach(() => home[Symbol.dispose]())

const configure = (more: object = {}): void => {
  const entries = { 'web-backend-ant': { enabled: true }, 'web-backend-zebra': { enabled: true } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, ...more }))
}
const ask = async (text: string, environment: Record<string, string> = {}): Promise<string> =>
  (await runHere(home, ['chat', '-z', text], { environment })).out
const search = (environment?: Record<string, string>): Promise<string> => ask('call web_search {"query": "words"}', environment)

proves('config.web.backend.chosen', 'web.backend names the backend that is asked, and one that cannot be is told', async () => {
  configure({ web: { backend: 'zebra' } })
  expect(await search({ ANT_KEY: 'k' })).toContain('Found by zebra')
  configure({ web: { backend: 'ant' } })
  expect(await search({ ANT_KEY: 'k' })).toContain('Found by ant')
  expect(await search()).toMatch(/web-backend-ant cannot run: .*ANT_KEY/)
  configure({ web: { backend: 'zebr' } })
  expect(await search()).toContain('Did you mean "zebra"?')
})

proves('config.web.backend.fallback', 'without a choice the backend whose key is there is asked', async () => {
  configure({ plugins: { entries: { 'web-backend-ant': { enabled: true } } } })
  expect(await search({ ANT_KEY: 'k' })).toContain('Found by ant')
  expect(await search()).toContain('There is no tool "web_search"')
  configure()
  expect(await search()).toContain('Found by zebra')
})

proves('config.website-blocklist', 'a website on the list is not read, and neither is one below it', async () => {
  configure({ security: { website_blocklist: ['blocked.example'] } })
  for (const url of ['https://blocked.example/one', 'http://www.blocked.example'])
    expect(await ask(`call web_extract {"urls": ["${url}"]}`)).toMatch(/is not asked: security.website_blocklist names it/)
  expect(await ask('call web_extract {"urls": ["https://93.184.216.34/one"]}')).toContain('Words of zebra')
})
