import { parseArgs } from 'node:util'
import { runKills } from './kill.ts'

const runs: Readonly<Record<string, (options: { readonly seed: number }) => Promise<boolean>>> = { kill: runKills }

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const run = runs[positionals[0] ?? '']
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
if (!run || !Number.isInteger(seed)) {
  console.error(`Usage: npm run test:faults -- ${Object.keys(runs).join(' | ')} [--seed N]`)
  process.exitCode = 2
} else {
  process.exitCode = (await run({ seed })) ? 0 : 1
}
