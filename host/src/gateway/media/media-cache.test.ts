import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Blob } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { type MediaCache, openMediaCache } from './media-cache.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const now = Date.parse('2026-05-01T12:00:00Z')

function openCache(): { cache: MediaCache; folder: string; files(): readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'media-'))
  folders.push(folder)
  const files = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
  return { cache: openMediaCache(folder, { now: () => now }), folder, files }
}

type Piece = string | readonly number[]

async function* pieces(...parts: readonly Piece[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part)
}

async function read(cache: MediaCache, blob: Blob): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of cache.read(blob)) parts.push(part)
  return Buffer.concat(parts).toString()
}

const png = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]

test('a file is kept by its kind, readable for its owner only', async () => {
  const { cache, files, folder } = openCache()
  const blob = await cache.put(pieces('hello ', 'world'), { mime: 'text/plain', name: 'notes & more.txt' })
  expect(blob).toEqual({
    blob: expect.stringMatching(/^doc_[0-9a-f]{12}_notes_more\.txt$/),
    mime: 'text/plain',
    bytes: 11,
    name: 'notes & more.txt',
  })
  expect(await read(cache, blob)).toBe('hello world')
  expect(files()).toEqual([`documents/${blob.blob}`])
  expect(statSync(join(folder, 'documents', blob.blob)).mode & 0o777).toBe(0o600)
  const voice = await cache.store(pieces('x'), { kind: 'voice', mime: 'audio/ogg', name: 'a.OGG', maxBytes: 10 })
  expect(voice.blob).toMatch(/^audio_[0-9a-f]{12}\.ogg$/)
  const nameless = await cache.store(pieces('x'), { kind: 'voice', mime: 'audio/ogg', name: 'a voice', maxBytes: 10 })
  expect(nameless.blob).toMatch(/^audio_[0-9a-f]{12}$/)
})

test('an image is one by its bytes, whatever it is called', async () => {
  const { cache, files } = openCache()
  const image = (...parts: readonly Piece[]) =>
    cache.store(pieces(...parts), { kind: 'image', mime: 'image/jpeg', name: 'x.jpg', maxBytes: 1000 })
  expect(await image(png.slice(0, 3), png.slice(3))).toMatchObject({ mime: 'image/png', bytes: 8 })
  await expect(image('<html>not found</html>')).rejects.toMatchObject({ code: 'MEDIA_NOT_IMAGE', params: { name: 'x.jpg' } })
  await expect(image('')).rejects.toMatchObject({ code: 'MEDIA_NOT_IMAGE' })
  expect(files()).toHaveLength(1)
})

test('what is too large is not kept, and neither is what broke off', async () => {
  const { cache, files } = openCache()
  const document = (body: AsyncIterable<Uint8Array>) => cache.store(body, { kind: 'document', mime: 'text/plain', maxBytes: 10 })
  await expect(document(pieces('12345', '123456'))).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE', params: { limit: 10 } })
  const broken = async function* (): AsyncIterable<Uint8Array> {
    yield Buffer.from('12')
    throw new Error('cut')
  }
  await expect(document(broken())).rejects.toThrow('cut')
  expect(files()).toEqual([])
})

test.each(['../config.yaml', 'doc_0123456789ab/../../x', '/etc/passwd', '..', '', 'doc_0123456789ab_a/b', 'state.db', 'img_0123456789AB'])(
  'a handle is no way out of the cache: %j',
  (handle) => {
    const { cache } = openCache()
    expect(() => cache.read({ blob: handle, mime: 'text/plain', bytes: 1 })).toThrowError(
      expect.objectContaining({ code: 'PATH_PROTECTED' }),
    )
  },
)

test.each(['../../evil.sh', '/etc/cron.d/evil', '..\\..\\evil', '\u0000', '....//x', 'a\nb'])(
  'a name is no way out of the cache: %j',
  async (name) => {
    const { cache, files } = openCache()
    const blob = await cache.put(pieces('x'), { mime: 'application/x-sh', name })
    expect(files()).toEqual([`documents/${blob.blob}`])
    expect(blob.blob).toMatch(/^doc_[0-9a-f]{12}(_[\w.-]*)?$/)
    expect(await read(cache, blob)).toBe('x')
  },
)

test('files are forgotten after a day', async () => {
  const { cache, files, folder } = openCache()
  const [old, young] = [await cache.put(pieces('old'), { mime: 'text/plain' }), await cache.put(pieces('young'), { mime: 'text/plain' })]
  const set = ({ blob }: Blob, hours: number): void => {
    const at = new Date(now - hours * 3_600_000)
    utimesSync(join(folder, 'documents', blob), at, at)
  }
  set(old, 24 + 1 / 3600)
  set(young, 24)
  await cache.prune()
  expect(files()).toEqual([`documents/${young.blob}`])
  expect(readFileSync(cache.pathOf(young), 'utf8')).toBe('young')
  await openMediaCache(join(folder, 'none'), { now: () => now }).prune()
})
