// @module-tag browser
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser something is remembered, changed and forgotten', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/memory`)
    await page.getByText('Nothing is remembered yet.').waitFor()
    await page.getByLabel('Entry').fill('Likes tea.')
    await page.getByRole('button', { name: 'Remember' }).click()
    await page.getByRole('link', { name: 'Likes tea.' }).waitFor()
    await takePicture(page, 'panel-memory-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-memory-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Likes tea.' }).click()
    await page.getByRole('heading', { name: 'Entry' }).waitFor()
    await page.getByLabel('Entry').fill('Likes coffee.')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => home.read('memories/USER.md')).toContain('Likes coffee.')
    await page.goto(`${dashboard.url}#/panel/memory`)
    await page.getByRole('link', { name: 'Likes coffee.' }).waitFor()
  } finally {
    await dashboard.end('SIGTERM')
  }
})
