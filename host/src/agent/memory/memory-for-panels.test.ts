import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryBlock, MemoryChange } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { ChangeHow } from '#tools/memory/memory.ts'
import { openPendingChanges } from '#tools/memory/pending.ts'
import { memoryForPanels } from './memory-for-panels.ts'

const block: MemoryBlock = { target: 'user', entries: ['Likes tea.'], limit: 100 }
const change: MemoryChange = { action: 'add', target: 'user', text: 'Has a cat.' }

function open(targets: readonly MemoryBlock['target'][] = ['user']) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-memory-'))
  const done: string[] = []
  const pending = openPendingChanges(join(folder, 'memory'))
  const made = async (owner: string, wanted: MemoryChange, { ask }: ChangeHow) => {
    done.push(`${owner}: ${wanted.action}, and who is asked says ${await ask?.(wanted)}`)
    return { block }
  }
  const approve = async (id: string) => {
    done.push(`make ${id}`)
    return block
  }
  const parts = { targets: () => targets, blocks: async () => [block], change: made, approve, pending }
  const panels = memoryForPanels(parts, new AbortController().signal)
  return { ...panels, done, pending, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

test('a page shows and changes the memory of the owner, who is not asked again', async () => {
  using opened = open()
  expect(await opened.memory.blocks()).toEqual([block])
  await opened.memory.change(change)
  expect(opened.done).toEqual(['owner: add, and who is asked says yes'])
  using off = open([])
  expect(await off.memory.blocks()).toEqual([])
})

test('changes that wait are those of everybody, and are made or dropped once', async () => {
  using opened = open()
  const { memoryProposals, pending, done } = opened
  const mine = await pending.add({ owner: 'owner', at: 5, session: 'ses_1', change })
  const hers = await pending.add({ owner: 'person:sms:me:ann', at: 6, session: 'ses_2', change: { ...change, text: 'Has a dog.' } })
  expect(await memoryProposals.list()).toEqual([
    { id: mine, at: 5, for: 'you', change: 'add to user: Has a cat.' },
    { id: hers, at: 6, for: 'the person ann on sms', change: 'add to user: Has a dog.' },
  ])
  expect(await memoryProposals.decide({ id: mine, to: 'approve' })).toBe('add to user: Has a cat.')
  expect(done).toEqual([`make ${mine}`])
  expect(await memoryProposals.decide({ id: hers, to: 'reject' })).toBe('add to user: Has a dog.')
  expect((await pending.list()).map(({ id }) => id)).toEqual([mine])
  await expect(memoryProposals.decide({ id: hers, to: 'reject' })).rejects.toMatchObject({ code: 'MEMORY_PENDING_UNKNOWN' })
})
