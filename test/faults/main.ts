import { parseArgs } from 'node:util'
import { runChaos } from './chaos/run.ts'
import { runKills } from './kill.ts'

const runs: Readonly<Record<string, (options: { readonly seed: number; readonly scale: number }) => Promise<boolean>>> = {
  kill: runKills,
  chaos: runChaos,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, scale: { type: 'string', default: '1' } },
})
const run = runs[positionals[0] ?? '']
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
if (!run || !Number.isInteger(seed)) {
  console.error(`Usage: npm run test:faults -- ${Object.keys(runs).join(' | ')} [--seed N] [--scale 0.1]`)
  process.exitCode = 2
} else {
  process.exitCode = (await run({ seed, scale: Number(values.scale) })) ? 0 : 1
}
