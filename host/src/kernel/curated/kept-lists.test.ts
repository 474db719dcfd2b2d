import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { keptFileOf, readKeptLists } from './kept-lists.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-kept-lists-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const place = { url: 'https://lists.example/plugins.json', signed_by: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') }
const list = { format: 1, name: 'ACME', issued: '2026-11-29T08:00:00Z', entries: [], blocked: [], withdrawn: [] }

function keep(more: object): void {
  const body = Buffer.from(JSON.stringify(list))
  const signature = sign(null, body, privateKey).toString('base64')
  mkdirSync(folder, { recursive: true })
  writeFileSync(keptFileOf(folder, place.url), JSON.stringify({ fetchedAt: 7, body: body.toString('base64'), signature, ...more }))
}

test('a list that was kept is read with the time at which it came', () => {
  keep({})
  expect(readKeptLists(folder, [place])).toEqual([
    { url: place.url, list: expect.objectContaining({ name: 'ACME' }), fetchedAt: 7, problem: undefined },
  ])
})

test('a list is kept under the name that it always had, so that one of an earlier version is found', () => {
  expect(keptFileOf('/lists', place.url)).toBe('/lists/d14a5929f7c254fb.json')
})

test('one that was never fetched, was changed or is too large is none, and says why', () => {
  const problem = (): string | undefined => readKeptLists(folder, [place])[0]?.problem
  expect(problem()).toBe('was never fetched')
  keep({ body: Buffer.from('{}').toString('base64') })
  expect(problem()).toContain('signature')
  keep({ body: ' '.repeat(8 * 1024 * 1024) })
  expect(problem()).toMatch(/large|MiB|bytes/)
  expect(readKeptLists(folder, [place])[0]?.list).toBeUndefined()
})
