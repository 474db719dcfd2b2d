import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { CheckpointStore } from './open-store.ts'

/** A small piece of the store: a list of rights, a folder that names two others, or a commit. */
export interface StoreObject {
  readonly type: 'blob' | 'tree' | 'commit'
  readonly bytes: Buffer
}

type Repository = Pick<CheckpointStore, 'repository'>

/** Puts an object into the store in the form of git, and gives back its name: to start git for each of them takes longer than all that it does. */
export function writeObject(store: Repository, { type, bytes }: StoreObject): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
  const name = createHash('sha1').update(whole).digest('hex')
  // Also where there is one: a young one is not swept away before something refers to it.
  writeComplete(store, objectPath(name), { bytes: deflateSync(whole), mode: 0o444 })
  return name
}

/** Where the file of an object is, as long as it is not packed. */
export const objectPath = (name: string): string => `objects/${name.slice(0, 2)}/${name.slice(2)}`

/** Lets a reference name an object. The lock of the folder is held, so that nobody else writes its references. */
export function writeReference(store: Repository, ref: string, name: string): void {
  writeComplete(store, ref, { bytes: Buffer.from(`${name}\n`), mode: 0o644 })
}

/** Pruning clears away files of this name that were left behind. */
const temporaryName = (path: string): string => `objects/tmp_obj_${process.pid}_${path.replaceAll('/', '_')}`

function writeComplete({ repository }: Repository, path: string, { bytes, mode }: { readonly bytes: Buffer; readonly mode: number }): void {
  const [temporary, place] = [join(repository, temporaryName(path)), join(repository, path)]
  try {
    writeFileSync(temporary, bytes, { mode })
    moveTo(place, temporary)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Another process may take an empty folder away in the moment in which something is put there. */
function moveTo(place: string, temporary: string): void {
  for (let retries = 3; ; retries--) {
    try {
      renameSync(temporary, place)
      return
    } catch (error) {
      if (retries === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    mkdirSync(dirname(place), { recursive: true })
  }
}
