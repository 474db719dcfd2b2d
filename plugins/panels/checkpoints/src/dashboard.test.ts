// @module-tag browser
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser a checkpoint is opened, its files are looked at, and what was edited by hand goes back only where it is said', {
  timeout: 120_000,
}, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'checkpoints: { enabled: true }\napprovals: { mode: "off" }\n')
  const notes = join(home.work, 'notes.md')
  writeFileSync(notes, 'one\n')
  expect(await runHere(home, ['chat', '--cli', '-z', 'write notes.md: two then write bread.md: flour'])).toMatchObject({ code: 0 })
  writeFileSync(notes, 'by hand\n')
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/checkpoints`)
    await page.getByText('a turn that changed 2 files').waitFor()
    await takePicture(page, 'panel-checkpoints-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-checkpoints-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.getByText('1 file of these; going back takes that too').waitFor()
    await takePicture(page, 'panel-checkpoint-one-wide-light')
    await page.getByRole('link', { name: 'bread.md' }).click()
    await page.getByText('+flour').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: /^Go back, and undo what was edited by hand/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go back, and undo what was edited by hand' }).click()
    await page.getByText('Nothing has changed since.').waitFor()
    expect(readFileSync(notes, 'utf8')).toBe('one\n')
    expect(await page.getByRole('alert').count()).toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
