import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { withLock } from './lock.ts'
import { fullDisk, type GitRun, runGit, streamGit } from './run-git.ts'

export interface CheckpointStoreOptions {
  /** The `checkpoints` folder of the home. */
  readonly path: string
  /** Where git is found. */
  readonly searchPath: string | undefined
  readonly clock: Clock
}

export interface GitWish {
  readonly signal: AbortSignal
  readonly input?: GitRun['input']
}

/** The store of checkpoints of a home, which all its processes share. */
export interface CheckpointStore {
  readonly path: string
  /** The git repository in it. */
  readonly repository: string
  readonly clock: Clock
  /** The part that belongs to one folder. */
  of(folder: string): FolderStore
  git(words: readonly string[], wish: GitWish): Promise<Buffer>
  stream(words: readonly string[], wish: GitWish): AsyncIterable<Buffer>
  /** Makes what is missing. */
  ready(signal: AbortSignal): Promise<void>
  /** One process at a time packs and prunes. */
  pruning<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export interface FolderStore {
  /** The folder itself, absolute and without links. */
  readonly folder: string
  readonly id: string
  readonly index: string
  readonly store: CheckpointStore
  /** Runs git over the files of the folder. */
  git(words: readonly string[], wish: GitWish): Promise<Buffer>
  stream(words: readonly string[], wish: GitWish): AsyncIterable<Buffer>
  /** One process at a time; what one that was killed has left locked is freed. */
  locked<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** Nothing of the person's own git holds here: no settings, hooks, filters, signatures, watchers; and no conversion of what files hold. */
const settings = [
  ...['core.bare=true', 'core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.untrackedCache=false', 'core.attributesFile=/dev/null'],
  ...['core.excludesFile=/dev/null', 'core.autocrlf=false', 'core.safecrlf=false', 'core.fileMode=true', 'core.symlinks=true'],
  ...['core.ignoreCase=false', 'core.precomposeUnicode=false', 'core.protectNTFS=false', 'core.protectHFS=false', 'core.quotePath=false'],
  ...['commit.gpgSign=false', 'gc.auto=0', 'maintenance.auto=false', 'core.logAllRefUpdates=false', 'diff.external=', 'color.ui=false'],
  ...['index.sparse=false', 'core.splitIndex=false', 'feature.manyFiles=false', 'index.version=2'],
].flatMap((setting) => ['-c', setting])

/** Read before every `.gitattributes` of a folder. */
const attributes = '* -text -ident !filter !working-tree-encoding !eol\n'

/** Without it the C library of Linux gives memory back to the system after each file that git compresses, which takes ten times as long as the rest. */
const memory = { MALLOC_TOP_PAD_: `${32 * 1024 * 1024}`, MALLOC_TRIM_THRESHOLD_: `${256 * 1024 * 1024}` }

export function openStore({ path, searchPath, clock }: CheckpointStoreOptions): CheckpointStore {
  const repository = join(path, 'store')
  const marker = join(repository, 'info', 'attributes')
  const environment = {
    PATH: searchPath,
    HOME: path,
    LC_ALL: 'C',
    GIT_DIR: repository,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    ...memory,
  }
  const runOf = (wish: GitWish, more: Readonly<Record<string, string>> = {}): GitRun => ({
    ...{ environment: { ...environment, ...more }, cwd: path, signal: wish.signal, input: wish.input },
  })
  const store: CheckpointStore = {
    ...{ path, repository, clock },
    of: (folder) => openFolder(store, folder, runOf),
    git: (words, wish) => runGit([...settings, ...words], runOf(wish)),
    stream: (words, wish) => streamGit([...settings, ...words], runOf(wish)),
    ready: async (signal) => {
      if (existsSync(marker)) return
      for (const folder of ['indexes', 'projects', 'locks']) mkdirSync(join(path, folder), { recursive: true, mode: 0o700 })
      await withLock(join(path, 'locks', 'store'), { clock, signal }, async () => {
        rmSync(join(repository, 'config.lock'), { force: true })
        await runGit(['init', '--bare', '--quiet', '--object-format=sha1', '--template=', repository], runOf({ signal }))
        mkdirSync(join(repository, 'info'), { recursive: true })
        // Packing is due a day after the first checkpoint.
        writeFileSync(join(path, '.last_prune'), '')
        writeFileSync(marker, attributes)
      })
    },
    pruning: (signal, work) => withLock(join(path, 'locks', 'prune'), { clock, signal }, work),
  }
  return store
}

function openFolder(
  store: CheckpointStore,
  folder: string,
  runOf: (wish: GitWish, more?: Readonly<Record<string, string>>) => GitRun,
): FolderStore {
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const index = join(store.path, 'indexes', id)
  const places = { GIT_WORK_TREE: folder, GIT_INDEX_FILE: index }
  // With a work tree git starts in it, so that names are not cut.
  const own = (wish: GitWish): GitRun => ({ ...runOf(wish, places), cwd: folder })
  return {
    ...{ folder, id, index, store },
    git: (words, wish) => runGit([...settings, ...words], own(wish)),
    stream: (words, wish) => streamGit([...settings, ...words], own(wish)),
    locked: async (signal, work) => {
      try {
        await store.ready(signal)
        return await withLock(join(store.path, 'locks', id), { clock: store.clock, signal }, async () => {
          freeLocks(store.path, id, store.clock.now())
          return work()
        })
      } catch (error) {
        if (!isFullDisk(error)) throw error
        sweepHalves(store.repository)
        throw isAgentError(error, 'CHECKPOINTS_UNUSABLE') ? error : fail('CHECKPOINTS_UNUSABLE', { problem: fullDisk }, { cause: error })
      }
    },
  }
}

/** One sentence, whichever of the files of the store does not fit. */
const isFullDisk = (error: unknown): boolean =>
  isAgentError(error, 'STORE_FULL') ||
  (isAgentError(error, 'CHECKPOINTS_UNUSABLE') && error.message.includes(fullDisk)) ||
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** What git had written of an object when the disk was full; it leaves that behind. */
function sweepHalves(repository: string): void {
  const objects = join(repository, 'objects')
  if (!existsSync(objects)) return
  for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' }))
    if (/(^|\/)tmp_obj_[^/]*$/.test(name)) rmSync(join(objects, name), { force: true })
}

/** Deleting takes milliseconds: a lock of all references that is so old was left behind. */
const abandonedMs = 60_000

/** Nobody else works on this folder now: what is locked here was left by a process that was killed. */
function freeLocks(path: string, id: string, now: number): void {
  rmSync(join(path, 'indexes', `${id}.lock`), { force: true })
  rmSync(join(path, 'store', 'refs', 'held', `${id}.lock`), { force: true })
  const references = join(path, 'store', 'refs', 'agent', id)
  if (existsSync(references))
    for (const name of readdirSync(references)) if (name.endsWith('.lock')) rmSync(join(references, name), { force: true })
  const packed = join(path, 'store', 'packed-refs.lock')
  const about = statSync(packed, { throwIfNoEntry: false })
  if (about && now - about.mtimeMs > abandonedMs) rmSync(packed, { force: true })
}
