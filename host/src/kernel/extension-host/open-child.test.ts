import type { Toolset } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { systemClock } from '../clock.ts'
import { openChild } from './open-child.ts'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'
import type { Watched } from './watch-children.ts'

const mine: RigPlugin = { id: 'mine' }

async function open(rig: ExtensionRig) {
  const { start } = createChildrenInProcess()
  const watched: Watched[] = []
  const child = await openChild({
    ...{ command: { file: '/child.mjs', args: [], sandboxed: false, warnings: [] }, cwd: rig.folder.root, capBytes: 1, plugins: ['mine'] },
    ...{ clock: systemClock, log: silentLog, startChild: start, onCrash: () => undefined, onFault: () => undefined },
    watch: {
      watch(look) {
        watched.push(look)
        return () => undefined
      },
    },
  })
  return { child, watched, contribution: rig.contribution('toolset', 'mine') }
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
