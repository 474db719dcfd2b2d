// @module-tag process
import { join } from 'node:path'
import { modelErrorClasses } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { wrongIn } from './abilities.ts'
import { ownProviders } from './own-trials.ts'
import { tryAbilities, tryProvider } from './trial.ts'

const owns = (await ownProviders(join(import.meta.dirname, '../..'))).filter(({ trial }) => trial.startsProgram)
const timeout = 120_000

test('what answers by a program does all that its protocol can; the table tries each of them so', { timeout }, async () => {
  const own = owns.find(({ spec }) => spec.id === 'acp')
  const outcome = own && (await tryProvider(own.spec, own))
  expect(outcome && wrongIn(outcome)).toEqual([])
  // There is nothing else that it may lack.
  expect(outcome).toMatchObject({ key: 'none', errors: `3 of ${modelErrorClasses.length}` })
  expect(Object.values(outcome ?? {}).filter((verdict) => verdict === 'none')).toHaveLength(1)
})

test.each(owns.map((own) => [own.spec.id, own] as const))('%s answers by a program of this machine', { timeout }, async (_id, own) => {
  expect(await tryAbilities(['text', 'list', 'key'], own.spec, own)).toEqual({ text: 'yes', list: 'yes', key: 'none' })
})
