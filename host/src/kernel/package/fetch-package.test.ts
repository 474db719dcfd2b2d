import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { fetchPackage } from './fetch-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-fetch-package-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

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
  const hash = createHash('sha512').update('a tarball').digest('base64')
  expect(fetched).toEqual({
    ...{ tarball: join(folder, 'package.tgz'), name: 'dice.tgz', resolved: `file:${path}`, registry: '' },
    integrity: `sha512-${hash}`,
  })
  expect(readFileSync(fetched.tarball, 'utf8')).toBe('a tarball')
  await expect(fetchFile(folder)).rejects.toMatchObject({
    code: 'PLUGIN_FETCH',
    params: { detail: expect.not.stringContaining('no such') },
  })
})
