import type { Requirement } from './define-section.ts'

/** How one test ended that names requirements. */
export interface Proof {
  readonly ids: readonly string[]
  readonly passed: boolean
}

export interface SectionSummary {
  readonly section: string
  readonly proved: readonly string[]
  readonly open: readonly string[]
  /** Open, and due by now. */
  readonly due: readonly string[]
}

/** An id is proved when a test for it passed and none failed. */
export function summarize(
  requirements: Readonly<Record<string, Requirement>>,
  proofs: readonly Proof[],
  milestone: number,
): readonly SectionSummary[] {
  const passed = new Set(proofs.filter((proof) => proof.passed).flatMap((proof) => proof.ids))
  const failed = new Set(proofs.filter((proof) => !proof.passed).flatMap((proof) => proof.ids))
  const sections = new Set(Object.values(requirements).map((requirement) => requirement.section))
  return [...sections].map((section) => {
    const rows = Object.entries(requirements).filter(([, requirement]) => requirement.section === section)
    const proved = rows.filter(([id]) => passed.has(id) && !failed.has(id)).map(([id]) => id)
    const open = rows.filter(([id]) => !proved.includes(id))
    const due = open.filter(([, requirement]) => requirement.since <= milestone).map(([id]) => id)
    return { section, proved, open: open.map(([id]) => id), due }
  })
}

/** The report as lines of text. */
export function formatSummary(summaries: readonly SectionSummary[], { partial }: { readonly partial: boolean }): readonly string[] {
  const count = (pick: (summary: SectionSummary) => readonly string[]): number =>
    summaries.reduce((sum, summary) => sum + pick(summary).length, 0)
  const width = Math.max(...summaries.map((summary) => summary.section.length))
  const row = (name: string, proved: number, open: number, due: number): string =>
    `  ${name.padEnd(width)}  ${String(proved).padStart(6)}  ${String(open).padStart(4)}  ${String(due).padStart(7)}`
  const names = partial ? [] : summaries.flatMap((summary) => summary.due)
  return [
    partial ? 'Requirements (partial: not every test ran)' : 'Requirements',
    `  ${''.padEnd(width)}  proved  open  due now`,
    ...summaries.map(({ section, proved, open, due }) => row(section, proved.length, open.length, due.length)),
    row(
      'all',
      count((summary) => summary.proved),
      count((summary) => summary.open),
      count((summary) => summary.due),
    ),
    ...(names.length > 0 ? [`  due and open: ${names.join(', ')}`] : []),
  ]
}
