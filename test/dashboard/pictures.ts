import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repo/source-files.ts'
import type { Page } from '../support/servers/open-browser.ts'

/** Where the pictures of every page are put for people to look at; git does not see it. */
export const pictureFolder = join(root, 'coverage', 'pictures')

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictureFolder, { recursive: true })
  await page.screenshot({ path: join(pictureFolder, `${name}.png`) })
}
