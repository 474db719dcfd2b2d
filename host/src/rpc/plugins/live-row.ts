/** A plugin as the running gateway sees it; what it does not tell is absent. */
export interface LiveRow {
  readonly id: string
  readonly state: string
  readonly detail?: string | null
  readonly child?: { readonly pid: number | null; readonly memoryBytes: number; readonly memoryLimitBytes: number } | null
  readonly faults?: number
  readonly lastFault?: string | null
}

/** The rows that `agent plugins info` and `why` add for a gateway that runs. */
export function describeLive({ state, detail, child, faults = 0, lastFault }: LiveRow): readonly (readonly [string, string])[] {
  const rows: [string, string][] = [['in the gateway', detail ? `${state}: ${detail}` : state]]
  if (child?.pid) rows.push(['its process', `${child.pid}, ${toMib(child.memoryBytes)} of ${toMib(child.memoryLimitBytes)} MiB`])
  if (faults > 0) rows.push(['faults', `${faults} in ten minutes${lastFault ? `, at last because ${lastFault}` : ''}`])
  return rows
}

/** Of the process that it runs in, which it may share. */
export function formatMemory(row: LiveRow | undefined): string {
  return row?.child?.pid ? `${toMib(row.child.memoryBytes)} MiB` : ''
}

const toMib = (bytes: number): number => Math.round(bytes / 1024 / 1024)
