import type { InboundMessage, OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Connection, PlatformManifest } from '../../kinds/platform.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import type { PlatformStage, PlatformWorld } from './platform-world.ts'
import { lacks } from './stage.ts'

export function declaration({ subject }: Pick<PlatformStage, 'subject'>): PlatformManifest {
  const found = subject.manifest.contributes.platforms.find((platform) => platform.id === subject.contribution)
  if (!found) throw new Error(`${subject.manifest.id} has no platform ${subject.contribution}.`)
  return found
}

/** The year 2001 in milliseconds; in seconds it is far ahead. */
export const earliest = 1e12

export async function connect(stage: PlatformStage, host: TestContext): Promise<Connection> {
  return await stage.within(stage.plugin.entry.connect(host.context, stage.call()), 'connect')
}

export function createMessage(world: PlatformWorld, text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    key: 'key-1',
    text,
    body: [{ type: 'paragraph', children: [{ type: 'text', text }] }],
    account: world.account ?? '',
    conversation: world.conversation ?? '',
    part: { index: 0, total: 1 },
    ...more,
  }
}

/** Sends and complains unless the receipt says that it arrived; gives the platform's id, empty where that is unknown. */
export async function deliver(stage: PlatformStage, connection: Connection, message: OutboundMessage): Promise<string> {
  return checkReceipt(stage, await stage.within(Promise.resolve(connection.send?.(message, stage.call())), 'send'))
}

export function checkReceipt(stage: PlatformStage, receipt: Receipt | null | undefined, of = 'a send'): string {
  stage.expect(receipt?.status === 'sent' || receipt?.status === 'unknown', `the receipt of ${of} is ${JSON.stringify(receipt)}`)
  if (receipt.status === 'unknown') {
    const problem = findErrorProblem(receipt.error)
    stage.expect(problem === undefined, `the error of a receipt that is unknown ${problem}`)
    return ''
  }
  stage.expect(typeof receipt.platformId === 'string' && receipt.platformId !== '', 'a receipt names no message')
  return receipt.platformId
}

/** What a rule needs of the world; a declared capability that cannot be tried is not proved. */
export function need<Name extends keyof PlatformWorld>(
  stage: PlatformStage,
  world: PlatformWorld,
  name: Name,
): NonNullable<PlatformWorld[Name]> {
  const part = world[name]
  stage.expect(part !== undefined, lacks(String(name)))
  return part as NonNullable<PlatformWorld[Name]>
}

/** The first message that holds `text`, once it has come. */
export async function arrival(stage: PlatformStage, host: TestContext, text: string): Promise<InboundMessage> {
  const find = (): InboundMessage | undefined => host.received.find((one) => one.text.includes(text))
  await stage.until(() => find() !== undefined, `"${text}" did not arrive`)
  return find() as InboundMessage
}
