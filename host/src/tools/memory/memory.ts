import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Call, Context, Log, MemoryBlock, MemoryChange, MemoryHit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Past } from '#store/past.ts'
import type { OpenerOptions } from '../opener.ts'
import type { FindMemoryProvider } from './find-memory-provider.ts'
import { findPlanted } from './find-planted.ts'
import { formatSnapshot } from './format-snapshot.ts'
import { createMemoryProviders, type MemoryProviders } from './memory-providers.ts'
import { folderOf } from './owner.ts'
import type { PendingChanges } from './pending.ts'

export interface MemorySettings {
  /** `none`: there is no memory. */
  readonly provider: string
  readonly memory_enabled: boolean
  readonly user_profile_enabled: boolean
  readonly write_approval: boolean
}

export interface MemoryOptions extends OpenerOptions<'memory', Context> {
  readonly catalog: FindMemoryProvider['catalog']
  /** The block `memory` of the settings as it is now. */
  readonly settings: () => MemorySettings
  /** `memories` of the home. */
  readonly folder: string
  readonly past: Pick<Past, 'find'>
  readonly pending: PendingChanges
  readonly log: Log
}

type Target = MemoryBlock['target']

/** How a change is made. */
export interface ChangeHow {
  readonly call: Call
  readonly session: string
  /** Asks a person who is here whether it may be made; absent where nobody is. */
  readonly ask?: ((change: MemoryChange) => Promise<'yes' | 'no' | 'nobody'>) | undefined
}

export type Changed = { readonly block: MemoryBlock } | { readonly waits: string }

/** What is remembered, by owner: every method takes one, and reaches nothing of another. */
export interface HostMemory {
  readonly pending: PendingChanges
  /** Whether a provider can do this; also where the choice is wrong, so that somebody is told. */
  offers(what: 'change' | 'recall'): boolean
  /** Whether changes wait for an approval. */
  wantsApproval(): boolean
  /** Decides about it for this process, until other settings are read. */
  setApproval(on: boolean): void
  /** What may be remembered: `memory`, `user`, both or nothing. */
  targets(): readonly Target[]
  /** What the prompt of a new session says; empty where nothing is remembered or it cannot be had. */
  prompt(owner: string, signal: AbortSignal): Promise<string>
  blocks(owner: string, call: Call): Promise<readonly MemoryBlock[]>
  /** Makes a change for the agent: where the settings want an approval, and nobody says yes here, it waits. */
  change(owner: string, change: MemoryChange, how: ChangeHow): Promise<Changed>
  /**
   * Has an entry wait that nobody asked for, whatever the settings say of what the agent notes itself. Resolves with false where it is there or
   * waits already.
   */
  propose(owner: string, change: Extract<MemoryChange, { action: 'add' }>, how: Pick<ChangeHow, 'session' | 'call'>): Promise<boolean>
  /** Makes a change that waited. */
  approve(id: string, call: Call, owner?: string): Promise<MemoryBlock>
  recall(owner: string, query: string, call: Call): Promise<readonly MemoryHit[]>
  retire(contribution: Contribution<'memory'>): Promise<void>
  close(): Promise<void>
}

const snapshotMs = 5_000
const changeMs = 30_000
const recallMs = 30_000
const mostHits = 20
const longestQuery = 2_000

type Parts = Pick<MemoryOptions, 'settings' | 'folder'> & { readonly providers: MemoryProviders }

export function createMemory(options: MemoryOptions): HostMemory {
  const { settings, pending, clock, log } = options
  const providers = createMemoryProviders({ ...options, wanted: () => settings().provider })
  const parts: Parts = { ...options, providers }
  let said: { readonly on: boolean; readonly instead: boolean } | undefined
  const wantsApproval = (): boolean => {
    const { write_approval: wanted } = settings()
    return said?.instead === wanted ? said.on : wanted
  }
  return {
    pending,
    wantsApproval,
    setApproval: (on) => {
      said = { on, instead: settings().write_approval }
    },
    offers: (what) => providers.offers(what) && (what === 'recall' || targetsOf(parts).length > 0),
    targets: () => targetsOf(parts),
    blocks: (owner, call) => readBlocksOf(parts, owner, call),
    async prompt(owner, signal) {
      try {
        const { text, warnings } = formatSnapshot(await readBlocksOf(parts, owner, { id: 'snapshot', signal, deadline: snapshotMs }))
        for (const warning of warnings) log.warn(warning, { owner })
        return text
      } catch (error) {
        if (signal.aborted) throw error
        // A turn goes on without: who speaks wants an answer.
        log.warn('what is remembered could not be read', { owner, problem: detailOf(error) })
        return ''
      }
    },
    async change(owner, change, { call, session, ask: person }) {
      requireTarget(change.target, targetsOf(parts))
      if (change.action !== 'remove') requireSound(change.text)
      if (!wantsApproval()) return { block: await makeChange(parts, owner, change, call) }
      const pinned = pinEntry(change, await readBlocksOf(parts, owner, call))
      const answer = (await person?.(pinned)) ?? 'nobody'
      if (answer === 'yes') return { block: await makeChange(parts, owner, pinned, call) }
      if (answer === 'no') throw fail('MEMORY_UNCHANGED', { problem: 'the person did not agree' })
      return { waits: await pending.add({ owner, at: clock.now(), session, change: pinned }) }
    },
    async propose(owner, change, { session, call }) {
      requireTarget(change.target, targetsOf(parts))
      requireSound(change.text)
      const known = (await readBlocksOf(parts, owner, call)).flatMap(({ entries }) => entries)
      const waiting = (await pending.list(owner)).map(({ change: other }) => (other.action === 'remove' ? '' : other.text))
      if ([...known, ...waiting].includes(change.text)) return false
      await pending.add({ owner, at: clock.now(), session, change })
      return true
    },
    async approve(id, call, owner) {
      const { owner: whose, change } = await pending.find(id, owner)
      // The file of the change may have been edited since, and so may the entry that it is about.
      if (change.action !== 'remove') requireSound(change.text)
      if (change.action !== 'add') requireEntry(change, await readBlocksOf(parts, whose, call))
      const block = await makeChange(parts, whose, change, call)
      pending.remove(id)
      return block
    },
    async recall(owner, query, call) {
      const { readHits } = await import('./answers.ts')
      const found = await providers.ask('recall', { owner, call, ms: recallMs }, async (memory, own, within) =>
        readHits(await memory.recall(own, query.slice(0, longestQuery), within)),
      )
      return found.slice(0, mostHits).filter(({ text }) => findPlanted(text) === undefined)
    },
    retire: providers.retire,
    close: providers.close,
  }
}

function targetsOf({ settings }: Parts): readonly Target[] {
  const { memory_enabled: memory, user_profile_enabled: user } = settings()
  return [...(memory ? (['memory'] as const) : []), ...(user ? (['user'] as const) : [])]
}

async function readBlocksOf(parts: Parts, owner: string, call: Call): Promise<readonly MemoryBlock[]> {
  const { providers, folder } = parts
  const provider = providers.find('snapshot')
  const wanted = targetsOf(parts)
  if (!provider || wanted.length === 0 || isEmpty(provider, folderOf(folder, owner))) return []
  const { readBlocks } = await import('./answers.ts')
  const found = await providers.ask('snapshot', { owner, call, ms: snapshotMs }, async (memory, own, within) =>
    readBlocks(await memory.snapshot(own, within)),
  )
  return found.filter(({ target }) => wanted.includes(target))
}

async function makeChange(parts: Parts, owner: string, change: MemoryChange, call: Call): Promise<MemoryBlock> {
  requireTarget(change.target, targetsOf(parts))
  const { readBlocks } = await import('./answers.ts')
  const [block] = await parts.providers.ask('change', { owner, call, ms: changeMs }, async (memory, own, within) =>
    readBlocks([await memory.change(own, change, within)]),
  )
  return block as MemoryBlock
}

/** Whether the provider says by which files it can be seen that there is nothing. */
function isEmpty({ spec: { files } }: Contribution<'memory'>, folder: string): boolean {
  return files.length > 0 && !files.some((file) => existsSync(join(folder, file)))
}

function requireTarget(target: Target, wanted: readonly Target[]): void {
  const key = target === 'memory' ? 'memory.memory_enabled' : 'memory.user_profile_enabled'
  if (!wanted.includes(target)) throw fail('MEMORY_OFF', { problem: `${key} of the settings is false` })
}

function requireSound(text: string): void {
  const planted = findPlanted(text)
  if (planted !== undefined) throw fail('MEMORY_UNCHANGED', { problem: `the entry ${planted}, and later sessions would begin with it` })
}

/** The change with the whole entry that it is about, so that it is the same one when it is approved. */
function pinEntry(change: MemoryChange, blocks: readonly MemoryBlock[]): MemoryChange {
  if (change.action === 'add') return change
  const entries = blocks.find(({ target }) => target === change.target)?.entries ?? []
  const old = change.old.trim()
  const found = entries.includes(old) ? [old] : entries.filter((entry) => entry.includes(old))
  const [only] = found
  if (only === undefined || old === '') throw fail('MEMORY_UNCHANGED', { problem: `no entry has the text "${old.slice(0, 80)}"` })
  if (found.length > 1)
    throw fail('MEMORY_UNCHANGED', { problem: `"${old.slice(0, 80)}" stands in ${found.length} entries; give more of it` })
  return { ...change, old: only }
}

function requireEntry({ target, old }: Exclude<MemoryChange, { action: 'add' }>, blocks: readonly MemoryBlock[]): void {
  if (blocks.some((block) => block.target === target && block.entries.includes(old))) return
  throw fail('MEMORY_UNCHANGED', { problem: 'the entry that it is about is not there any more as it was' })
}
