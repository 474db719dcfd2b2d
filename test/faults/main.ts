import { parseArgs } from 'node:util'
import { runActs } from './acts.ts'
import { runBreakages } from './breakages/run.ts'
import { runChaos } from './chaos/run.ts'
import { runDrills } from './drills/run.ts'
import { runFound } from './found/run.ts'
import { runFromSource } from './from-source.ts'
import { runAttacker } from './hostile/attacker.ts'
import { runModel } from './hostile/model.ts'
import { runHostile } from './hostile/run.ts'
import { runKills } from './kill.ts'
import { runReceipts } from './receipts/run.ts'
import { runServers } from './servers/run.ts'
import { runSettings } from './settings/run.ts'
import { runTwo } from './two/run.ts'
import { runWithout } from './without-plugin.ts'
import { runYear } from './year/run.ts'

interface RunOptions {
  readonly seed: number
  readonly scale: number
  /** Words after the name of the run. */
  readonly names: readonly string[]
}

const runs: Readonly<Record<string, (options: RunOptions) => Promise<boolean>>> = {
  kill: async (options) => (await runKills(options)) && (await runTwo(options)),
  acts: runActs,
  chaos: runChaos,
  drills: runDrills,
  servers: runServers,
  outages: ({ seed, scale }) => runFromSource('test/faults/outages/day.ts', 'runDay', { seed, scale }),
  delegations: ({ seed, scale }) => runFromSource('test/faults/delegations/run.ts', 'runDelegations', { seed, scale }),
  receipts: runReceipts,
  found: runFound,
  settings: runSettings,
  two: runTwo,
  year: runYear,
  without: runWithout,
  breakages: runBreakages,
  hostile: runHostile,
  parsers: () => runFromSource('test/faults/hostile/parsers.ts', 'runParsers'),
  // Parts of that run, in their own processes.
  'hostile-attacker': runAttacker,
  'hostile-model': runModel,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, scale: { type: 'string', default: '1' } },
})
const [name = '', ...names] = positionals
const run = runs[name]
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
if (!run || !Number.isInteger(seed)) {
  console.error(
    'Usage: npm run test:faults -- acts, kill | two | receipts | outages | delegations | chaos | settings | year [--seed N] [--scale 0.1], drills | parsers, hostile [--scale 2] [<word>…] | found [--scale 0.1] [<word>…] | servers [<platform>…], breakages [--seed N] [--scale 0.5] [<word>…], or without [smallest | <plugin folder>…]',
  )
  process.exitCode = 2
} else {
  process.exitCode = (await run({ seed, scale: Number(values.scale), names })) ? 0 : 1
}
