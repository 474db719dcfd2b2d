// @module-tag browser
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { openBrowser, type Page } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { openTelegramServer } from '../test/telegram-server.ts'

const soon = { timeout: 20_000 }
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

test('it is set up, tested, talked to and seen in a browser; a restart that two pages want is one', { timeout: 180_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  await using telegram = await openTelegramServer(undefined, undefined, token)
  const dashboard = await startDashboard(home, 0)
  const browser = await openBrowser()
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
      const buttons = [page, other].map((each) => each.getByRole('button', { name: 'Restart gateway' }))
      for (const button of buttons) await button.waitFor()
      await Promise.all(buttons.map((button) => button.dispatchEvent('click')))
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
    await browser.close()
    await runAgent(home, ['gateway', 'stop'])
    await dashboard.end('SIGTERM')
  }
})
