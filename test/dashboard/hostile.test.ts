// @module-tag browser
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { everyPage } from './every-page.ts'
import { openStandIn } from './stand-in.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** What a text makes where it is taken for more. */
const made = [
  ...['script:not([src^="assets/"])', '[onerror]', '[onload]', 'iframe', 'object', 'embed', 'base', 'svg:not([class]):not([role])'],
  ...['a[href^="javascript:" i]', 'form[action^="javascript:" i]', '[src*="evil.example"]', '[style*="evil.example"]'],
].join(', ')

/** Whether what somebody else wrote stands there. */
const isHostile = async (page: Page): Promise<boolean> => (await page.locator('main').innerText()).includes('<script>')

/** It shows nothing that comes from somebody else. */
const plain = ['no-such-page']

test('hostile texts in names, titles, answers, tools, files, panels and addresses stay texts on every page', async () => {
  const stand = await openStandIn('hostile')
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => /Content Security Policy|Refused/.test(message.text()) && faults.push(message.text()))
  page.on('request', (request) => {
    if (!request.url().startsWith(stand.url) && !/^(?:data|blob):/.test(request.url())) faults.push(request.url())
  })
  for (const id of everyPage) {
    await page.goto(`${stand.url}#/${id}`)
    await page.locator('h1').first().waitFor()
    await expect.poll(() => page.locator('.skeleton').count(), { message: id }).toBe(0)
    for (const summary of await page.locator('main summary').all()) await summary.click()
    await expect.poll(() => isHostile(page), { message: id }).toBe(!plain.includes(id))
    expect(await page.locator(made).evaluateAll((found) => found.map(({ outerHTML }) => outerHTML)), id).toEqual([])
    expect(await page.evaluate('window.owned'), id).toBeUndefined()
  }
  await context.close()
  await stand.close()
  expect(faults).toEqual([])
}, 120_000)
