import type { Context, Toolset } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { systemClock } from '../clock.ts'
import { type Crash, openChild } from './open-child.ts'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'
import type { Watched } from './watch-children.ts'

const mine: RigPlugin = { id: 'mine' }

async function open(rig: ExtensionRig) {
  const { start, children } = createChildrenInProcess()
  const [watched, crashes]: [Watched[], Crash[]] = [[], []]
  const child = await openChild({
    ...{ command: { file: '/child.mjs', args: [], sandboxed: false, warnings: [] }, cwd: rig.folder.root, capBytes: 1, plugins: ['mine'] },
    ...{ clock: systemClock, log: silentLog, startChild: start, onCrash: (crash) => crashes.push(crash), onFault: () => undefined },
    watch: {
      watch(look) {
        watched.push(look)
        return () => undefined
      },
    },
  })
  return { child, watched, crashes, process: children[0], contribution: rig.contribution('toolset', 'mine') }
}

test('a child is beginning while an entry is loaded or opened, and at no other time', async () => {
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [mine] })
  const { child, watched, contribution } = await open(rig)
  const isBeginning = (): boolean | undefined => watched[0]?.isBeginning()
  const seen = [isBeginning()]
  const loading = child.load(contribution, 0)
  seen.push(isBeginning())
  const entry = (await loading) as Toolset
  seen.push(isBeginning())
  const opening = entry.open(rig.context(contribution).context as never, newCall())
  seen.push(isBeginning())
  await opening
  seen.push(isBeginning())
  expect(seen).toEqual([false, true, false, true, false])
  await child.close()
})

test('who holds a context of a child that crashed is told that it may try again, and nothing is left to undo', async () => {
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [mine] })
  const { child, crashes, process, contribution } = await open(rig)
  const { context, ledger } = rig.context(contribution)
  const lost: unknown[] = []
  const held = { ...context, lost: (why: unknown) => void lost.push(why) } as Context
  await ((await child.load(contribution, 0)) as Toolset).open(held as never, newCall())
  process?.crash('out of luck')
  await rig.until(() => lost.length > 0)
  expect(lost).toEqual([{ retryable: true, error: expect.objectContaining({ code: 'PLUGIN_FAILED' }) }])
  expect(crashes).toMatchObject([{ detail: 'out of luck', guilty: undefined, before: false }])
  await ledger.dispose()
  expect(rig.lines.filter((line) => line.includes('not undone'))).toEqual([])
})
