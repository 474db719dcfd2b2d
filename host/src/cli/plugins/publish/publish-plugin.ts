import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CheckReport } from '@agent/plugin-sdk/testing'
import { readVersion } from '#config/version.ts'
import { obstacle, refusePublishing } from '#kernel/package/publish-refusals.ts'
import { describePublished } from '#kernel/package/published.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { createCauses, describeOutcome, printRepeated, printResult } from '../check/check-plugin.ts'
import { loadKit } from '../check/load-kit.ts'
import { runKit } from '../check/run-kit.ts'
import { askYes } from '../install/ask-yes.ts'
import { createProgress, type ProgressStep } from '../package/progress.ts'
import { askTarget, checkTag } from './ask-target.ts'
import { findProvenance } from './find-provenance.ts'
import { type Plan, printPlan } from './print-plan.ts'
import { readOwnPackage } from './read-package.ts'
import { stagePackage } from './stage-package.ts'
import { type UploadOptions, upload } from './upload.ts'

export interface PublishOptions {
  readonly json?: true
  readonly dryRun?: true
  readonly tag?: string
}

/** `agent plugins publish [folder]`: builds, checks, packs and shows; then uploads, unless it is a dry run. */
export async function publishPlugin(cli: Cli, folder: string, options: PublishOptions): Promise<void> {
  const dir = resolve(cli.cwd, folder)
  const scratch = mkdtempSync(join(tmpdir(), 'agent-publish-'))
  try {
    await withJsonErrors(cli, options, async () => {
      const step = createProgress(cli)
      const prepared = await prepare(cli, dir, scratch, options, step)
      if (!options.json) printPlan(cli, prepared.plan)
      if (options.dryRun) return endDryRun(cli, folder, prepared.plan, options)
      await publish(cli, prepared, options, step)
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

interface Prepared {
  readonly plan: Plan
  readonly options: UploadOptions
}

async function prepare(cli: Cli, dir: string, scratch: string, { tag, json }: PublishOptions, step: ProgressStep): Promise<Prepared> {
  const file = readOwnPackage(dir)
  if (tag !== undefined) checkTag(file, tag)
  const { installRoot, environment, signal } = cli
  // In the author's folder: where it has an .npmrc, npm publish would obey it too.
  const npm = { cwd: dir, cache: join(scratch, 'npm'), environment, signal }
  const kit = await loadKit(installRoot)
  const { manifest, untried } = await step('Building it', () => kit.buildPlugin({ dir, types: true }))
  if (untried !== undefined) cli.note(`Note: ${untried}.`)
  const { report } = await step('Trying it by every rule', () => runKit({ installRoot, dir, environment, signal }))
  if (!json) printBroken(cli, report)
  const published = describePublished(manifest, report.quality.tier, readVersion(installRoot))
  const staged = await step('Packing it', () => stagePackage(file.name, published, scratch, npm))
  const target = await step('Asking the registry', () => askTarget(file, tag, npm))
  const provenance = findProvenance(file, target.registry, environment)
  const { tarball: _tarball, ...shown } = staged
  const plan: Plan = {
    ...{ package: file.name, version: file.version, plugin: manifest.id, medal: report.quality.tier, next: findNext(report) },
    ...{ registry: target.registry, tag: target.tag, login: target.login, provenance },
    ...shown,
    obstacles: [
      ...file.obstacles,
      ...(report.passed ? [] : [obstacle('rules-broken', { outcome: describeOutcome(report) })]),
      ...target.obstacles,
    ],
  }
  return { plan, options: { file, staged, target, provenance, npm } }
}

/** The rules that do not hold, as the check shows them. */
function printBroken(cli: Cli, { rules }: CheckReport): void {
  const told = createCauses()
  for (const result of rules) if (result.status === 'failed') printResult(cli, result, told)
  printRepeated(cli, told)
}

const findNext = ({ quality }: CheckReport): string | undefined => quality.rules.find(({ status }) => status === 'missed')?.rule

function endDryRun(cli: Cli, folder: string, plan: Plan, { json, tag }: PublishOptions): void {
  if (plan.obstacles.length > 0) cli.exit(1)
  if (json) cli.json({ ...plan, published: false })
  if (json || plan.obstacles.length > 0) return
  const words = ['agent plugins publish', folder, ...(tag === undefined ? [] : ['--tag', tag])]
  cli.out(`Nothing was published. To publish it: ${words.join(' ')}`)
}

async function publish(cli: Cli, { plan, options }: Prepared, { json }: PublishOptions, step: ProgressStep): Promise<void> {
  const [first] = plan.obstacles
  if (first) throw refusePublishing(plan.package, first)
  if (cli.terminal && !json && !(await askYes(cli, 'A version that is published stays. Publish it?'))) {
    cli.exit(1)
    return cli.out('Nothing was published.')
  }
  cli.signal.throwIfAborted()
  await step(`Publishing ${plan.package} ${plan.version}`, () => upload(options))
  if (json) return cli.json({ ...plan, published: true })
  const range = plan.tag === 'latest' ? '' : `@${plan.tag}`
  cli.out(`${plan.package} ${plan.version} is published. Others get it: agent plugins install ${plan.package}${range}`)
}
