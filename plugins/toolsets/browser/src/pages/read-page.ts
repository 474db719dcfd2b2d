import type { Page } from './library.ts'
import { quote } from './plain.ts'
import { formatPage, type PageText, type PageTextOptions } from './snapshot.ts'

const weigh = '({ elements: document.getElementsByTagName("*").length, characters: document.documentElement?.textContent?.length ?? 0 })'
/** A page with more is shown as plain text: its tree would take too long. */
const heaviest = { elements: 30_000, characters: 3_000_000 }

/** What a page shows, as text. */
export async function readPage(page: Page, options: PageTextOptions): Promise<PageText> {
  const { elements, characters } = (await page.evaluate(weigh)) as { readonly elements: number; readonly characters: number }
  if (elements > heaviest.elements || characters > heaviest.characters) {
    const text = String(await page.evaluate(`(document.documentElement?.textContent ?? '').slice(0, ${options.mostCharacters})`))
    return {
      text: `The page is very large (${characters} characters); this is its beginning.\n${quote(text, options.mostCharacters)}`,
      refs: new Map(),
    }
  }
  const root = await page.accessibility.snapshot({ includeIframes: true })
  return root ? formatPage(root, options) : { text: 'The page is empty.', refs: new Map() }
}
