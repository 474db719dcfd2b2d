// @module-tag process
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Platform } from '../../kinds/platform.ts'
import type { Provider } from '../../kinds/provider.ts'
import type { Toolset } from '../../kinds/toolset.ts'
import { type ContractCase, platformContract, providerContract, toolsetContract } from '../index.ts'
import { bundleChild, type SharedChild, shareChild } from '../rig/child.ts'
import { openClone } from '../rig/subject.ts'
import { manifests } from './manifest.ts'
import { openBoxWorld, openMailboxWorld, openParrotWorld } from './worlds.ts'

type Kind = keyof typeof manifests

/** What is wrong with each plugin of this folder, by the rule that has to find it. */
const broken: Record<string, string> = {
  'platform-undeclared-edit': 'shape',
  'platform-hears-clock': 'reception',
  'platform-empty-receipt': 'receipts',
  'platform-logs-token': 'secrets',
  'platform-plain-error': 'errors',
  'platform-asks-for-ever': 'errors',
  'platform-no-account': 'inbound',
  'platform-drops-when-busy': 'busy',
  'platform-hears-itself': 'echo',
  'platform-nameless': 'identity',
  'platform-never-gives-up': 'abort',
  'platform-dies-in-silence': 'lost',
  'platform-repeats-itself': 'busy',
  'platform-says-twice': 'receipts',
  'platform-cuts-text': 'limits',
  'platform-drops-replies': 'answer',
  'platform-tells-its-end': 'closed',
  'platform-throws-nowhere': 'nowhere',
  'platform-waits-for-token': 'settings',
  'platform-counts-seconds': 'inbound',
  'provider-two-ends': 'ending',
  'provider-stuck': 'abort',
  'provider-same-id': 'calls',
  'provider-odd-usage': 'usage',
  'provider-uncoded-failure': 'errors',
  'toolset-missing-tool': 'shape',
  'toolset-throws': 'result',
  'toolset-returns-date': 'border',
  'toolset-late-progress': 'progress',
  'toolset-keeps-timer': 'life',
}

const kinds = ['platform', 'provider', 'toolset']
/** A broken plugin lies in the folder of its kind, a sound one beside this test. */
const source = (name: string): string => join(import.meta.dirname, kinds.find((kind) => name.startsWith(`${kind}-`)) ?? '', `${name}.ts`)
const load = async (name: string): Promise<unknown> => ((await import(/* @vite-ignore */ source(name))) as { default: unknown }).default

function suite(kind: Kind, place: string, entry: unknown, child?: SharedChild<Kind>): readonly ContractCase[] {
  const patienceMs = child ? 3000 : 500
  if (kind === 'platform') {
    const open = async () => (child ? (child as SharedChild<'platform'>).open() : openClone('platform', entry as Platform))
    const subject = { kind, manifest: manifests[kind], contribution: 'mailbox', place, open }
    return platformContract({ subject, patienceMs, world: openMailboxWorld })
  }
  if (kind === 'provider') {
    const open = async () => (child ? (child as SharedChild<'provider'>).open() : openClone('provider', entry as Provider))
    const subject = { kind, manifest: manifests[kind], contribution: 'parrot', place, open }
    return providerContract({ subject, patienceMs, world: openParrotWorld })
  }
  const open = async () => (child ? (child as SharedChild<'toolset'>).open() : openClone('toolset', entry as Toolset))
  return toolsetContract({
    subject: { kind, manifest: manifests[kind], contribution: 'box', place, open },
    patienceMs,
    world: openBoxWorld,
  })
}

async function findings(cases: readonly ContractCase[]): Promise<string[]> {
  const found: string[] = []
  for (const { rule, run } of cases) {
    await run().catch((error: Error) => {
      found.push('code' in error && error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.stack}`)
    })
  }
  return found
}

const sound: [Kind, string][] = [
  ['platform', 'platform'],
  ['provider', 'provider'],
  ['toolset', 'toolset'],
]

test.each(sound)('a sound %s passes behind both borders', async (kind) => {
  const makers = { platform: 'mailbox', provider: 'parrot', toolset: 'box' }
  const module = (await import(/* @vite-ignore */ source(`sound-${kind}`))) as Record<string, () => unknown>
  expect(await findings(suite(kind, 'clone', module[makers[kind]]?.()))).toEqual([])
  await using program = await bundleChild(kind, source(`sound-${kind}-entry`))
  await using child = shareChild(kind, program.file)
  expect(await findings(suite(kind, 'child', undefined, child))).toEqual([])
})

test('every broken plugin of the folder is tried', () => {
  const files = kinds.flatMap((kind) => readdirSync(join(import.meta.dirname, kind)))
  expect(files.map((file) => file.replace('.ts', '')).sort()).toEqual(Object.keys(broken).sort())
})

const inClone = Object.entries(broken).filter(([, rule]) => rule !== 'life')

test.each(inClone)('%s breaks its own rule and only that: %s', async (name, rule) => {
  const kind = name.slice(0, name.indexOf('-')) as Kind
  expect(await findings(suite(kind, 'clone', await load(name)))).toEqual([rule])
})

const inChild = ['platform-plain-error', 'provider-stuck', 'toolset-returns-date', 'toolset-late-progress', 'toolset-keeps-timer']

test.each(inChild)('%s is found in a child process too', async (name) => {
  const kind = name.slice(0, name.indexOf('-')) as Kind
  await using program = await bundleChild(kind, source(name))
  await using child = shareChild(kind, program.file)
  const own = suite(kind, 'child', undefined, child).filter(({ rule }) => rule === broken[name])
  expect(await findings(own)).toEqual([broken[name]])
})
