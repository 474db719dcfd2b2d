import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSeeding } from './seed-faults.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seed-faults-'))
  mkdirSync(join(folder, 'src'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source = `import { fail } from '@agent/plugin-sdk/errors'
export async function deliver(settings, { log, state, send }, message) {
  if (message.text === '') throw fail('SEND_REFUSED', { platform: 'x', detail: 'nothing' })
  await state.set('last', message.key)
  log.info('sends', { to: message.to })
  await send({ text: message.text, replyTo: message.replyTo })
}
`

test('the faults of authors are seeded, and words for people are left alone', async () => {
  writeFileSync(join(folder, 'src', 'outbound.ts'), source)
  writeFileSync(join(folder, 'src', 'plugin.ts'), 'export default definePlugin({ id: 1, name: 2 })\n')
  writeFileSync(join(folder, 'src', 'outbound.test.ts'), 'await tried()\n')
  const faults = await (await openSeeding())(folder, 'x', 1)
  const found = faults.map(({ mutator, original, replacement }) => `${mutator}: ${original} → ${replacement}`)
  expect(found).toEqual(
    expect.arrayContaining([
      "DroppedAwait: await state.set('last', message.key) → state.set('last', message.key)",
      "DroppedCall: await state.set('last', message.key) → undefined",
      expect.stringMatching(/^DoubledCall: await send\(.*→ await send\(.*await send\(/),
      'LostField: replyTo: message.replyTo → ...{}',
      "SwappedCondition: message.text === '' → !(message.text === '')",
      expect.stringMatching(/^OtherCode: fail\('SEND_REFUSED'.*→ new Error\(["']SEND_REFUSED["']\)$/),
      expect.stringMatching(/^LeakedSettings: log\.info\('sends'.*settings/),
    ]),
  )
  expect(found.filter((one) => /^DroppedCall: log|^LostField: (to|detail|platform)/.test(one))).toEqual([])
  expect(new Set(faults.map(({ file }) => file))).toEqual(new Set([join('src', 'outbound.ts')]))
  expect(new Set(faults.map(({ where }) => where))).toEqual(new Set(['x/outbound.ts deliver']))
})

test('a fault stands in the text of its file and changes nothing else, and kinds take turns', async () => {
  writeFileSync(join(folder, 'src', 'outbound.ts'), source)
  const seed = await openSeeding()
  const faults = await seed(folder, 'x', 1)
  const dropped = faults.find(({ mutator, original }) => mutator === 'DroppedCall' && original.startsWith('await state'))
  expect(dropped?.text).toBe(source.replace("await state.set('last', message.key)", 'undefined'))
  const kinds = new Set(faults.map(({ mutator }) => mutator))
  expect(new Set(faults.slice(0, kinds.size).map(({ mutator }) => mutator))).toEqual(kinds)
  const keys = (await seed(folder, 'x', 1)).map(({ original, replacement }) => original + replacement)
  expect(keys).toEqual(faults.map(({ original, replacement }) => original + replacement))
})
