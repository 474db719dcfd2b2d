// @module-tag browser
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome } from '../support/test-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

const parts = (page: Page) => ({
  box: page.getByLabel('Message to the agent'),
  pick: page.getByLabel('Files for the message'),
  files: page.getByRole('list', { name: 'Files' }),
  alert: page.getByRole('alert'),
})

test('files that wait in the composer are there after a reload and are sent once; one that the browser cannot keep is named', {
  timeout: 120_000,
}, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const { box, pick, files, alert } = parts(page)
  try {
    await page.goto(`${dashboard.url}#/chat`)
    await box.fill('count the words')
    await pick.setInputFiles([textFile('notes.md', 'Buy milk.'), textFile('list.md', 'Sell cheese.')])
    await files.getByText('list.md').waitFor()
    await page.getByRole('button', { name: 'Remove list.md' }).click()
    await page.reload()
    await files.getByText('notes.md').waitFor()
    expect([await box.inputValue(), await files.getByText('list.md').count()]).toEqual(['count the words', 0])
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-end=complete]').waitFor()
    await page.locator('.said', { hasText: 'count the words' }).getByText('notes.md').waitFor()

    // In the conversation, and after what was sent, nothing waits.
    await page.reload()
    await page.locator('[data-end=complete]').waitFor()
    expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(0)
    await page.evaluate(`(() => {
      let size = 4 * 1024 * 1024
      for (let at = 0; size > 256; at++) try { sessionStorage.setItem('ballast ' + at, 'x'.repeat(size)) } catch { size = Math.floor(size / 2) }
    })()`)
    await pick.setInputFiles([textFile('book.md', 'page '.repeat(2000))])
    await files.getByText('book.md').waitFor()
    expect(await alert.count()).toBe(0)
    await page.reload()
    await alert.getByText('book.md is not here any more').waitFor()
    expect(await page.getByRole('button', { name: 'Remove book.md' }).count()).toBe(0)
    await page.evaluate(`for (const name of Object.keys(sessionStorage)) if (name.startsWith('ballast')) sessionStorage.removeItem(name)`)
    await pick.setInputFiles([textFile('book.md', 'page '.repeat(2000))])
    await alert.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('button', { name: 'Remove book.md' }).waitFor()
    expect(await alert.count()).toBe(0)
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})
