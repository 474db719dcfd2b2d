// @module-tag browser
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser a conversation says what the model hears of it', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('work/AGENTS.md', 'Say "aye" for yes.\n')
  expect(await runHere(home, ['chat', '--cli', '-z', 'talk of boats'])).toMatchObject({ code: 0 })
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/context`)
    await page.getByRole('link', { name: 'talk of boats' }).waitFor()
    await takePicture(page, 'panel-context-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-context-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'talk of boats' }).click()
    await page.getByText('It was never made shorter.').waitFor()
    await page.getByText('You are agent').waitFor()
    await takePicture(page, 'panel-context-one-wide-light')
    await page.getByRole('button', { name: 'Make it shorter' }).click()
    await page.getByText('There is nothing to make shorter yet.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
