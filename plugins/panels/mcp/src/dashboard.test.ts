// @module-tag browser
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

const server = join(import.meta.dirname, '../test/two-tools.mjs')

test('in the browser a server is added, tried, turned off and removed', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/mcp`)
    await page.getByText('There is no MCP server yet.').waitFor()
    await page.getByLabel(/^Name/).fill('near')
    await page.getByLabel(/^Command/).fill(process.execPath)
    await page.getByLabel(/^Words behind/).fill(server)
    await page.getByLabel(/^Variables/).fill('NEAR_TOKEN=hush-hush-hush')
    await page.getByRole('button', { name: 'Add the server' }).click()
    await page.getByRole('link', { name: 'near' }).waitFor()
    expect(home.read('config.yaml')).not.toContain('hush')
    await takePicture(page, 'panel-mcp-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-mcp-real-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'near' }).click()
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('The MCP server near has 2 tools.').first().waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    await takePicture(page, 'panel-mcp-server-wide-light')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => home.read('config.yaml')).not.toContain('near')
    await page.goto(`${dashboard.url}#/panel/mcp`)
    await page.getByRole('link', { name: 'sequential-thinking' }).click()
    await page.getByRole('heading', { name: 'Server of the catalog' }).waitFor()
    await page.getByRole('button', { name: 'Add the server' }).click()
    await page.getByText('not added').waitFor({ state: 'detached' })
    expect(home.read('config.yaml')).toContain('server-sequential-thinking')
  } finally {
    await dashboard.end('SIGTERM')
  }
})
