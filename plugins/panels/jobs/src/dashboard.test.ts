// @module-tag browser
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser a job is made, found in the calendar, changed and removed', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/jobs`)
    await page.getByText('There is no job yet.').waitFor()
    await page.getByLabel('Name').fill('news')
    await page.getByLabel('What the agent is to do').fill('What is new?')
    await page.getByLabel(/^When/).fill('daily at 9:00')
    await page.getByRole('button', { name: 'Make the job' }).click()
    await page.getByRole('link', { name: 'news' }).waitFor()
    await takePicture(page, 'panel-jobs-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-jobs-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: /^Pause/ }).click()
    await page.getByRole('button', { name: /^Resume/ }).waitFor()
    await page.getByRole('link', { name: 'news' }).click()
    await page.getByLabel('What the agent is to do').fill('What is old?')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('What is old?').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
