/** One thing that the service must do. */
export interface Requirement {
  readonly text: string
  /** Heading under which reports list it. */
  readonly section: string
  /** The milestone by which it is due: 1 the host, 2 messaging, 3 plugins, 4 abilities, 5 dashboard, 6 what nobody has begun: desktop, full-screen terminal, speech, containers. */
  readonly since: number
  /** First twelve hex digits of the sha256 of the specification's row. */
  readonly hash: string
}

type Written = Omit<Requirement, 'section'>

/** Puts the heading into every row. */
export function defineSection<const Rows extends Readonly<Record<string, Written>>>(
  section: string,
  rows: Rows,
): { readonly [Id in keyof Rows]: Requirement } {
  const entries = Object.entries(rows).map(([id, row]) => [id, { ...row, section }])
  return Object.fromEntries(entries) as { readonly [Id in keyof Rows]: Requirement }
}
