import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStoredManifests } from './stored-manifests.ts'

const manifest = (name: string) =>
  JSON.stringify({ ...{ manifestVersion: 1, id: 'bell', name, description: 'Rings.', version: '1.0.0', license: 'MIT' }, api: {} })

/** A home with two manifests, and what its processes would know one after the other. */
function openHome() {
  const folder = mkdtempSync(join(tmpdir(), 'stored-manifests-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const stored = join(folder, 'manifests.json')
  const [bell, gong] = [join(folder, 'bell.json'), join(folder, 'gong.json')]
  writeFileSync(bell, manifest('Bell'))
  writeFileSync(gong, manifest('Gong'))
  const start = () => openStoredManifests(stored, { now: () => Date.now() + 60_000 })
  const nameIn = async ({ parse }: ReturnType<typeof start>, file = bell): Promise<unknown> => {
    const { checked } = (await parse(file)) ?? {}
    return checked?.ok ? (checked.value as { readonly name: unknown }).name : checked
  }
  /** Changes what is stored, so that it shows who reads it. */
  const edit = (change: (text: string) => string): void => writeFileSync(stored, change(readFileSync(stored, 'utf8')))
  return { stored, bell, gong, start, nameIn, edit }
}

test('the next process reads no manifest that is as it was, and each that has changed', async () => {
  const { bell, gong, start, nameIn, edit } = openHome()
  const first = start()
  expect([await nameIn(first), await nameIn(first, gong)]).toEqual(['Bell', 'Gong'])
  first.save()
  edit((text) => text.replace('"Bell"', '"Stored bell"').replace('"Gong"', '"Stored gong"'))
  expect([await nameIn(start()), await nameIn(start(), gong)]).toEqual(['Stored bell', 'Stored gong'])
  writeFileSync(gong, manifest('Low gong'))
  const second = start()
  expect([await nameIn(second), await nameIn(second, gong)]).toEqual(['Stored bell', 'Low gong'])
  second.save()
  rmSync(bell)
  expect([await nameIn(start()), await nameIn(start(), gong)]).toEqual([undefined, 'Low gong'])
})

test.each([
  ['of another version of the schema', (text: string) => text.replace(/"schema":"\w/, '"schema":"x')],
  ['damaged', (text: string) => text.slice(0, -9)],
  ['no list', () => 'null'],
])('what is stored is not used where it is %s, and is written again', async (_, change) => {
  const { stored, start, nameIn, edit } = openHome()
  const first = start()
  await nameIn(first)
  first.save()
  const good = readFileSync(stored, 'utf8')
  edit((text) => change(text.replace('"Bell"', '"Stored bell"')))
  const second = start()
  expect(await nameIn(second)).toBe('Bell')
  second.save()
  expect(readFileSync(stored, 'utf8')).toBe(good)
})

test('the file is written where the next start would have to read something, or would read too much', async () => {
  const { stored, gong, start, nameIn } = openHome()
  const first = start()
  await nameIn(first)
  await nameIn(first, gong)
  first.save()
  expect(statSync(stored).mode & 0o777).toBe(0o600)
  const before = statSync(stored).ino
  const same = start()
  await nameIn(same)
  await nameIn(same, gong)
  same.save()
  expect(statSync(stored).ino).toBe(before)
  const fewer = start()
  await nameIn(fewer)
  fewer.save()
  expect(readFileSync(stored, 'utf8')).not.toContain('Gong')
})

test('letters of all languages come back as they were', async () => {
  const { stored, bell, start, nameIn, edit } = openHome()
  writeFileSync(bell, manifest('Glocke – колокол 🔔'))
  const first = start()
  await nameIn(first)
  first.save()
  expect(readFileSync(stored, 'latin1')).toBe(readFileSync(stored, 'utf8'))
  edit((text) => text.replace('Glocke', 'Stored'))
  expect(await nameIn(start())).toBe('Stored – колокол 🔔')
})

test('what cannot be written is said, and what stood there is still read', async () => {
  const { stored, start, nameIn } = openHome()
  mkdirSync(stored)
  const first = start()
  expect(await nameIn(first)).toBe('Bell')
  expect(() => first.save()).toThrow(stored)
})
