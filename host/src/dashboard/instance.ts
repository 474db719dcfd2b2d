import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { Home } from '#config/home/home.ts'
import { identifyProcess, isAlive, type ProcessIdentity } from '#gateway/process/process-identity.ts'
import { readText } from '#kernel/read-text.ts'

/** The dashboard that runs; what `dashboard.json` of its home says. */
export interface DashboardRecord extends ProcessIdentity {
  readonly url: string
}

const fileOf = ({ path }: Pick<Home, 'path'>): string => join(path, 'dashboard.json')

export function findDashboard(home: Pick<Home, 'path'>): DashboardRecord | undefined {
  try {
    const record = JSON.parse(readText(fileOf(home), { mostBytes: 4096 }) ?? 'null') as DashboardRecord | null
    return record && isAlive(record) ? record : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Notes where this process serves the dashboard; gives back what takes the note away. */
export function noteDashboard(home: Pick<Home, 'path'>, url: string): () => void {
  const record: DashboardRecord = { ...identifyProcess(process.pid), url }
  writeFileAtomic(fileOf(home), `${JSON.stringify(record)}\n`)
  return () => {
    if (findDashboard(home)?.pid === process.pid) rmSync(fileOf(home), { force: true })
  }
}
