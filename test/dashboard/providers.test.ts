// @module-tag browser
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browse, startOidcServer } from '../logins/oidc-server.ts'
import { deviceCodeAt, pkceAt, writeProvider } from '../logins/write-provider.ts'
import { type Browser, openBrowser } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome } from '../support/test-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a person logs in to a provider by a code, over a reload of the page, and out again', { timeout: 120_000 }, async () => {
  await using server = await startOidcServer({ interval: 0.01 })
  using home = openTestHome()
  writeProvider(home, deviceCodeAt(server))
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  try {
    await page.goto(`${dashboard.url}#/models`)
    await page.getByRole('button', { name: 'Log in: Mine' }).click()
    const code = page.getByLabel('Login to Mine').locator('dd')
    const shown = await code.innerText()
    expect(shown).toMatch(/^[A-Z-]{8,}$/)
    await page.reload()
    expect(await code.innerText()).toBe(shown)
    const link = page.getByRole('link', { name: 'Open the page with the code in it' })
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener')
    await browse((await link.getAttribute('href')) ?? '')
    await page.getByText('Logged in to mine.').waitFor()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByText('Logged in to mine.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Log out of Mine' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Log out of Mine' }).click()
    await page.getByRole('button', { name: 'Log in: Mine' }).waitFor()
    expect(JSON.parse(home.read('auth.json')).logins).toEqual({})
    expect(faults).toEqual([])
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})

test('or by a page, whose address is pasted; a wrong one is told, and the next try is right', { timeout: 120_000 }, async () => {
  await using server = await startOidcServer()
  using home = openTestHome()
  writeProvider(home, pkceAt(server))
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/models`)
    const login = page.getByLabel('Login to Mine')
    await page.getByRole('button', { name: 'Log in: Mine' }).click()
    await login.getByLabel('Code', { exact: true }).fill('http://127.0.0.1:1/callback')
    await page.keyboard.press('Enter')
    await page.getByText('the address that was pasted has no code in it').waitFor()
    await page.getByRole('button', { name: 'Log in: Mine' }).click()
    const href = await login.getByRole('link', { name: 'Open the page of Mine' }).getAttribute('href')
    await login.getByLabel('Code', { exact: true }).fill((await browse(href ?? '')).address)
    await login.getByRole('button', { name: 'Hand in the code' }).click()
    await page.getByText('Logged in to mine.').waitFor()
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})
