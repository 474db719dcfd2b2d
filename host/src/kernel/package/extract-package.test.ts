import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TarItem, writeTar } from '../../../../test/support/write-tar.ts'
import { extractPackage, limits } from './extract-package.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-extract-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function extract(items: readonly TarItem[], change = (bytes: Buffer): Buffer => bytes, signal = new AbortController().signal) {
  const file = join(folder, 'x.tgz')
  writeFileSync(file, gzipSync(change(gunzipSync(writeTar(items)))))
  const target = join(folder, 'out')
  await extractPackage(file, target, 'dice', signal)
  return target
}

const file = (path: string, content = ''): TarItem => ({ path, content })

test('the first folder is left out, and nothing may be run', async () => {
  const target = await extract([file('package/package.json', '{}'), { path: 'package/dist/', flag: '5' }, file('package/./dist/a.js', 'a')])
  expect(readdirSync(target, { recursive: true }).sort()).toEqual(['dist', 'dist/a.js', 'package.json'])
  expect(readFileSync(join(target, 'dist/a.js'), 'utf8')).toBe('a')
  expect(statSync(join(target, 'dist/a.js')).mode & 0o111).toBe(0)
})

test.each<[string, readonly TarItem[]]>([
  ['path-outside', [file('/etc/passwd')]],
  ['path-outside', [file('package/../../x')]],
  ['path-outside', [file('package\\x')]],
  ['path-outside', [file('package/c:/x')]],
  ['path-outside', [file('package.json')]],
  ['link-inside', [{ path: 'package/a', flag: '2' }]],
  ['special-file', [{ path: 'package/a', flag: '3' }]],
  ['path-twice', [file('package/a'), file('package/A')]],
  ['path-twice', [file('package/\u00e9'), file('package/e\u0301')]],
  ['path-twice', [file('package/a'), file('other//a')]],
])('%s: it is refused before it is written', async (reason, items) => {
  await expect(extract([file('package/first'), ...items])).rejects.toMatchObject({ code: 'PLUGIN_REFUSED', params: { reason } })
})

test('a damaged package says what is wrong with it', async () => {
  await expect(extract([file('package/a')], (bytes) => bytes.subarray(0, 512))).rejects.toMatchObject({
    code: 'PLUGIN_REFUSED',
    params: { reason: 'tarball-damaged', problem: expect.stringMatching(/: it ends too early|: its tarball cannot be read: \S/) },
  })
})

test('who gives up is told so, and not that the package is damaged', async () => {
  const gone = new AbortController()
  gone.abort(new Error('enough'))
  await expect(extract([file('package/a')], undefined, gone.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

const reasonOf = async (items: readonly TarItem[]): Promise<unknown> =>
  extract(items).then(
    () => undefined,
    (error: { readonly params?: { readonly reason?: unknown } }) => error.params?.reason,
  )

test('all files together may be so large and no larger, as their headers say', async () => {
  const size = limits.mebibytes * 1024 * 1024
  const rest = { ...file('package/b', 'b'), size: size - 1 }
  // Its header lets it in; that its content ends too early is another matter.
  expect(await reasonOf([file('package/a', 'a'), rest])).toBe('tarball-damaged')
  rmSync(join(folder, 'out'), { recursive: true })
  expect(await reasonOf([file('package/a', 'ab'), rest])).toBe('too-large')
})
