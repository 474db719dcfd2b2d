import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { areas, findPart } from './areas.ts'
import { copyCheckout } from './checkout.ts'
import { judge, type Verdict } from './judge.ts'
import { formatChange, readSurvivors } from './survivors.ts'
import { openTrying } from './try-part.ts'

const budget = 0.9

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: String(Math.min(4, cpus().length)) },
  },
})
const parts = (positionals.length > 0 ? positionals : areas.map(({ name }) => name)).map(findPart)
if (parts.includes(undefined)) {
  console.error(
    `Usage: npm run test:mutation -- [${areas.map(({ name }) => name).join(' | ')} | <folder or file below one>…] [--all | --sample 200] [--seed N] [--near]`,
  )
  process.exitCode = 2
} else {
  process.exitCode = (await run()) ? 0 : 1
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
      const sample = values.all || path !== area.folder ? undefined : Number(values.sample)
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
  if (unlisted.length > 0) console.log(`\nNo test notices these changes in ${path}:`)
  for (const each of unlisted) console.log(`# line ${each.line}\n${formatChange(each)}`)
  if (removable.length > 0) console.log(`\nThese survivors of ${path} are noticed now; take them off the list:`)
  for (const each of removable) console.log(formatChange(each))
}

function formatRow(path: string, { tried, noticed, late, listed, unlisted, share }: Verdict, seconds: number): string {
  const mark = share >= budget ? '' : ` (below ${budget * 100} %)`
  return `| ${path} | ${tried} | ${noticed} | ${late} | ${listed} | ${unlisted.length} | ${(share * 100).toFixed(1)} %${mark} | ${seconds.toFixed(0)} |`
}
