// @module-tag browser
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { startGuardedServer } from '../../../../test/logins/guarded-server.ts'
import { browse, startOidcServer } from '../../../../test/logins/oidc-server.ts'
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

/** A browser of another machine, which reaches nothing of this one where the login ends. */
const elsewhere: typeof fetch = (url, init) =>
  new URL(String(url)).pathname === '/callback' ? Promise.reject(new Error('nobody is there')) : fetch(url, init)

test('in the browser a server is logged in to: by an address that is pasted, and by itself', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  await using accounts = await startOidcServer({ registration: true, scopesOfResources: 'tools' })
  await using desk = await startGuardedServer({ accounts })
  const { host } = new URL(accounts.issuer)
  home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { url: desk.url } } }))
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    const link = page.getByRole('link', { name: host, exact: true })
    await page.goto(`${dashboard.url}#/panel/mcp/server/desk`)
    await page.getByRole('button', { name: 'Log in desk' }).click()
    await link.waitFor()
    await takePicture(page, 'panel-mcp-login-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-mcp-login-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    const ended = await browse((await link.getAttribute('href')) ?? '', { fetch: elsewhere })
    await page.getByRole('button', { name: 'Finish the login desk' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Address that the browser ended at/).fill('nonsense')
    await dialog.getByRole('button', { name: 'Finish the login' }).click()
    await dialog.getByText('This is no answer to the login to desk').waitFor()
    await takePicture(page, 'panel-mcp-finish-wide-light')
    await dialog.getByLabel(/^Address that the browser ended at/).fill(ended.address)
    await dialog.getByRole('button', { name: 'Finish the login' }).click()
    await page.getByRole('status').getByText(`Logged in to desk, by ${host}.`).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Forget the login desk' }).click()
    await dialog.getByRole('button', { name: 'Forget the login' }).click()
    await page.getByRole('status').getByText('The login with desk is forgotten.').waitFor()
    await page.getByRole('button', { name: 'Log in desk' }).click()
    await browse((await link.getAttribute('href')) ?? '')
    await page.locator('dd').getByText(`Logged in to desk, by ${host}.`).waitFor()
    expect(await link.count(), 'nobody is asked to log in any more').toBe(0)
  } finally {
    await dashboard.end('SIGTERM')
  }
})
