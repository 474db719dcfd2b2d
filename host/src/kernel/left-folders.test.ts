import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listLeftFolders } from './left-folders.ts'

test('what a process left that is gone is told from what one that runs still has, and from what others have', () => {
  const parent = mkdtempSync(join(tmpdir(), 'left-folders-'))
  // No system gives a process so high a number.
  const gone = 2 ** 30
  const [left, ...kept] = [`agent-x-${gone}-a`, `agent-x-${process.pid}-b`, `agent-y-${gone}-c`]
  for (const name of [left, ...kept]) mkdirSync(join(parent, name ?? ''))
  expect(listLeftFolders(parent, 'agent-x-')).toEqual([left])
  rmSync(parent, { recursive: true })
})
