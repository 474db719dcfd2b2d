import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { fetchPackage } from './fetch-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-fetch-package-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hash = `sha512-${createHash('sha512').update('a tarball').digest('base64')}`

const fetchFile = (path: string) =>
  fetchPackage({ type: 'file', path } as Parameters<typeof fetchPackage>[0], {
    cwd: folder,
    cache: folder,
    environment: {},
    signal: AbortSignal.abort(),
  })

test('a file is copied with its hash, and one that is not there is named', async () => {
  const path = join(folder, 'dice.tgz')
  await expect(fetchFile(path)).rejects.toMatchObject({ code: 'PLUGIN_FETCH', params: { what: path, detail: 'there is no such file' } })
  writeFileSync(path, 'a tarball')
  const fetched = await fetchFile(path)
  expect(fetched).toEqual({
    ...{ tarball: join(folder, 'package.tgz'), name: 'dice.tgz', resolved: `file:${path}`, registry: '' },
    integrity: hash,
  })
  expect(readFileSync(fetched.tarball, 'utf8')).toBe('a tarball')
  await expect(fetchFile(folder)).rejects.toMatchObject({
    code: 'PLUGIN_FETCH',
    params: { detail: expect.not.stringContaining('no such') },
  })
})

const commit = 'a'.repeat(40)

/** An npm of the test, which writes the tarball that it is asked for. */
function openNpm(view: unknown, packed: unknown = [{ filename: '@me/dice-1.0.0.tgz' }]) {
  mkdirSync(folder, { recursive: true })
  const asked: unknown[] = []
  const fetch = (spec: unknown) =>
    fetchPackage(
      spec as Parameters<typeof fetchPackage>[0],
      { cwd: folder, cache: folder, environment: { HOME: '/home/ann' }, signal: new AbortController().signal },
      async (what, words, { environment }) => {
        asked.push([what, words, environment])
        if (words[0] === 'view') return view
        writeFileSync(join(folder, 'me-dice-1.0.0.tgz'), 'a tarball')
        return packed
      },
    )
  return { fetch, asked }
}

const told = { name: '@me/dice', version: '1.0.0', 'dist.tarball': 'https://registry.test/@me/dice/-/dice-1.0.0.tgz' }
const npmSpec = { type: 'npm', text: '@me/dice@^1', name: '@me/dice' }

test('of a range the version that the registry tells is fetched, from the registry that it names', async () => {
  const { fetch, asked } = openNpm({ ...told, 'dist.integrity': hash })
  expect(await fetch(npmSpec)).toEqual({
    ...{ tarball: join(folder, 'me-dice-1.0.0.tgz'), name: '@me/dice', resolved: told['dist.tarball'] },
    ...{ registry: 'https://registry.test', integrity: hash },
  })
  const environment = { HOME: '/home/ann' }
  expect(asked).toEqual([
    ['@me/dice@^1', ['view', '@me/dice@^1', 'name', 'version', 'dist.tarball', 'dist.integrity'], environment],
    ['@me/dice@1.0.0', ['pack', `--pack-destination=${folder}`, '--', '@me/dice@1.0.0'], environment],
  ])
})

test('what the registry has not, does not keep its word about, or does not send is refused', async () => {
  const refused = async (view: unknown, packed?: unknown): Promise<unknown> =>
    openNpm(view, packed)
      .fetch(npmSpec)
      .then(
        ({ integrity }) => integrity,
        ({ params }: { readonly params: { readonly detail: string } }) => params.detail,
      )
  expect(await refused(undefined)).toBe('the registry has no version of it that fits')
  expect(await refused({ ...told, 'dist.integrity': 'sha512-other' })).toBe(`the registry sent ${hash}, but promised sha512-other`)
  expect(await refused(told, [])).toBe('npm named no file')
  // An old registry promises nothing, or by a hash that is not kept any more.
  expect(await refused(told)).toBe(hash)
  expect(await refused({ ...told, 'dist.integrity': 'sha1-other' })).toBe(hash)
})

test('of a commit nothing is asked but its tarball, and nothing is built for it', async () => {
  const { fetch, asked } = openNpm(undefined)
  const [text, url] = [`git+https://git.test/me/dice.git#${commit}`, 'git+https://git.test/me/dice.git']
  expect(await fetch({ type: 'git', text, url, commit })).toEqual({
    ...{ tarball: join(folder, 'me-dice-1.0.0.tgz'), name: 'dice', resolved: text, registry: '', integrity: hash },
  })
  const environment = { HOME: '/home/ann', _PACOTE_NO_PREPARE_: text }
  expect(asked).toEqual([[text, ['pack', `--pack-destination=${folder}`, '--', text], environment]])
})
