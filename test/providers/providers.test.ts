import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledProviders } from './bundled.ts'
import { abilities, tryProvider } from './trial.ts'

const providers = bundledProviders(join(import.meta.dirname, '../..'))

test.each(providers.map((spec) => [spec.id, spec] as const))(
  '%s does all that its protocol can, by a server that refuses what the vendor refuses',
  async (_id, spec) => {
    const outcome = await tryProvider(spec)
    // How long an interruption takes is printed by `npm run providers`.
    const wrong = abilities.filter((ability) => !outcome[ability].startsWith('yes'))
    expect(wrong.map((ability) => `${ability}: ${outcome[ability]}`)).toEqual([])
  },
)
