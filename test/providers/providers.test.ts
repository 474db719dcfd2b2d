// @module-tag server
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledProviders } from './bundled.ts'
import { ownProviders } from './own-trials.ts'
import { abilities, tryProvider } from './trial.ts'

const root = join(import.meta.dirname, '../..')
const providers = bundledProviders(root)
const owns = await ownProviders(root)

test.each(providers.map((spec) => [spec.id, spec] as const))(
  '%s does all that its protocol can, by a server that refuses what the vendor refuses',
  async (_id, spec) => {
    const outcome = await tryProvider(spec)
    // How long an interruption takes is printed by `npm run providers`.
    const wrong = abilities.filter((ability) => !outcome[ability].startsWith('yes'))
    expect(wrong.map((ability) => `${ability}: ${outcome[ability]}`)).toEqual([])
  },
)

test.each(owns.map((own) => [own.spec.id, own.trial.protocol, own] as const))(
  '%s does all that a server of %s can, by its own code',
  async (_id, _protocol, own) => {
    const outcome = await tryProvider(own.spec, own)
    const wrong = abilities.filter((ability) => !outcome[ability].startsWith('yes'))
    expect(wrong.map((ability) => `${ability}: ${outcome[ability]}`)).toEqual([])
  },
)
