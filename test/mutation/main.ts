import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { areas, findPart } from './areas.ts'
import { copyCheckout } from './checkout.ts'
import { judge, type Verdict } from './judge.ts'
import { tryable } from './kit/bench.ts'
import { nameOf, promiseFaults } from './kit/promises/table.ts'
import { type KitVerdict, tryKit } from './kit/try-kit.ts'
import { formatChange, readSurvivors } from './survivors.ts'
import { openTrying } from './try-part.ts'

const budget = 0.9

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    sample: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    fault: { type: 'string', multiple: true, default: [] },
    'by-source': { type: 'boolean', default: false },
    concurrency: { type: 'string', default: String(Math.min(4, cpus().length)) },
  },
})
const isKit = positionals.length === 1 && positionals[0] === 'kit'
const unknown = [
  ...values.only.filter((name) => !tryable.some((each) => each.name === name)),
  ...values.fault.filter((name) => !promiseFaults.some((each) => nameOf(each) === name)),
]
const parts = isKit ? [] : (positionals.length > 0 ? positionals : areas.map(({ name }) => name)).map(findPart)
if (parts.includes(undefined) || unknown.length > 0 || (values.only.length + values.fault.length > 0 && !isKit)) {
  console.error(
    `Usage: npm run test:mutation -- [${areas.map(({ name }) => name).join(' | ')} | <folder or file below one>…] [--all | --sample 200] [--seed N] [--near]`,
  )
  console.error(
    `       npm run test:mutation -- kit [--only ${tryable.map(({ name }) => name).join(' | ')}]… [--sample 30] [--seed N] [--fault <part/name>]… [--by-source]`,
  )
  process.exitCode = 2
} else {
  process.exitCode = (await (isKit ? runKit() : run())) ? 0 : 1
}

/** Faults in the bundled platforms, and what the check of plugins says of them. */
async function runKit(): Promise<boolean> {
  const root = process.cwd()
  const rows: string[] = []
  const all = await tryKit({
    ...{ root, seed: Number(values.seed), sample: Number(values.sample ?? 30), only: values.only },
    ...{ faults: values.fault, bySource: values['by-source'] },
    concurrency: Number(values.concurrency),
    survivors: readSurvivors(root, 'kit'),
    onPlatform: (name, verdict) => {
      printUnlisted(name, verdict)
      rows.push(formatKitRow(name, verdict))
      console.log(`\n${rows.at(-1)}`)
    },
  })
  const head = ['platform', 'faults', 'noticed', 'by the compiler', 'by time alone', 'listed', 'unnoticed', 'share noticed', 'seconds']
  console.log(['', `| ${head.join(' | ')} |`, `|---|${'--:|'.repeat(head.length - 1)}`, ...rows, formatKitRow('all', all)].join('\n'))
  const rules = Object.entries(all.byRule).sort(([, one], [, other]) => other - one)
  console.log(`\nNoticed first by: ${rules.map(([rule, count]) => `${rule} ${count}`).join(', ')}.`)
  return all.share >= budget
}

function formatKitRow(name: string, { tried, noticed, byCompiler, late, listed, unlisted, share, seconds }: KitVerdict): string {
  return `| ${name} | ${tried} | ${noticed} | ${byCompiler} | ${late} | ${listed} | ${unlisted.length} | ${(share * 100).toFixed(1)} % | ${seconds.toFixed(0)} |`
}

async function run(): Promise<boolean> {
  const root = process.cwd()
  const copy = copyCheckout(root)
  try {
    const tryPart = await openTrying()
    const rows: string[] = []
    let good = true
    for (const part of parts) {
      if (!part) continue
      const { area, path } = part
      const started = performance.now()
      const sample = values.all || path !== area.folder ? undefined : Number(values.sample ?? 200)
      const where = { copy, path, near: area.folder, nearOnly: values.near }
      const tried = await tryPart({ ...where, seed: Number(values.seed), sample, concurrency: Number(values.concurrency) })
      const verdict = judge(tried, readSurvivors(root, area.name))
      good &&= verdict.share >= budget
      printUnlisted(path, verdict)
      rows.push(formatRow(path, verdict, (performance.now() - started) / 1000))
    }
    console.log(
      [
        '',
        '| area | changes | noticed | by time alone | listed | unnoticed | share noticed | seconds |',
        '|---|--:|--:|--:|--:|--:|--:|--:|',
        ...rows,
      ].join('\n'),
    )
    return good
  } finally {
    process.chdir(dirname(copy))
    rmSync(copy, { recursive: true, force: true })
  }
}

function printUnlisted(path: string, { unlisted, removable }: Verdict): void {
  if (unlisted.length > 0) console.log(`\nNothing notices these changes in ${path}:`)
  for (const each of unlisted) console.log(`# line ${each.line}\n${formatChange(each)}`)
  if (removable.length > 0) console.log(`\nThese survivors of ${path} are noticed now; take them off the list:`)
  for (const each of removable) console.log(formatChange(each))
}

function formatRow(path: string, { tried, noticed, late, listed, unlisted, share }: Verdict, seconds: number): string {
  const mark = share >= budget ? '' : ` (below ${budget * 100} %)`
  return `| ${path} | ${tried} | ${noticed} | ${late} | ${listed} | ${unlisted.length} | ${(share * 100).toFixed(1)} %${mark} | ${seconds.toFixed(0)} |`
}
