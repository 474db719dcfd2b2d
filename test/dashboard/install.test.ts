// @module-tag browser
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../repo/source-files.ts'
import { fetchVerdaccio, openRegistry, type Registry } from '../support/fakes/verdaccio.ts'
import { needs } from '../support/needs.ts'
import { type Browser, openBrowser } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome } from '../support/test-home.ts'

const missing = await fetchVerdaccio()

let browser: Browser
let registry: Registry
beforeAll(async () => {
  browser = await openBrowser()
  registry = await openRegistry()
})
afterAll(async () => {
  await browser.close()
  await registry[Symbol.asyncDispose]()
})

test('a platform of somebody else is found, agreed to, installed, set up by its form and removed, all in the browser', {
  ...needs(missing),
  timeout: 120_000,
}, async () => {
  using home = openTestHome()
  const folder = join(home.folder, 'published')
  mkdirSync(folder)
  execFileSync('tar', ['-xzf', join(root, 'plugin-sdk', 'golden', 'platform-sample-api-1.tgz'), '-C', folder])
  await registry.publishFolder(join(folder, 'package'))
  writeFileSync(join(home.folder, '.npmrc'), registry.npmrc)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/plugins`)
    await page.getByText('Install a plugin').click()
    await page.getByLabel('Search the registry, or name a package').fill('sample')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('button', { name: 'Look at agent-plugin-platform-sample' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Receives and sends messages.').waitFor()
    await dialog.getByRole('button', { name: 'Agree and install' }).click()
    await page.getByText('platform-sample 1.0.0 is installed.').first().waitFor()
    await page.getByRole('button', { name: 'Turn on Sample' }).click()
    await page.getByRole('button', { name: 'Turn off Sample' }).waitFor()

    await page.goto(`${dashboard.url}#/platforms`)
    await page.getByRole('link', { name: 'Sample', exact: true }).click()
    await page.getByLabel('Token of the bot (needed)').fill('a-token-of-mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('SAMPLE_TOKEN is written').waitFor()
    expect(home.read('.env')).toContain('SAMPLE_TOKEN=a-token-of-mine')

    await page.goto(`${dashboard.url}#/plugins`)
    await page.getByRole('button', { name: 'More about Sample' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove Sample' }).click()
    await page.getByText(/platform-sample .*removed/).waitFor()
    await page.goto(`${dashboard.url}#/platforms`)
    await page.getByRole('heading', { name: 'Platforms' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sample', exact: true }).count()).toBe(0)
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})

test('a package that is no plugin is refused in words, before anything is installed', { ...needs(missing), timeout: 60_000 }, async () => {
  using home = openTestHome()
  await registry.publish({ 'package.json': JSON.stringify({ name: 'no-plugin-at-all', version: '1.0.0', license: 'MIT' }) })
  writeFileSync(join(home.folder, '.npmrc'), registry.npmrc)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/plugins`)
    await page.getByText('Install a plugin').click()
    await page.getByLabel('Search the registry, or name a package').fill('no-plugin-at-all')
    await page.getByRole('button', { name: 'Look at this package' }).click()
    await page.getByRole('dialog').getByText('agent.plugin.json').waitFor()
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})
