// @module-tag browser
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { everyPage } from './every-page.ts'
import { pictureFolder, takePicture } from './pictures.ts'
import { openStandIn } from './stand-in.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const screens = [
  { screen: 'wide', viewport: { width: 1280, height: 800 } },
  { screen: 'phone', viewport: { width: 390, height: 844 } },
]
const cases = (['full', 'empty', 'failing'] as const).flatMap((state) => screens.map((screen) => ({ ...screen, state })))

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  process.stdout.write(`pictures of every page: ${pictureFolder}\n`)
})
afterAll(() => browser.close())

/** The headings of a page that there is not, and of one that fails. */
const undrawn = /could not be drawn|is gone/

/** What stands in somebody's way on the page as it is. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  const serious =
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)))'
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(serious)
  const over = await page.evaluate<number>("document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth")
  const hidden =
    "[...document.querySelectorAll('main .stacks')].map((table) => table.scrollWidth - table.clientWidth).filter((over) => over > 0)"
  const cut = (await page.evaluate<number[]>(hidden)).map((px) => `${px} px of a table are out of sight`)
  const heading = await page.locator('h1').first().innerText()
  if (undrawn.test(heading)) return [heading]
  return [...found.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`), ...(over > 0 ? [`${over} px too wide`] : []), ...cut]
}

/** Makes the screen as high as the page, so that nothing of it is left out of the picture. */
async function showWhole(page: Page, { width, height }: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize({ width, height })
  const hidden = await page.evaluate<number>("document.querySelector('main').scrollHeight - document.querySelector('main').clientHeight")
  if (hidden > 0) await page.setViewportSize({ width, height: height + hidden })
}

test.each(cases)(
  'nothing serious stands in the way of anybody on a $screen screen, light and dark, $state',
  async ({ screen, viewport, state }) => {
    const stand = await openStandIn(state)
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => /Content Security Policy|Refused/.test(message.text()) && faults.push(message.text()))
    const found: string[] = []
    for (const id of everyPage) {
      await page.goto(`${stand.url}#/${id}`)
      await page.locator('h1').first().waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      await showWhole(page, viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await takePicture(page, `${id.replaceAll(/\/|%2F/g, '-')}-${state}-${screen}-${colorScheme}`)
        found.push(...(await findBarriers(page)).map((barrier) => `${id}, ${colorScheme}: ${barrier}`))
      }
    }
    await context.close()
    await stand.close()
    expect(found).toEqual([])
    expect(faults).toEqual([])
  },
  180_000,
)
