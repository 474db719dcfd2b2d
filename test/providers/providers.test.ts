// @module-tag server
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wrongIn } from './abilities.ts'
import { bundledProviders } from './bundled.ts'
import { ownProviders } from './own-trials.ts'
import { tryProvider } from './trial.ts'

const root = join(import.meta.dirname, '../..')
const providers = bundledProviders(root)
const owns = (await ownProviders(root)).filter(({ trial }) => !trial.startsProgram)

test.each(providers.map((spec) => [spec.id, spec] as const))(
  '%s does all that its protocol can, by a server that refuses what the vendor refuses',
  async (_id, spec) => {
    const outcome = await tryProvider(spec)
    expect(wrongIn(outcome)).toEqual([])
    expect(Object.values(outcome)).not.toContain('none')
  },
)

test.each(owns.map((own) => [own.spec.id, own.trial.protocol, own] as const))(
  '%s does all that a server of %s can, by its own code',
  async (_id, _protocol, own) => {
    expect(wrongIn(await tryProvider(own.spec, own))).toEqual([])
  },
)
