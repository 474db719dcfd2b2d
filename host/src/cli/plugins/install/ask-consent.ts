import { isDeepStrictEqual } from 'node:util'
import type { Manifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { isVariableOfAgent } from '#config/environment/variables.ts'
import type { LockedPlugin } from '#kernel/installed/plugin-lock.ts'
import { hashSurface, isAgreed, isWider, type Surface } from '#kernel/installed/plugin-surface.ts'
import { printable } from '#observe/printable.ts'
import type { Cli } from '../../console/cli.ts'
import type { Described } from '../package/prepare-package.ts'
import { askYes } from './ask-yes.ts'

export interface AskConsentOptions {
  /** The hash that somebody has read and accepts; a list of plugins takes several. */
  readonly accept?: string | readonly string[]
  readonly json?: true
}

export interface Proposal {
  readonly manifest: Manifest
  readonly described: Described
  readonly before: LockedPlugin | undefined
  /** What holds it on this machine, in one sentence. */
  readonly contained?: string
}

/** Consent to what a plugin declares: given already, given by `--accept`, or asked for. Anything else is an error. */
export async function askConsent(cli: Cli, proposal: Proposal, options: AskConsentOptions, now: string): Promise<LockedPlugin['consent']> {
  const { manifest, described, before } = proposal
  const { surface, surfaceHash: hash } = described
  // Without the check, a widened entry of the lock would stand for an agreement.
  const agreed = before && before.consent.hash === hashSurface(before.surface) ? before : undefined
  if (agreed && !isWider(agreed.surface, surface)) return { hash, at: agreed.consent.at }
  const text = formatConsent(proposal)
  if ([options.accept].flat().includes(hash)) return { hash, at: now }
  if (options.json) cli.json({ consent: { plugin: manifest.id, version: manifest.version, hash, text, surface } })
  else cli.note(text)
  if (options.json || !cli.terminal || options.accept !== undefined) throw fail('PLUGIN_CONSENT', { plugin: manifest.id, hash })
  if (!(await askYes(cli, 'Do you agree?'))) throw fail('PLUGIN_DECLINED', { plugin: manifest.id })
  return { hash, at: now }
}

/** What somebody agrees to, in plain lines. Strangers wrote most of it. */
export function formatConsent({ manifest, described, before, contained }: Proposal): string {
  const { surface } = described
  const title = before ? `${manifest.id} ${before.version} → ${described.version}` : `${manifest.id} ${described.version}`
  const origin = described.registry === '' ? described.resolved : `${described.package} of ${described.registry}`
  return [
    `${title} (${origin}): ${manifest.description}`,
    ...section('It brings', surface.contributions.filter((each) => !isSkill(each)).map(describeContribution)),
    ...section('It gives the agent instructions that others wrote', surface.contributions.filter(isSkill).map(describeContribution)),
    ...section(
      'Its tools',
      surface.tools.map(({ name, effect }) => `${name} (${effects[effect] ?? effect})`),
    ),
    ...section('It says that it needs', describePermissions(surface)),
    ...section(
      'It reads these variables',
      surface.env.map(
        (each) =>
          `${each.name}${each.secret ? ' (secret)' : ''}${isVariableOfAgent(each.name) ? ', a setting of the agent itself' : ''}: ${each.prompt}`,
      ),
    ),
    ...(before ? section('New since you agreed', findNews(before.surface, surface)) : []),
    ...(contained === undefined ? [] : [contained]),
    `This is ${described.surfaceHash}.`,
  ]
    .map(printable)
    .join('\n')
}

const effects: Readonly<Record<string, string>> = {
  none: 'touches nothing',
  read: 'reads',
  write: 'changes files',
  external: 'reaches outside of this machine',
}

/** A title above its lines; nothing where there are none. */
export const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]

const isSkill = (each: string): boolean => each.startsWith('skills:')

const describeContribution = (each: string): string =>
  each
    .replace(/^(\w+?)s?:/, '$1 ')
    .replace(/^gate \S+$/, '$&: it may decide who gets into the dashboard, once dashboard.gates names it')
    .replace(/:reach owner$/, ': it says that nobody but you writes there, so that its messages are taken for yours')
    .replace(/:gate source$/, ': it says by itself whose messages are answered; your lists of people do not hold')

function describePermissions({ permissions }: Surface): readonly string[] {
  return Object.entries(permissions).flatMap(([name, { value, reason }]) => [
    `${name} ${describeValue(value)}: ${reason}`,
    ...(name === 'net' && [value].flat().includes('direct') ? [direct] : []),
  ])
}

/** What the word opens, since nobody would guess it. */
const direct = 'net direct is the network of this machine itself: no sandbox keeps it from any address, the doors of the agent included'

const describeValue = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)

function findNews(before: Surface, next: Surface): readonly string[] {
  const known = new Set(linesOf(before))
  const permissions = Object.entries(next.permissions).flatMap(([name, { value }]) => {
    const added = subtract(value, before.permissions[name]?.value)
    return added === undefined ? [] : [`${name} ${describeValue(added)}`]
  })
  return [...linesOf(next).filter((line) => !known.has(line)), ...permissions]
}

function linesOf({ contributions, tools, env }: Surface): readonly string[] {
  return [
    ...contributions.map(describeContribution),
    ...tools.map(({ name, effect }) => `tool ${name} (${effects[effect] ?? effect})`),
    ...env.map(({ name }) => name),
  ]
}

/** What of `wanted` was not agreed to; undefined where that is nothing. */
function subtract(wanted: unknown, agreed: unknown): unknown {
  if (isDeepStrictEqual(wanted, agreed) || wanted === 'none') return undefined
  if (Array.isArray(wanted)) {
    const added = wanted.filter((each) => !isAgreed(agreed, each))
    return added.length === 0 ? undefined : added
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted
  const known = (agreed ?? {}) as Readonly<Record<string, unknown>>
  const added = Object.entries(wanted).flatMap(([name, value]) => {
    const rest = subtract(value, known[name])
    return rest === undefined ? [] : [[name, rest] as const]
  })
  return added.length === 0 ? undefined : Object.fromEntries(added)
}
