import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openMediaCache } from './media-cache.ts'
import { type OutgoingFiles, openOutgoingFiles } from './outgoing-files.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function open(roots = true): { files: OutgoingFiles; root: string } {
  const root = mkdtempSync(join(tmpdir(), 'outgoing-'))
  folders.push(root)
  mkdirSync(join(root, 'workspace'))
  writeFileSync(join(root, 'workspace', 'note.txt'), 'hello')
  writeFileSync(join(root, 'secret.env'), 'KEY=1')
  const cache = openMediaCache(join(root, 'cache'), { now: () => 0 })
  const folder = join(root, 'workspace')
  return { files: openOutgoingFiles({ cache, folder, ...(roots ? { roots: [folder] } : {}) }), root }
}

test('a file of the workspace leaves, by its whole or its short name', async () => {
  const { files, root } = open()
  const sent = { kind: 'document', blob: { mime: 'text/plain', bytes: 5, name: 'note.txt' } }
  expect(await files.take({ path: 'note.txt' }, 100)).toMatchObject(sent)
  expect(await files.take({ path: join(root, 'workspace/note.txt') }, 100)).toMatchObject(sent)
})

test('nothing else leaves: no path upwards, no link to elsewhere, no folder', async () => {
  const { files, root } = open()
  symlinkSync(join(root, 'secret.env'), join(root, 'workspace', 'harmless.txt'))
  for (const path of ['../secret.env', join(root, 'secret.env'), 'harmless.txt', '/etc/passwd'])
    await expect(files.take({ path }, 100), path).rejects.toMatchObject({ code: 'PATH_PROTECTED' })
  for (const path of ['none.txt', '.', '', '/dev/null', 'a\u0000b'])
    await expect(files.take({ path }, 100), path).rejects.toMatchObject({ code: 'MEDIA_MISSING' })
})

test('what is too large does not leave; who may read everything may send everything', async () => {
  await expect(open().files.take({ path: 'note.txt' }, 4)).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  const { files, root } = open(false)
  expect(await files.take({ path: join(root, 'secret.env') }, 100)).toMatchObject({ blob: { name: 'secret.env' } })
})
