// @module-tag browser
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome } from '../support/test-home.ts'
import { findSimplePlatform } from './simple-platform.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const soon = { timeout: 20_000 }
const offline = 'model: { provider: offline, default: offline }\n'

test('another profile is made, opened and set up apart from the first one', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', offline)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const { id, variable, prompt } = findSimplePlatform()
  const write = async (value: string) => {
    await page.getByLabel(`${prompt} (needed)`).fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${variable} is written`).first().waitFor()
  }
  try {
    await page.goto(`${dashboard.url}#/profiles`)
    await page.getByLabel('Name').fill('work')
    await page.getByRole('button', { name: 'Make profile' }).click()
    await page.getByRole('listitem').filter({ hasText: 'work' }).getByRole('link', { name: 'Open' }).click()
    await page.getByRole('listitem').filter({ hasText: 'work' }).getByText('shown').waitFor()
    const chosen = () => page.getByLabel('Profile').inputValue()
    expect(await chosen()).toBe('work')
    await page.goto(`${dashboard.url}?profile=work#/platforms/${id}`)
    await write('a-value-of-work')
    const file = 'profiles/work/.env'
    expect([home.read(file).includes('-of-work'), existsSync(join(home.home, '.env'))]).toEqual([true, false])
    await page.getByLabel('Profile').selectOption('default')
    await expect.poll(chosen, soon).toBe('default')
    await page.goto(`${dashboard.url}?profile=default#/platforms/${id}`)
    await page.getByText('not set up').first().waitFor()
    await write('a-value-of-mine')
    expect([home.read('.env').includes('-of-work'), home.read(file).includes('-of-work')]).toEqual([false, true])
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})

test('a model that does not answer is not kept, and the one before stands', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  const before = `# mine\n${offline}`
  home.write('config.yaml', before)
  home.write('.env', 'CUSTOM_BASE_URL=http://127.0.0.1:9/v1\n')
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/models`)
    await page.getByRole('button', { name: /^Choose .*ustom/ }).click()
    await page.getByLabel('Model', { exact: true }).fill('nobody-1')
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /ECONNREFUSED|127\.0\.0\.1/ })
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('offline · offline').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'in use' }).getByText('ffline').first().waitFor()
    expect(home.read('config.yaml')).toBe(before)
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})
