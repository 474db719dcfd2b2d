import { fromWireError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import type { DeliveryTarget } from '#gateway/directory/delivery-target.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import { printable } from '#observe/printable.ts'
import type { AnswerPart, PostedPart } from '#store/journal.ts'
import type { Cli } from '../console/cli.ts'

export type SendPlace = Extract<DeliveryTarget, { type: 'place' }>

/** What is sent where, under an id that names it in the outbox. */
export interface Post {
  readonly id: string
  readonly target: SendPlace
  readonly parts: readonly AnswerPart[]
}

export interface SendReport {
  readonly post: Post
  readonly home: Home
  readonly parts: readonly PostedPart[]
  /** Nobody waited for it. */
  readonly queueOnly: boolean
  readonly json: boolean
}

/** The worst of its parts is what became of a message. */
const byBadness = ['sent', 'waiting', 'unknown', 'refused'] as const
type Fate = (typeof byBadness)[number]

/** Says what became of a message, and what can be done about it. */
export function reportSent(cli: Cli, report: SendReport): void {
  const { post, parts, queueOnly, json } = report
  const { place, name } = post.target
  const fate = byBadness.findLast((one) => parts.some(({ state }) => state === one)) ?? 'waiting'
  const isWell = fate === 'sent' || queueOnly
  if (!isWell) cli.exit(1)
  if (json) cli.json({ id: post.id, ...place, ...(name === undefined ? {} : { name }), state: fate, parts })
  else if (isWell) cli.out(describe[fate](report))
  else cli.note(`${describeShare(parts)}${describe[fate](report)}`)
}

const describe: Readonly<Record<Fate, (report: SendReport) => string>> = {
  sent: ({ post, parts }) => `Sent to ${nameOf(post)}${parts.length === 1 ? '' : ` in ${parts.length} messages`}.`,
  waiting: ({ post, home }) => `It waits to be sent to ${nameOf(post)}. ${describeWait(home, post.target.place.platform)}`,
  unknown: ({ parts }) =>
    `${problemOf(parts, 'unknown')} agent gateway status lists it, and agent gateway resend NUMBER sends it again.`.trimStart(),
  refused: ({ parts }) => `${problemOf(parts, 'refused')} Correct what was refused, and send it again.`.trimStart(),
}

function nameOf({ target: { place, name } }: Post): string {
  return printable(`${place.platform}:${place.conversation}${name === undefined ? '' : ` (${name})`}`)
}

function problemOf(parts: readonly PostedPart[], state: PostedPart['state']): string {
  const error = parts.find((part) => part.state === state)?.error
  return error ? fromWireError(error).message : ''
}

function describeShare(parts: readonly PostedPart[]): string {
  const sent = parts.filter(({ state }) => state === 'sent').length
  return sent === 0 ? '' : `${sent} of ${parts.length} messages were sent. `
}

function describeWait(home: Home, platform: string): string {
  if (!findInstance(home)) return 'It is sent as soon as the gateway runs: agent gateway start.'
  const status = readGatewayState(home)?.platforms.find((one) => one.platform === platform)
  if (!status) return `The running gateway does not know ${platform} yet: agent gateway restart.`
  if (status.state === 'connected') return 'agent gateway status shows the queue.'
  return `${platform} is ${status.state} in the gateway; agent gateway status says why.`
}
