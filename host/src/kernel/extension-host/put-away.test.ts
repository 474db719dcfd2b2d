import type { Toolset, Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'

const mine: RigPlugin = { id: 'mine' }

async function open(plugins: readonly RigPlugin[]) {
  const { start, children } = createChildrenInProcess()
  const rig = await openExtensionRig({ program: '/child.mjs', startChild: start, plugins })
  const faults = (plugin: string): number | undefined => rig.hosts.status().find((one) => one.plugin === plugin)?.faults
  return { rig, children, faults, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

const stackOf = (rig: ExtensionRig, id: string): string => `Error\n at ${rig.contribution('toolset', id).plugin.root}/dist/toolset.js:1`

test('a child ends in which nothing is left but a plugin that was put away', async () => {
  await using world = await open([mine, { id: 'shape', source: 'export default {}' }])
  const { rig, children, faults } = world
  await expect(rig.run('shape')).rejects.toMatchObject({ code: 'PLUGIN_SHAPE' })
  await rig.run('mine')
  expect(children[0]?.server.survive(stackOf(rig, 'mine'), 'from a timer')).toBe(true)
  await rig.until(() => faults('mine') === 1 && children[0]?.over === true)
  expect(rig.hosts.children()).toEqual([])
})

test('a quarantine that cannot be written is said, and keeps nobody from hearing of what was lost', async () => {
  await using world = await open([mine])
  const { rig, children } = world
  const quarantined = rig.quarantined as Map<string, Wire>
  quarantined.set = () => {
    throw new Error('the disk is full')
  }
  let lost = 0
  rig.hosts.onLost(() => void lost++)
  for (let count = 1; count <= 5; count++) {
    await rig.hosts.load(rig.contribution('toolset', 'mine'), 0)
    children.at(-1)?.crash()
    await rig.until(() => lost === count)
  }
  expect(rig.lines).toContainEqual(expect.stringMatching(/^error a quarantine could not be written .*mine.*the disk is full/))
})

test('an effect that cannot be undone in a child is a warning with its plugin', async () => {
  const source = `export default { open: async (context) => {
    context.effect(() => { throw new Error('it is stuck') })
    return { tools: { mine: async () => ({ ok: true, text: 'done' }) } }
  } }`
  await using world = await open([{ id: 'mine', source }])
  const { rig } = world
  const contribution = rig.contribution('toolset', 'mine')
  const { context, ledger } = rig.context(contribution)
  const toolset = await (await rig.activator.entry<Toolset>(contribution)).open(context as never, newCall())
  await toolset.tools.mine?.({ args: {} } as never, newCall())
  await ledger.dispose()
  expect(rig.lines).toContainEqual(expect.stringMatching(/^warn an effect was not undone .*"plugin":"mine".*it is stuck/))
})
