import { createRandom } from '../random.ts'
import { printProblems, printTable } from '../table.ts'
import { byProgram, inProcess, judgeCase } from './judge-case.ts'
import { makeCase, mutations } from './mutations.ts'

export interface SettingsRun {
  readonly seed: number
  /** How many cases, over all mutations in turn. */
  readonly count: number
  /** One in so many also goes through the built program; 0: none. */
  readonly programEvery: number
}

interface Row {
  readonly name: string
  cases: number
  failed: number
}

/** Judges so many cases; answers what each mutation had, and what went wrong. */
export async function judgeSettings({
  seed,
  count,
  programEvery,
}: SettingsRun): Promise<{ readonly rows: readonly Row[]; readonly problems: readonly string[] }> {
  const rows: Row[] = Object.keys(mutations).map((name) => ({ name, cases: 0, failed: 0 }))
  const problems: string[] = []
  for (let number = 0; number < count; number++) {
    const row = rows[number % rows.length]
    const mutation = row && mutations[row.name]
    if (!row || !mutation) continue
    const make = () => makeCase(mutation, createRandom(seed * 1_000_003 + number))
    const found = [...(await judgeCase(make(), inProcess))]
    if (programEvery > 0 && number % programEvery === 0) found.push(...(await judgeCase(make(), byProgram)))
    row.cases++
    if (found.length > 0) row.failed++
    problems.push(...found.map((problem) => `${row.name} (seed ${seed}, case ${number}): ${problem}`))
  }
  return { rows, problems }
}

/** `npm run test:faults -- settings`: a thousand cases, and some of them by the built program. */
export async function runSettings({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  const count = Math.round(1000 * scale)
  console.log(`${count} cases of spoilt settings, seed ${seed}`)
  const { rows, problems } = await judgeSettings({ seed, count, programEvery: 31 })
  printTable(
    [
      ['what is wrong', ({ name }) => name],
      ['cases', ({ cases }) => cases],
      ['failed', ({ failed }) => failed],
    ],
    rows,
  )
  return printProblems(problems, 'Each was named without a trace, a hang, a secret or a lost byte.')
}
