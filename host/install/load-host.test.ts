import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestHome } from '../../test/support/test-home.ts'

interface Loaded {
  readonly exports: { answer(): number; load(url: string): Promise<{ readonly kind: string }>; readonly place: string }
  readonly isCompiled: boolean
  compile(): Buffer
}

const { loadHost, bundleOf, compiledFileOf } = (await import(new URL('./load-host.mjs', import.meta.url).href)) as {
  loadHost(root: string): Loaded
  bundleOf(root: string): string
  compiledFileOf(root: string): string
}

function world(): { readonly root: string; bundle(answer: number): void; keep(bytes: Buffer): void } {
  const home = openTestHome()
  onTestFinished(() => home[Symbol.dispose]())
  mkdirSync(dirname(bundleOf(home.folder)), { recursive: true })
  return {
    root: home.folder,
    bundle: (answer) => {
      const text = `(function (exports, require, module, hostUrl, hostImport) {
        exports.answer = () => ${answer}; exports.load = (url) => hostImport(url); exports.place = hostUrl
      })\n`
      writeFileSync(bundleOf(home.folder), `${text}//# ${createHash('sha256').update(text).digest('hex')}`)
    },
    keep: (bytes) => writeFileSync(compiledFileOf(home.folder), bytes),
  }
}

test('compiled code that was kept is taken, and still imports what is not in the bundle', async () => {
  const { root, bundle, keep } = world()
  bundle(1)
  const first = loadHost(root)
  expect([first.isCompiled, first.exports.answer()]).toEqual([false, 1])
  keep(first.compile())
  const second = loadHost(root)
  expect([second.isCompiled, second.exports.answer()]).toEqual([true, 1])
  expect(await second.exports.load('data:text/javascript,export const kind = "module"')).toMatchObject({ kind: 'module' })
  expect(second.exports.place).toMatch(/^file:.*main\.cjs$/)
})

test('compiled code of another bundle of the same length is not taken', () => {
  const { root, bundle, keep } = world()
  bundle(1)
  keep(loadHost(root).compile())
  bundle(2)
  const loaded = loadHost(root)
  expect([loaded.isCompiled, loaded.exports.answer()]).toEqual([false, 2])
})

test.each([0, 10, 64, 100])('of compiled code of which %i bytes are left none is taken', (left) => {
  const { root, bundle, keep } = world()
  // Each is a bundle that V8 has not met: it remembers those that this process has loaded.
  bundle(left + 3)
  keep(Buffer.concat([readFileSync(bundleOf(root)).subarray(-64), Buffer.alloc(64, 7)]).subarray(0, left))
  const loaded = loadHost(root)
  expect([loaded.isCompiled, loaded.exports.answer()]).toEqual([false, left + 3])
})
