import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from './find-chromium.ts'

test('the browser that is named is taken, else the first that is installed and may be run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-chromium-'))
  const [first, second] = [join(folder, 'a'), join(folder, 'b')]
  const put = (file: string, mode = 0o755): void => {
    writeFileSync(file, '')
    chmodSync(file, mode)
  }
  for (const each of [first, second]) mkdirSync(each)
  expect(await findChromium('', `${first}:${second}:relative:`)).toBeUndefined()
  put(join(first, 'google-chrome'))
  expect(await findChromium('', `${first}:${second}`)).toBe(join(first, 'google-chrome'))
  put(join(second, 'chromium'))
  put(join(first, 'chromium'), 0o644)
  expect(await findChromium('', `${first}:${second}`)).toBe(join(second, 'chromium'))
  expect(await findChromium('google-chrome', `${first}:${second}`)).toBe(join(first, 'google-chrome'))
  expect(await findChromium(join(first, 'google-chrome'), '')).toBe(join(first, 'google-chrome'))
  expect(await findChromium('other', `${first}:${second}`)).toBeUndefined()
  rmSync(folder, { recursive: true })
})
