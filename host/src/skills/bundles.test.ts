import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteBundle, listBundles, readBundle, writeBundle } from './bundles.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const meal = { name: 'meal', description: 'Dinner.', skills: ['soup', 'tea'], instruction: 'Cook: for two.' }

test('what is written is read again, replaced only on purpose, and deleted', async () => {
  expect(listBundles(join(folder, 'none'))).toEqual([])
  await writeBundle(folder, meal, { replace: false })
  expect(await readBundle(folder, 'meal')).toEqual(meal)
  await expect(writeBundle(folder, { ...meal, skills: ['tea'] }, { replace: false })).rejects.toMatchObject({ code: 'USAGE' })
  await writeBundle(folder, { ...meal, skills: ['tea'] }, { replace: true })
  expect((await readBundle(folder, 'meal')).skills).toEqual(['tea'])
  deleteBundle(folder, 'meal')
  expect(() => deleteBundle(folder, 'meal')).toThrow(expect.objectContaining({ code: 'BUNDLE_NOT_FOUND' }))
  expect(readdirSync(folder)).toEqual([])
})

test.each(['../meal', 'Meal', '', '1meal', 'a/b', '.meal'])('a bundle cannot be called %j', async (name) => {
  await expect(writeBundle(folder, { ...meal, name }, { replace: false })).rejects.toMatchObject({ code: 'USAGE' })
  await expect(readBundle(folder, name)).rejects.toMatchObject({ code: 'BUNDLE_NOT_FOUND' })
})

test.each(['skills: 7', 'skills: []', 'skills: [../x]', 'skills: [7]', '- a', ': [', 'skills: [tea]\ninstruction: [x]', ''])(
  '%j is no bundle',
  async (text) => {
    writeFileSync(join(folder, 'meal.yaml'), text)
    await expect(readBundle(folder, 'meal')).rejects.toMatchObject({ code: 'BUNDLE_BROKEN' })
  },
)

test('a bundle without a skill is not written', async () => {
  await expect(writeBundle(folder, { ...meal, skills: [] }, { replace: false })).rejects.toMatchObject({ code: 'USAGE' })
  await expect(writeBundle(folder, { ...meal, skills: ['a b'] }, { replace: false })).rejects.toMatchObject({ code: 'USAGE' })
})
