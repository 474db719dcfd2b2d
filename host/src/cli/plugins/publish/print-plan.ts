import type { Obstacle } from '#kernel/package/publish-refusals.ts'
import { printable } from '#observe/printable.ts'
import { type Cli, formatTable } from '../../console/cli.ts'
import type { Provenance } from './find-provenance.ts'
import type { StagedPackage } from './stage-package.ts'

/** Everything that would be published, and what stands in the way. */
export interface Plan extends Omit<StagedPackage, 'tarball'> {
  readonly package: string
  readonly version: string
  readonly plugin: string
  readonly medal: string
  /** The first rule that the next medal asks for and that is missed. */
  readonly next: string | undefined
  readonly registry: string
  readonly tag: string
  readonly login: string | undefined
  readonly provenance: Provenance
  readonly obstacles: readonly Obstacle[]
}

/** Shows what would be published, before anything is. */
export function printPlan(cli: Pick<Cli, 'out'>, plan: Plan): void {
  const { files, bytes, unpackedBytes, provenance, obstacles } = plan
  const total = `${files.length} files, ${formatBytes(bytes)} packed, ${formatBytes(unpackedBytes)} unpacked`
  cli.out(`${plan.package} ${plan.version}, the plugin ${plan.plugin}: ${total}`)
  cli.out(formatTable(files.map((file) => [`  ${printable(file.path)}`, formatBytes(file.bytes)])))
  const rows = [
    ['medal', plan.next === undefined ? plan.medal : `${plan.medal}; next: ${plan.next}`],
    ['registry', plan.login === undefined ? plan.registry : `${plan.registry} as ${plan.login}`],
    ['tag', plan.tag],
    ['provenance', provenance.made ? provenance.why : `left out: ${provenance.why}`],
  ]
  cli.out(formatTable(rows))
  if (obstacles.length === 0) return
  cli.out('It cannot be published yet:')
  for (const { problem } of obstacles) cli.out(`  ${printable(problem)}`)
}

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
