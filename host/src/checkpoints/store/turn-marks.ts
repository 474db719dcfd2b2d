import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDead } from './lock.ts'
import type { CheckpointStore } from './open-store.ts'

type Place = Pick<CheckpointStore, 'path'>

const folderOf = ({ path }: Place): string => join(path, 'turns')

const markOf = (place: Place, ref: string): string => join(folderOf(place), ref.replaceAll('/', '+'))

/** Tells all processes of the home that the turn of this checkpoint runs. */
export function markTurn(place: Place, ref: string): void {
  mkdirSync(folderOf(place), { recursive: true, mode: 0o700 })
  writeFileSync(markOf(place, ref), String(process.pid), { mode: 0o600 })
}

export function unmarkTurn(place: Place, ref: string): void {
  rmSync(markOf(place, ref), { force: true })
}

/** The checkpoints whose turns run, in whichever process. A turn of a process that is dead runs no more. */
export function runningTurns(place: Place): ReadonlySet<string> {
  return new Set(namesIn(folderOf(place)).flatMap((name) => (isRunning(join(folderOf(place), name)) ? [name.replaceAll('+', '/')] : [])))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isRunning(mark: string): boolean {
  try {
    if (!isDead(readFileSync(mark, 'utf8'))) return true
    rmSync(mark, { force: true })
    return false
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
