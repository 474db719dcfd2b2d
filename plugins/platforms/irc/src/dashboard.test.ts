// @module-tag browser

import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { type Browser, openBrowser, type Page } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openIrcPerson } from '../test/irc-person.ts'
import { ngircdMissing, openNgircd } from '../test/ngircd.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function fillIn(page: Page, port: number): Promise<void> {
  await page.getByLabel('Host name of the IRC server, without a port (needed)').fill('127.0.0.1')
  await page.getByText(/^More settings/).click()
  await page.getByLabel('Port of the server').fill(String(port))
  await page.getByLabel('Encrypt the connection with TLS').fill('false')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('IRC_SERVER is written').waitFor()
}

test('a platform on a real server is set up, tested, enabled and talked to by somebody who is let in, and stands on the status page, all in the browser', {
  ...needs(ngircdMissing),
  timeout: 120_000,
}, async () => {
  using home = openTestHome()
  await using server = await openNgircd()
  await using ann = await openIrcPerson(server.port, 'ann')
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/platforms/irc`)
    await fillIn(page, server.port)
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('Connected as agent').waitFor()
    await page.goto(`${dashboard.url}#/status`)
    await page.getByRole('button', { name: 'Start gateway' }).click()
    await page.getByText(/^process \d+$/).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'irc' }).getByText('connected').waitFor()
    ann.say('agent', 'hello')
    const told = (): string => ann.text('agent', 'ann')
    await expect.poll(told, { timeout: 20_000 }).toMatch(/approve irc [A-Z2-9]{8}/)
    await page.goto(`${dashboard.url}#/people`)
    await page.getByLabel('Code').fill(/approve irc (\w{8})/.exec(told())?.[1] ?? '')
    await page.getByRole('button', { name: 'Let in' }).click()
    await page.getByRole('button', { name: 'Take out ann' }).waitFor()
    ann.say('agent', 'stream 3 tokens')
    await expect.poll(told, { timeout: 20_000 }).toContain('offline-3')

    await page.goto(`${dashboard.url}#/sessions`)
    await page.getByText('stream 3 tokens').first().waitFor()
    await page.goto(`${dashboard.url}#/status`)
    await page.getByRole('button', { name: 'Stop gateway' }).click()
    await page.getByText('The gateway does not run').waitFor()
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
    await runAgent(home, ['gateway', 'stop'])
  }
})
