// @module-tag browser
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

const line = (level: string, msg: string): string => `${JSON.stringify({ time: 1_700_000_000_000, level, name: 'agent', msg })}\n`

test('in the browser a log is followed, and its lines are chosen by file, level and words', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('logs/gateway.log', line('info', 'it began') + line('warn', 'it is slow'))
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/logs`)
    await page.getByLabel('File').selectOption('gateway')
    await page.getByText('agent: it began').waitFor()
    appendFileSync(join(home.home, 'logs', 'gateway.log'), line('error', '<b>it broke</b>'))
    await page.getByText('agent: <b>it broke</b>').waitFor()
    await takePicture(page, 'panel-logs-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-logs-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('Level and above').selectOption('warn')
    await page.getByText('agent: it began').waitFor({ state: 'detached' })
    await page.getByLabel('Find').fill('SLOW')
    await expect.poll(() => page.locator('.log-line').count()).toBe(1)
    await page.getByLabel('Follow').uncheck()
    expect(await page.getByRole('alert').count()).toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
