import type { Log, Toolset } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { systemClock } from '../clock.ts'
import { requestMessage } from '../egress/tell-request.ts'
import { type OpenChildOptions, openChild } from './open-child.ts'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'
import type { Watched } from './watch-children.ts'

const mine: RigPlugin = { id: 'mine' }
const toolCall = {
  ...{ id: 'tc', args: {} as never, session: 's', turn: 't', workspace: '/' },
  progress: () => undefined,
  ask: async () => '',
}

async function open(rig: ExtensionRig, more: Partial<OpenChildOptions> = {}) {
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
    ...more,
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

function openLog() {
  const lines: unknown[] = []
  const say =
    (level: string): Log['info'] =>
    (message, fields) =>
      void lines.push([level, message, fields])
  return { lines, log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') } satisfies Log }
}

test('what a child could not be started for is told, and what was made for it is undone', async () => {
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [mine] })
  const told: string[] = []
  const broken = open(rig, {
    startChild: () => Promise.reject(new Error('no such program')),
    onEnd: async () => void told.push('end'),
  })
  await expect(broken).rejects.toThrow('no such program')
  expect(told).toEqual(['end'])
})

test('what this Node cannot keep in bounds is a warning, and so is a child that does not answer', async () => {
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [mine] })
  const { lines, log } = openLog()
  const command = { file: '/child.mjs', args: [], sandboxed: false, warnings: ['it may do more'] }
  const { child, watched } = await open(rig, { log, command })
  const plugin = { plugin: 'mine' }
  expect(lines).toEqual([['warn', 'mine: it may do more', plugin]])
  expect(child.isSilent()).toBe(false)
  watched[0]?.onSilence(true)
  expect(child.isSilent()).toBe(true)
  watched[0]?.onSilence(false)
  expect(child.isSilent()).toBe(false)
  expect(lines.slice(1)).toEqual([
    ['warn', 'mine does not answer', { ...plugin, reason: 'unresponsive' }],
    ['info', 'mine answers again', plugin],
  ])
  await child.close()
})

test('a request of a plugin is logged with its name, and none of a plugin that does not run in the child', async () => {
  const net = { value: ['127.0.0.1:9'], reason: 'It asks there.' }
  const tool = 'await context.fetch("http://127.0.0.1:9/a").catch(() => undefined); return "done"'
  await using rig = await openExtensionRig({ program: '/child.mjs', plugins: [{ id: 'mine', tool, manifest: { permissions: { net } } }] })
  for (const plugins of [['mine'], ['other']]) {
    const { lines, log } = openLog()
    const { child, contribution } = await open(rig, { log, plugins })
    const entry = (await child.load(contribution, 0)) as Toolset
    const { tools } = await entry.open(rig.context(contribution).context as never, newCall())
    await tools.mine?.(toolCall, newCall())
    const told = ['debug', requestMessage, expect.objectContaining({ plugin: 'mine', host: '127.0.0.1:9', path: '/a' })]
    if (plugins.includes('mine')) await expect.poll(() => lines).toContainEqual(told)
    else expect(lines).not.toContainEqual(told)
    await child.close()
  }
})
