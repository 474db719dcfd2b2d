import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepManifests } from './keep-manifests.ts'

const manifest = (name: string) =>
  JSON.stringify({ ...{ manifestVersion: 1, id: 'bell', name, description: 'Rings.', version: '1.0.0', license: 'MIT' }, api: {} })

function open(passedMs = 60_000) {
  const folder = mkdtempSync(join(tmpdir(), 'keep-manifests-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'agent.plugin.json')
  const parse = keepManifests({ now: () => Date.now() + passedMs })
  return { file, parse, write: (text: string) => writeFileSync(file, text) }
}

test('a file that stays the same is read once, and one that has changed again', async () => {
  const { file, parse, write } = open()
  write(manifest('Bell'))
  const first = await parse(file)
  expect(first).toMatchObject({ id: 'bell', checked: { ok: true, value: { name: 'Bell' } } })
  expect(await parse(file)).toBe(first)
  write(manifest('Long'))
  expect(await parse(file)).toMatchObject({ checked: { value: { name: 'Long' } } })
})

test('another file of the same size and time in its place is read', async () => {
  const { file, parse, write } = open()
  write(manifest('Bell'))
  utimesSync(file, 1, 1)
  await parse(file)
  writeFileSync(`${file}.new`, manifest('Gong'))
  utimesSync(`${file}.new`, 1, 1)
  renameSync(`${file}.new`, file)
  expect(await parse(file)).toMatchObject({ checked: { value: { name: 'Gong' } } })
})

test('a file that was written just now is not kept, because its next change could look the same', async () => {
  const { file, parse, write } = open(0)
  write(manifest('Bell'))
  expect(await parse(file)).not.toBe(await parse(file))
})

test('what is missing, no file or no JSON is said each time, and forgotten when it is mended', async () => {
  const { file, parse, write } = open()
  expect(await parse(file)).toBeUndefined()
  mkdirSync(file)
  await expect(parse(file)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  rmSync(file, { recursive: true })
  write('{')
  for (const _ of [1, 2]) await expect(parse(file)).rejects.toThrow(SyntaxError)
  write(manifest('Bell'))
  expect(await parse(file)).toMatchObject({ id: 'bell' })
  rmSync(file)
  expect(await parse(file)).toBeUndefined()
})
