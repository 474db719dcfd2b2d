// @module-tag browser
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTelegramServer } from '../../plugins/platforms/telegram/test/telegram-server.ts'
import { runAgent } from '../support/run-agent.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const soon = { timeout: 20_000 }
const offline = 'model: { provider: offline, default: offline }\n'
const token = '123456789:a-token-of-twenty-letters'

/** The process id of the gateway; undefined while none runs. */
function pidOf(home: TestHome): number | undefined {
  const file = join(home.home, 'gateway.pid')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid : undefined
}

/** Fills in the form of Telegram, saves it and presses Test; what that says. */
async function tryToken(page: Page, typed: string): Promise<string> {
  await page.getByLabel('Token of the bot (needed)').fill(typed)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('TELEGRAM_BOT_TOKEN is written').first().waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  return page
    .getByRole('status')
    .filter({ hasText: /works|does not work/ })
    .innerText(soon)
}

test('Telegram is set up, tested, talked to and seen; a restart that two pages want is one', { timeout: 180_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', offline)
  await using telegram = await openTelegramServer(undefined, undefined, token)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  const answers = () => telegram.messages.flatMap(({ fromBot, text }) => (fromBot ? [text] : []))
  try {
    await page.goto(`${dashboard.url}#/platforms`)
    await page.getByRole('link', { name: 'Telegram', exact: true }).click()
    await page.getByText(/^More settings/).click()
    await page.getByLabel('Base url').fill(telegram.url)
    await page.getByLabel('Ids of those who may talk to the agent, with commas').fill('7')
    expect(await tryToken(page, `${token}-of-another`)).toContain('does not work')
    expect(await tryToken(page, token)).toMatch(/^(?!.*does not).*works/s)
    expect(home.read('.env')).toContain(`TELEGRAM_BOT_TOKEN=${token}\n`)
    expect(home.read('config.yaml')).toContain(telegram.url)
    expect(home.read('config.yaml')).not.toContain(token)

    await page.goto(`${dashboard.url}#/status`)
    await page.getByRole('button', { name: 'Start gateway' }).click()
    await page.getByRole('button', { name: 'Restart gateway' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'telegram' }).getByText('connected').waitFor()
    telegram.say('hello')
    await expect.poll(answers, soon).toEqual([expect.stringMatching(/^Hello/)])

    const other = await context.newPage()
    await other.goto(`${dashboard.url}#/status`)
    const seen = new Set<number | undefined>([pidOf(home)])
    const looking = setInterval(() => seen.add(pidOf(home)), 10)
    try {
      await Promise.all([page, other].map((each) => each.getByRole('button', { name: 'Restart gateway' }).click()))
      for (const each of [page, other])
        await each.locator('.line').filter({ hasText: 'gateway-restart' }).filter({ hasNotText: 'running' }).waitFor(soon)
    } finally {
      clearInterval(looking)
    }
    seen.delete(undefined)
    expect([seen.size, seen.has(pidOf(home))]).toEqual([2, true])
    telegram.say('help')
    await expect.poll(() => answers().length, soon).toBe(2)
    expect(faults).toEqual([])
  } finally {
    await context.close()
    await runAgent(home, ['gateway', 'stop'])
    await dashboard.end('SIGTERM')
  }
})

test('another profile is made, opened and set up apart from the first one', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', offline)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const write = async (value: string) => {
    await page.getByLabel('Token of the bot (needed)').fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('TELEGRAM_BOT_TOKEN is written').first().waitFor()
  }
  try {
    await page.goto(`${dashboard.url}#/profiles`)
    await page.getByLabel('Name').fill('work')
    await page.getByRole('button', { name: 'Make profile' }).click()
    await page.getByRole('listitem').filter({ hasText: 'work' }).getByRole('link', { name: 'Open' }).click()
    await page.getByRole('listitem').filter({ hasText: 'work' }).getByText('shown').waitFor()
    const chosen = () => page.getByLabel('Profile').inputValue()
    expect(await chosen()).toBe('work')
    await page.goto(`${dashboard.url}?profile=work#/platforms/telegram`)
    await write(`${token}-of-work`)
    const file = 'profiles/work/.env'
    expect([home.read(file).includes('-of-work'), existsSync(join(home.home, '.env'))]).toEqual([true, false])
    await page.getByLabel('Profile').selectOption('default')
    await expect.poll(chosen, soon).toBe('default')
    await page.goto(`${dashboard.url}?profile=default#/platforms/telegram`)
    await page.getByText('not set up').first().waitFor()
    await write(token)
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
