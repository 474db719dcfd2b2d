// @module-tag browser
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
import { startAgent } from '../support/run-agent.ts'
import { type Browser, openBrowser } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const soon = { timeout: 30_000 }

test('from Status a platform of the running gateway is paused and resumed, and an answer that may not have arrived is dealt with', {
  timeout: 120_000,
}, async () => {
  using home = openTestHome()
  addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  home.write('.env', 'POST_TOKEN=right\nPOST_HOME_CHANNEL=ann\nPOST_ALLOWED_USERS=ann\n')
  expect((await runHere(home, ['send', 'post', 'lose this'])).code).toBe(1)
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 110_000 })
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(soon.timeout)
  try {
    await page.goto(`${dashboard.url}#/status`)
    const post = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: /^(Open|Mend)$/ }) })
      .filter({ hasText: /post/ })
    const figure = (name: string) => page.locator('.card', { hasText: name }).locator('dd').innerText()
    const lost = page.getByRole('list', { name: 'Unknown whether sent' })
    await post.getByText('connected').waitFor()
    await page.getByRole('button', { name: 'Pause: post' }).click()
    await post.getByText('paused').waitFor()
    await page.getByText('post is paused.').waitFor()

    // While it is paused, what is sent again waits.
    await lost.getByRole('button', { name: 'Send again: lose this' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await lost.waitFor({ state: 'detached' })
    await post.getByText('1 to be sent').waitFor()
    expect([await figure('Answers to be sent'), await figure('Unknown whether sent')]).toEqual(['1', '0'])

    // This post office loses its receipt each time.
    await page.getByRole('button', { name: 'Resume: post' }).click()
    await post.getByText('connected').waitFor()
    await lost.getByRole('button', { name: 'It arrived: lose this' }).click()
    await lost.waitFor({ state: 'detached' })
    await expect.poll(() => figure('Unknown whether sent'), soon).toBe('0')
    expect(JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out).unknown).toEqual([])
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
})
