import { abilities, isRight, type Outcome } from './abilities.ts'
import { bundledProviders } from './bundled.ts'
import { ownProviders } from './own-trials.ts'
import { tryProvider } from './trial.ts'

/** Prints what each bundled provider does against a server of its protocol; ends with 1 where one does less than it promises. */
const rows: (readonly [string, string, Outcome])[] = []
for (const spec of bundledProviders(process.cwd())) rows.push([spec.id, spec.protocol ?? '', await tryProvider(spec)])
for (const own of await ownProviders(process.cwd())) rows.push([own.spec.id, own.trial.protocol, await tryProvider(own.spec, own)])

const cell = (verdict: string): string => (isRight(verdict) ? verdict : 'NO').padEnd(10)
process.stdout.write(`${'provider'.padEnd(24)}${'protocol'.padEnd(20)}${abilities.map((name) => name.padEnd(10)).join('')}\n`)
for (const [id, protocol, outcome] of rows) {
  process.stdout.write(`${id.padEnd(24)}${protocol.padEnd(20)}${abilities.map((name) => cell(outcome[name])).join('')}\n`)
}
const wrong = rows.flatMap(([id, , outcome]) =>
  abilities.filter((name) => !isRight(outcome[name])).map((name) => `${id}: ${name}: ${outcome[name]}`),
)
for (const line of wrong) process.stdout.write(`${line}\n`)
process.stdout.write(`${rows.length} providers, ${wrong.length} of ${rows.length * abilities.length} abilities missing.\n`)
process.exitCode = wrong.length > 0 ? 1 : 0
