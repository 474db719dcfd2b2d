// @module-tag browser
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOidcServer } from '../logins/oidc-server.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { openTestDashboard, root } from '../support/servers/open-test-dashboard.ts'
import { openPathProxy } from '../support/servers/path-proxy.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const environment = {
  AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann',
  AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'right',
  AGENT_DASHBOARD_SESSION_TOKEN: undefined,
}
const config = (origin: string): string =>
  `model: { provider: offline, default: offline }\ndashboard: { base_path: /x/y, public_url: "${origin}", trusted_proxies: [127.0.0.1] }\n`

async function chat(page: Page): Promise<void> {
  await page.getByLabel('Message to the agent').fill('hello')
  await page.keyboard.press('Enter')
  await page.locator('[data-end=complete]').waitFor()
}

test.each([false, true])(
  'below a path of a proxy one logs in, chats, comes back after a reload and can install it as an app; it takes the path away: %s',
  async (strips) => {
    let target = ''
    await using proxy = await openPathProxy({ path: '/x/y', strips, target: () => target })
    await using dashboard = await openTestDashboard({
      ...{ environment, pages: join(root, 'host', 'web', 'dist') },
      prepare: (home) => void home.write('config.yaml', config(proxy.origin)),
    })
    target = dashboard.url
    const context = await browser.newContext()
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    const outside: string[] = []
    page.on('request', (request) => request.url().startsWith(`${proxy.origin}/x/y`) || outside.push(request.url()))
    await page.goto(`${proxy.origin}/x/y/#/chat`)
    await page.getByLabel('Name').fill('ann')
    await page.getByLabel('Password').fill('right')
    await page.keyboard.press('Enter')
    await chat(page)
    await page.reload()
    await page.locator('[data-end=complete]').waitFor()
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'agent_session', path: '/x/y/' })
    expect(outside).toEqual([])
    const client = await context.newCDPSession(page)
    const { url, errors } = await client.send('Page.getAppManifest')
    expect({ url, errors }).toEqual({ url: `${proxy.origin}/x/y/app.webmanifest`, errors: [] })
    // Each context of a test is a private window, in which nothing is installed; nothing else stands against it.
    const { installabilityErrors } = await client.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
    await context.close()
  },
)

test('below a path an identity provider leads back to the page', async () => {
  let target = ''
  await using proxy = await openPathProxy({ path: '/x/y', strips: false, target: () => target })
  await using server = await startOidcServer({ backTo: `${proxy.origin}/x/y/` })
  const oidc = {
    ...{ AGENT_DASHBOARD_OIDC_ISSUER: server.issuer, AGENT_DASHBOARD_OIDC_CLIENT_ID: server.clientId },
    ...{ AGENT_DASHBOARD_OIDC_SCOPES: 'openid email groups', AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS: 'keepers' },
  }
  await using dashboard = await openTestDashboard({
    ...{ environment: { ...environment, ...oidc }, pages: join(root, 'host', 'web', 'dist') },
    prepare: (home) => void home.write('config.yaml', config(proxy.origin)),
  })
  target = dashboard.url
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(`${proxy.origin}/x/y/#/usage`)
  await page.getByRole('link', { name: 'Log in with 127.0.0.1' }).click()
  await page.locator('input[name=login]').fill('ann')
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(page.url()).toBe(`${proxy.origin}/x/y/#/usage`)
  await context.close()
})
