import { join } from 'node:path'
import { isAgentError } from '../../contract/errors.ts'
import type { MemoryBlock, MemoryOwner, PastMessage } from '../../contract/memory.ts'
import type { MemoryManifest, OpenMemory } from '../../kinds/memory.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, rulesOf, type SetUp, type Stage } from './stage.ts'

/** What drives a memory provider. */
export interface MemoryWorld extends SetUp, AsyncDisposable {
  /** An empty folder, in which the folders of the owners are. */
  readonly folder: string
  /** `recall`: a question about the first owner that has an answer, in `past` or in `note`. */
  readonly query?: string
  /** What the first owner's conversations hold, for a provider that asks for them; the other owner has none. */
  readonly past?: readonly PastMessage[]
  /** A note that is added for the first owner before `query` is asked, for a provider that recalls what it was given. */
  readonly note?: string
}

/** What the suite for memory providers needs. */
export interface MemoryContractOptions extends RunOptions<'memory'> {
  readonly world: () => Promise<MemoryWorld>
}

type MemoryStage = Stage<'memory'>
type Changing = Required<Pick<OpenMemory, 'change'>> & OpenMemory
const methods = ['snapshot', 'change', 'recall'] as const
const target = 'memory'

/** The rules of a memory provider; what is not declared is not tried. */
export function memoryContract(options: MemoryContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  const { capabilities } = declaration(options)
  const declared = methods.filter((name) => capabilities[name])
  return [
    rule('shape', 'the methods are exactly those of the declared capabilities', async (stage: MemoryStage, world: MemoryWorld) => {
      const opened = await open(stage, stage.host(world))
      for (const name of methods) {
        const has = typeof opened[name] === 'function'
        const problem = has ? `it has ${name}, which is not declared` : `it declares ${name} and has no such method`
        stage.expect(has === declared.includes(name), problem)
      }
    }),
    ...(capabilities.change
      ? [
          rule('change', 'entries are added, replaced and removed, and one that is there is not added again', checkChanges),
          rule('errors', 'a change that cannot be made has a code and changes nothing', checkErrors),
          rule('together', 'two changes at once lose nothing', checkTogether),
        ]
      : []),
    ...(capabilities.recall ? [rule('recall', 'what fits a question is found', checkRecall)] : []),
    rule('owners', 'nothing of one owner reaches another', checkOwners),
    ...commonRules(options, async (stage: MemoryStage, host, world: MemoryWorld) => {
      const opened = await open(stage, host)
      const owner = ownerOf(world, 'ann')
      await opened.change?.(owner, { action: 'add', target, text: 'Ann likes tea.' }, stage.call())
      await opened.snapshot?.(owner, stage.call())
      await opened.recall?.(owner, world.query ?? 'tea', stage.call())
    }),
  ]
}

function declaration({ subject: { manifest, contribution } }: Pick<MemoryStage, 'subject'>): MemoryManifest {
  const found = manifest.contributes.memory.find(({ id }) => id === contribution)
  if (!found) throw new Error(`${manifest.id} has no memory provider ${contribution}.`)
  return found
}

async function open(stage: MemoryStage, host: TestContext): Promise<OpenMemory> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

/** The first owner, who has conversations, and another one. */
function ownerOf({ folder, past = [] }: MemoryWorld, name: 'ann' | 'ben'): MemoryOwner {
  const search = async ({ most }: { readonly most: number }): Promise<readonly PastMessage[]> => (name === 'ann' ? past.slice(0, most) : [])
  return { key: `person:test:${name}`, folder: join(folder, name), search }
}

const same = (block: MemoryBlock, entries: readonly string[]): boolean => JSON.stringify(block.entries) === JSON.stringify(entries)

async function checkChanges(stage: MemoryStage, world: MemoryWorld): Promise<void> {
  const opened = (await open(stage, stage.host(world))) as Changing
  const owner = ownerOf(world, 'ann')
  const change = (...asked: Parameters<Changing['change']>[1][]): Promise<MemoryBlock> =>
    asked.reduce<Promise<MemoryBlock>>(
      async (before, each) => {
        await before
        return await stage.within(opened.change(owner, each, stage.call()), 'a change')
      },
      Promise.resolve({ target, entries: [], limit: 0 }),
    )
  const added = await change({ action: 'add', target, text: 'The cat is Minka.' }, { action: 'add', target, text: 'The dog is Rex.' })
  stage.expect(same(added, ['The cat is Minka.', 'The dog is Rex.']), `two added entries came back as ${JSON.stringify(added.entries)}`)
  stage.expect(added.limit > 0, 'a block has no limit')
  const again = await change({ action: 'add', target, text: 'The dog is Rex.' })
  stage.expect(same(again, added.entries), 'an entry that was there was added again')
  const replaced = await change({ action: 'replace', target, old: 'Rex', text: 'The dog is Bello.' })
  stage.expect(same(replaced, ['The cat is Minka.', 'The dog is Bello.']), 'the entry with the old text was not replaced as a whole')
  const removed = await change({ action: 'remove', target, old: 'Minka' })
  stage.expect(same(removed, ['The dog is Bello.']), 'the entry with the old text was not removed')
  if (!opened.snapshot) return
  const blocks = await stage.within(opened.snapshot(owner, stage.call()), 'the snapshot')
  const found = blocks.find((block) => block.target === target)
  stage.expect(found !== undefined && same(found, ['The dog is Bello.']), 'the snapshot is not what was changed')
}

async function checkErrors(stage: MemoryStage, world: MemoryWorld): Promise<void> {
  const opened = (await open(stage, stage.host(world))) as Changing
  const owner = ownerOf(world, 'ann')
  const change = (asked: Parameters<Changing['change']>[1]): Promise<MemoryBlock> => opened.change(owner, asked, stage.call())
  await change({ action: 'add', target, text: 'One tea.' })
  const { limit, entries } = await change({ action: 'add', target, text: 'Two teas.' })
  const refused = async (
    asked: Parameters<Changing['change']>[1],
    code: 'MEMORY_UNCHANGED' | 'MEMORY_FULL',
    what: string,
  ): Promise<void> => {
    const error = await stage.rejection(change(asked), what)
    stage.expect(isAgentError(error, code), `${what} is ${error.code} and not ${code}`)
  }
  await refused({ action: 'remove', target, old: 'coffee' }, 'MEMORY_UNCHANGED', 'a text that stands nowhere')
  await refused({ action: 'replace', target, old: 'tea', text: 'x' }, 'MEMORY_UNCHANGED', 'a text that stands in two entries')
  await refused({ action: 'add', target, text: 'x'.repeat(limit + 1) }, 'MEMORY_FULL', 'an entry longer than the limit')
  const after = await change({ action: 'add', target, text: 'One tea.' })
  stage.expect(same(after, entries), 'a refused change has changed something')
}

async function checkTogether(stage: MemoryStage, world: MemoryWorld): Promise<void> {
  const opened = (await open(stage, stage.host(world))) as Changing
  const owner = ownerOf(world, 'ann')
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `Note ${name}.`)
  await stage.within(Promise.all(names.map((text) => opened.change(owner, { action: 'add', target, text }, stage.call()))), 'changes')
  const { entries } = await opened.change(owner, { action: 'add', target, text: 'Note a.' }, stage.call())
  const lost = names.filter((name) => !entries.includes(name))
  stage.expect(lost.length === 0, `of changes made at once some are lost: ${lost.join(' ')}`)
}

async function checkRecall(stage: MemoryStage, world: MemoryWorld): Promise<void> {
  const { query, note } = world
  stage.expect(query !== undefined, lacks('query'))
  const opened = await open(stage, stage.host(world))
  const owner = ownerOf(world, 'ann')
  if (note !== undefined) await opened.change?.(owner, { action: 'add', target, text: note }, stage.call())
  const hits = (await stage.within(opened.recall?.(owner, query, stage.call()) ?? Promise.resolve([]), 'recall')) ?? []
  stage.expect(hits.length > 0 && hits.every(({ text }) => text.trim() !== ''), 'nothing was found for the query of the world')
}

async function checkOwners(stage: MemoryStage, world: MemoryWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  const [ann, ben] = [ownerOf(world, 'ann'), ownerOf(world, 'ben')]
  const secret = world.note ?? 'Ann keeps her key below the blue pot.'
  await opened.change?.(ann, { action: 'add', target, text: secret }, stage.call())
  const query = world.query ?? 'key'
  await opened.recall?.(ann, query, stage.call())
  const seen = [await opened.snapshot?.(ben, stage.call()), await opened.recall?.(ben, query, stage.call())]
  const known = [secret, ...(world.past ?? []).map(({ text }) => text)]
  const text = JSON.stringify(seen)
  const leaked = known.find((each) => text.includes(JSON.stringify(each).slice(1, -1)))
  stage.expect(leaked === undefined, 'another owner is told what the first one said')
}
