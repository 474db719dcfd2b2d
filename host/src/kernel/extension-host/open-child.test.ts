import type { Toolset } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { systemClock } from '../clock.ts'
import { openChild } from './open-child.ts'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'
import type { Watched } from './watch-children.ts'

const mine: RigPlugin = { id: 'mine' }
const toolCall = {
  ...{ id: 'tc', args: {} as never, session: 's', turn: 't', workspace: '/' },
  progress: () => undefined,
  ask: async () => '',
}

async function open(rig: ExtensionRig) {
  const { start, children } = createChildrenInProcess()
  const watched: Watched[] = []
  const told: string[] = []
  const child = await openChild({
    ...{ command: { file: '/child.mjs', args: [], sandboxed: false, warnings: [] }, cwd: rig.folder.root, capBytes: 1, plugins: ['mine'] },
    ...{ clock: systemClock, log: silentLog, startChild: start },
    ...{
      onCrash: ({ detail }) => told.push(`crash: ${detail}`),
      onFault: () => told.push('fault'),
      onEnd: async () => void told.push('end'),
    },
    watch: {
      watch(look) {
        watched.push(look)
        return () => void watched.splice(watched.indexOf(look), 1)
      },
    },
  })
  return { child, children, watched, told, contribution: rig.contribution('toolset', 'mine') }
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

test('a child that is closed is no crash: what runs in it ends as inactive, and it is not watched any more', async () => {
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [{ id: 'mine', tool: 'await new Promise(() => {})' }] })
  const { child, children, watched, told, contribution } = await open(rig)
  const entry = (await child.load(contribution, 0)) as Toolset
  const { tools } = await entry.open(rig.context(contribution).context as never, newCall())
  const running = expect(tools.mine?.(toolCall, newCall())).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE', params: { plugin: 'mine' } })
  expect([child.pid(), watched.length]).toEqual([5_000, 1])
  await child.close()
  await running
  expect([child.pid(), watched.length, told]).toEqual([undefined, 0, ['end']])
  expect(children[0]?.killed).toBe(false)
  expect(await child.unload(contribution)).toBe(0)
})
