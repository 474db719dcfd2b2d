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
const cases = (['full', 'empty', 'failing'] as const).flatMap((state) =>
  screens.flatMap((screen) => (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme, state }))),
)

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  process.stdout.write(`pictures of every page: ${pictureFolder}\n`)
})
afterAll(() => browser.close())

/** What stands in somebody's way on the page as it is. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const serious = 'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)))'
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(serious)
  const over = await page.evaluate<number>("document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth")
  return [...found.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`), ...(over > 0 ? [`${over} px too wide`] : [])]
}

test.each(cases)(
  'nothing serious stands in the way of anybody on a $screen screen, $colorScheme, $state',
  async ({ screen, viewport, colorScheme, state }) => {
    const stand = await openStandIn(state)
    const context = await browser.newContext({ viewport, colorScheme })
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
      await takePicture(page, `${id.replaceAll(/\/|%2F/g, '-')}-${state}-${screen}-${colorScheme}`)
      found.push(...(await findBarriers(page)).map((barrier) => `${id}: ${barrier}`))
    }
    await context.close()
    await stand.close()
    expect(found).toEqual([])
    expect(faults).toEqual([])
  },
  180_000,
)
