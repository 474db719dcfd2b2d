// @module-tag browser
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser a child agent that has ended stands under its task', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  const ask = `call delegate_task ${JSON.stringify({ goal: 'count the boats' })}`
  expect(await runHere(home, ['chat', '--cli', '-z', ask])).toMatchObject({ code: 0 })
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/agents`)
    await page.getByText('count the boats').waitFor()
    await page.getByText('completed').waitFor()
    await takePicture(page, 'panel-agents-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-agents-real-phone-light')
    expect(await page.getByRole('alert').count()).toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
