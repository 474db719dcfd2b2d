import type { Requirement } from './define-section.ts'

/** How one test ended that names requirements. */
export interface Proof {
  readonly ids: readonly string[]
  readonly state: 'passed' | 'failed' | 'skipped'
  /** What a skipped test did without. */
  readonly missing?: string | undefined
}

interface Due {
  readonly id: string
  /** Why nothing proves it. */
  readonly why: string
}

export interface SectionSummary {
  readonly section: string
  readonly proved: readonly string[]
  readonly open: readonly string[]
  /** Open, and due by now. */
  readonly due: readonly Due[]
}

/** An id is proved when a test for it passed and none failed. */
export function summarize(
  requirements: Readonly<Record<string, Requirement>>,
  proofs: readonly Proof[],
  milestone: number,
): readonly SectionSummary[] {
  const named = (state: Proof['state']): ReadonlySet<string> =>
    new Set(proofs.filter((proof) => proof.state === state).flatMap(({ ids }) => ids))
  const passed = named('passed')
  const failed = named('failed')
  const explain = (id: string): string => {
    if (failed.has(id)) return 'a test for it failed'
    const skipped = proofs.filter(({ ids }) => ids.includes(id))
    if (skipped.length === 0) return 'no test proves it'
    return `skipped, ${skipped.find(({ missing }) => missing)?.missing ?? 'without a reason'}`
  }
  const sections = new Set(Object.values(requirements).map((requirement) => requirement.section))
  return [...sections].map((section) => {
    const rows = Object.entries(requirements).filter(([, requirement]) => requirement.section === section)
    const proved = rows.filter(([id]) => passed.has(id) && !failed.has(id)).map(([id]) => id)
    const open = rows.filter(([id]) => !proved.includes(id))
    const due = open.filter(([, requirement]) => requirement.since <= milestone).map(([id]) => ({ id, why: explain(id) }))
    return { section, proved, open: open.map(([id]) => id), due }
  })
}

/** The report of a whole run as lines of text. */
export function formatSummary(summaries: readonly SectionSummary[]): readonly string[] {
  const count = (pick: (summary: SectionSummary) => readonly unknown[]): number =>
    summaries.reduce((sum, summary) => sum + pick(summary).length, 0)
  const width = Math.max(...summaries.map((summary) => summary.section.length))
  const row = (name: string, proved: number, open: number, due: number): string =>
    `  ${name.padEnd(width)}  ${String(proved).padStart(6)}  ${String(open).padStart(4)}  ${String(due).padStart(7)}`
  return [
    'Requirements',
    `  ${''.padEnd(width)}  proved  open  due now`,
    ...summaries.map(({ section, proved, open, due }) => row(section, proved.length, open.length, due.length)),
    row(
      'all',
      count((summary) => summary.proved),
      count((summary) => summary.open),
      count((summary) => summary.due),
    ),
    ...summaries.flatMap(({ due }) => due.map(({ id, why }) => `  due and open: ${id} (${why})`)),
  ]
}

/** One line for each thing that skipped tests did without. */
export function formatSkipped(missing: readonly (string | undefined)[]): readonly string[] {
  const reasons = missing.map((reason) => reason ?? 'without a reason')
  return [...new Set(reasons)].map((reason) => `Skipped ${reasons.filter((other) => other === reason).length} × ${reason}`)
}
