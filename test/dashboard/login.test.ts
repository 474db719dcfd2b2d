// @module-tag browser
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOidcServer } from '../logins/oidc-server.ts'
import { findFreePort } from '../support/free-port.ts'
import { addGate, nameGates } from '../support/servers/gate-dashboard.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { openTestDashboard, root, type TestDashboard } from '../support/servers/open-test-dashboard.ts'
import type { TestHome } from '../support/test-home.ts'
import { takePicture } from './pictures.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const environment = {
  AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann',
  AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'right',
  AGENT_DASHBOARD_SESSION_TOKEN: undefined,
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly url: string
  readonly dashboard: TestDashboard
  /** Errors of scripts, and what the policy of the page refused. */
  readonly faults: readonly string[]
}

/** The real dashboard beyond this machine, and a browser that comes to it. */
async function visit(options: BrowserContextOptions = {}, given: Parameters<typeof openTestDashboard>[0] = {}): Promise<Visit> {
  const dashboard = await openTestDashboard({ host: '0.0.0.0', environment, pages: join(root, 'host', 'web', 'dist'), ...given })
  const context = await browser.newContext(options)
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => /Content Security Policy|Refused/.test(message.text()) && faults.push(message.text()))
  return {
    ...{ page, dashboard, faults, url: `http://127.0.0.1:${new URL(dashboard.url).port}/` },
    async [Symbol.asyncDispose]() {
      await context.close()
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

/** By key alone: the name has the focus already. */
async function logIn(page: Page, password: string): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByLabel('Name').fill('ann')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

test('who logs in comes to the page that was asked for, and who logs out is before the door again', async () => {
  await using seen = await visit()
  const { page, url, faults } = seen
  await page.goto(`${url}#/profiles`)
  await logIn(page, 'wrong')
  await page.getByRole('alert').getByText('That name and password do not fit.').waitFor()
  expect(await page.evaluate('document.activeElement.type'), 'the password is asked for again').toBe('password')
  await page.keyboard.type('right')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Profiles' }).waitFor()
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.reload()
  await logIn(page, 'right')
  await page.getByRole('heading', { name: 'Profiles' }).waitFor()
  expect(faults).toEqual([])
})

test('a login that ends hides the page at once, and the next one goes on with what was typed', async () => {
  await using seen = await visit()
  const { page, url, dashboard } = seen
  await page.goto(`${url}#/chat`)
  await logIn(page, 'right')
  await page.getByLabel('Message to the agent').fill('half a sen')
  const [{ value = '' } = {}] = await page.context().cookies()
  const token = (await page.locator('meta[name="agent-token"]').getAttribute('content')) ?? ''
  const headers = { cookie: `agent_session=${value}`, 'x-agent-session-token': token }
  // As another page of the same browser does.
  await dashboard.askBare('POST', '/api/auth/logout', { headers })
  await page.getByText('Your login has ended.').waitFor()
  expect(await page.getByLabel('Message to the agent').isVisible()).toBe(false)
  await logIn(page, 'right')
  await page.getByLabel('Message to the agent').waitFor()
  expect(await page.getByLabel('Message to the agent').inputValue()).toBe('half a sen')
  await page.getByText('connection lost').waitFor({ state: 'detached' })
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByText('Your login has ended.').waitFor()
  await logIn(page, 'right')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
})

test('too many tries are told as such', async () => {
  await using seen = await visit()
  const { page, url, dashboard } = seen
  for (let tries = 0; tries < 10; tries++)
    await dashboard.askBare('POST', '/api/auth/login', { body: { username: 'ann', password: 'wrong' } })
  await page.goto(url)
  await logIn(page, 'right')
  await page.getByRole('alert').getByText('Wait a minute').waitFor()
})

async function logInThere(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}

test('by an identity provider one comes in, is told where one may not, and leaves both', async () => {
  const port = await findFreePort()
  await using server = await startOidcServer({ backTo: `http://127.0.0.1:${port}/` })
  const oidc = {
    ...{ AGENT_DASHBOARD_OIDC_ISSUER: server.issuer, AGENT_DASHBOARD_OIDC_CLIENT_ID: server.clientId },
    ...{ AGENT_DASHBOARD_OIDC_SCOPES: 'openid email groups', AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS: 'keepers' },
  }
  await using seen = await visit({}, { port, environment: { ...environment, ...oidc } })
  const { page, url, faults } = seen
  const away = page.getByRole('link', { name: 'Log in with 127.0.0.1' })
  await page.goto(`${url}#/usage`)
  await away.click()
  await logInThere(page, 'eve')
  await page.getByText('nobody has let you in here').waitFor()
  expect(page.url()).toBe(`${url}#/usage`)
  // Another person at the same browser.
  await page.context().clearCookies()
  await away.click()
  await logInThere(page, 'ann')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(page.url()).toBe(`${url}#/usage`)
  await page.goto(`${url}#/chat`)
  await page.getByLabel('Message to the agent').fill('half a sen')
  await page.context().clearCookies({ name: 'agent_session' })
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('Your login has ended.').waitFor()
  // The provider still knows ann, and is visited in a page beside this one.
  const [beside] = await Promise.all([page.context().waitForEvent('page'), away.click()])
  await beside.locator('button[type=submit]').click()
  await page.getByLabel('Message to the agent').waitFor()
  expect(await page.getByLabel('Message to the agent').inputValue()).toBe('half a sen')
  await beside.close()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('button', { name: /yes/i }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await away.click()
  await page.locator('input[name=login]').waitFor()
  expect(faults).toEqual([])
})

test('gates of plugins stand beside each other, each with its own form or button', async () => {
  const home = 'export default { open: async () => ('
  const office = `${home}{ check: async ({ name, password }) => (password === 'right' ? { id: name } : null) }) }`
  const portal = `${home}{
    begin: async ({ returnTo, state }) => ({ url: returnTo + '?state=' + state }),
    finish: async () => ({ id: 'ann' }) }) }`
  const prepare = (made: TestHome): void => {
    addGate(made, 'office', 'password', office)
    addGate(made, 'portal', 'redirect', portal)
    nameGates(made, ['office', 'portal'], ['gate-office:office', 'gate-portal:portal', 'gate-gone:gone'])
  }
  const importEntry = ({ plugin }: { readonly plugin: { readonly root: string } }) =>
    import(pathToFileURL(join(plugin.root, 'dist', 'gate.js')).href) as Promise<{ readonly default: unknown }>
  await using seen = await visit({}, { prepare, gates: { importEntry } })
  const { page, url, faults } = seen
  await page.goto(`${url}#/usage`)
  await page.getByText('Nobody gets in by gate-gone:gone now').waitFor()
  const form = page.getByRole('form', { name: 'Log in with The office' })
  await form.getByLabel('Name').fill('ann')
  await form.getByLabel('Password').fill('wrong')
  await form.getByRole('button').click()
  await form.getByRole('alert').getByText('That name and password do not fit.').waitFor()
  await takePicture(page, 'login-gates')
  await page.evaluate(axe)
  const serious =
    'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))'
  expect(await page.evaluate(serious)).toEqual([])
  await form.getByLabel('Password').fill('right')
  await form.getByRole('button').click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('link', { name: 'Log in with The portal' }).click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(page.url()).toBe(`${url}#/usage`)
  expect(faults).toEqual([])
})

test.each(['light', 'dark'] as const)('nothing serious stands in the way of who logs in on a phone, %s', async (colorScheme) => {
  await using seen = await visit({ colorScheme, viewport: { width: 390, height: 844 } })
  const { page, url, faults } = seen
  await page.goto(url)
  await logIn(page, 'wrong')
  await page.getByRole('alert').waitFor()
  await page.evaluate(axe)
  const serious =
    'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))'
  expect(await page.evaluate(serious)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await takePicture(page, `login-failing-phone-${colorScheme}`)
  expect(faults).toEqual([])
})
