import { finalCodes, toWireError } from '../../contract/errors.ts'
import type { Block } from '../../contract/markup.ts'
import type { OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Connection, PlatformManifest } from '../../kinds/platform.ts'
import { settle } from '../rig/settle.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import {
  arrival,
  connect,
  createMessage,
  type Disturbance,
  declaration,
  deliver,
  need,
  type PlatformRule,
  type PlatformStage,
  type PlatformWorld,
} from './platform-world.ts'
import type { ContractCase } from './stage.ts'

/** What every messaging door owes for what it sends. */
export function deliveryCases(rule: PlatformRule, { markup }: PlatformManifest): readonly ContractCase[] {
  return [
    rule('receipts', 'each send has a receipt, and arrived once', checkReceipts),
    rule('answer', 'an answer goes to where the question came from', checkAnswer),
    rule('limits', 'a text of the longest length arrives whole', checkLongest),
    rule('lines', 'a text of several lines arrives with all of them', checkLines),
    ...(markup === 'tree' ? [rule('markup', 'no word of a text with markup is lost', checkMarkup)] : []),
    rule('nowhere', 'a message to no conversation gets a receipt too, and the next one arrives', checkNowhere),
    rule('trouble', 'a send that goes wrong is told as what became of it, and the next one arrives', checkTrouble),
  ]
}

const acknowledged = 'a world whose service acknowledges what nobody has read yet says `acknowledgesFirst`'

async function checkReceipts(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  // What people have read is known to most worlds, but not where a platform hands answers on to another.
  if (!world.sent) stage.untried('sent')
  const connection = await connect(stage, stage.host(world))
  const ids: string[] = []
  // Text is bytes on its way, and some signs are more than one.
  const texts = ['one answer', 'another answer', 'Grüße 你好 😀']
  for (const [index, text] of texts.entries()) {
    const id = await deliver(stage, connection, createMessage(world, text, { key: `key-${index}` }))
    const isHere = world.sent?.().includes(text) ?? true
    stage.expect(isHere || id === '' || world.acknowledgesFirst === true, `"${text}" is told as sent before it was; ${acknowledged}`)
    ids.push(id)
    await stage.until(() => world.sent?.().includes(text) ?? true, `"${text}" was not delivered`)
  }
  for (const text of texts) {
    const times = world.sent?.().filter((one) => one === text).length ?? 1
    stage.expect(times === 1, `"${text}" was delivered ${times} times`)
  }
  const known = ids.filter((id) => id !== '')
  stage.expect(known.length === 0 || known.length === ids.length, 'some messages are told as sent and others as unknown, and all arrived')
  stage.expect(new Set(known).size === known.length, `the receipts of different messages name the same one: ${known.join(', ')}`)
  await connection.close(stage.call())
}

/** Sends and leaves the receipt to its own rule. */
async function say(stage: PlatformStage, connection: Connection, message: OutboundMessage): Promise<void> {
  await stage.within(Promise.resolve(connection.send?.(message, stage.call())), 'send')
}

async function checkAnswer(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.sent) return stage.untried('sent')
  const sent = world.sent.bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await need(stage, world, 'receiveOne').call(world, 'a question')
  const { id, conversation } = await arrival(stage, host, 'a question')
  await say(stage, connection, createMessage(world, 'its answer', { conversation: conversation.id, replyTo: id }))
  await stage.until(() => sent().includes('its answer'), 'an answer to the conversation of a question was not delivered')
  await connection.close(stage.call())
}

/** Letters alone mean the same in every markup; one beyond ASCII is one sign, and several bytes. */
async function checkLongest(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.sent) return stage.untried('sent')
  const sent = world.sent.bind(world)
  const { maxLength, unit } = declaration(stage).limits
  const connection = await connect(stage, stage.host(world))
  const wide = Math.floor(maxLength / (unit === 'bytes' ? Buffer.byteLength('好') : 1))
  const texts = ['abcdefghij'.repeat(Math.ceil(maxLength / 10)).slice(0, maxLength), '好'.repeat(wide)]
  for (const [index, text] of texts.entries()) {
    await say(stage, connection, createMessage(world, text, { key: `key-${index}` }))
    await stage.until(
      () => sent().join('').includes(text),
      `a text of ${maxLength} ${unit} like "${text.slice(0, 3)}" did not arrive whole`,
    )
  }
  await connection.close(stage.call())
}

async function checkLines(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.sent) return stage.untried('sent')
  const sent = world.sent.bind(world)
  const connection = await connect(stage, stage.host(world))
  const lines = ['the first line', 'the second line', 'the last line']
  const children = lines.flatMap((text) => [{ type: 'break' as const }, { type: 'text' as const, text }]).slice(1)
  await say(stage, connection, createMessage(world, lines.join('\n'), { body: [{ type: 'paragraph', children }] }))
  const lost = (): readonly string[] => lines.filter((line) => !sent().join('\n').includes(line))
  await stage.until(() => lost().length < lines.length, 'a text of several lines did not arrive')
  await stage.until(() => lost().length === 0, 'of a text of several lines one did not arrive')
  await connection.close(stage.call())
}

const markedUp: readonly Block[] = [
  { type: 'heading', level: 1, children: [{ type: 'text', text: 'alpha' }] },
  {
    type: 'paragraph',
    children: [
      { type: 'text', text: 'bravo ' },
      { type: 'strong', children: [{ type: 'text', text: 'charlie' }] },
      { type: 'emphasis', children: [{ type: 'text', text: 'delta' }] },
      { type: 'strike', children: [{ type: 'text', text: 'echo' }] },
      { type: 'code', text: 'foxtrot' },
      { type: 'break' },
      { type: 'link', url: 'https://example.org', children: [{ type: 'text', text: 'golf' }] },
    ],
  },
  { type: 'code', text: 'hotel' },
  { type: 'quote', children: [{ type: 'paragraph', children: [{ type: 'text', text: 'india' }] }] },
  { type: 'list', items: [[{ type: 'paragraph', children: [{ type: 'text', text: 'juliett' }] }]] },
  { type: 'table', head: [[{ type: 'text', text: 'kilo' }]], rows: [[[{ type: 'text', text: 'lima' }]]] },
]
const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett', 'kilo', 'lima']

async function checkMarkup(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.sent) return stage.untried('sent')
  const sent = world.sent.bind(world)
  const connection = await connect(stage, stage.host(world))
  await say(stage, connection, createMessage(world, words.join(' '), { body: markedUp }))
  await stage.until(() => sent().length > 0, 'a text with markup did not arrive')
  const shown = sent().join('\n')
  const lost = words.filter((word) => !shown.includes(word))
  stage.expect(lost.length === 0, `of a text with markup ${lost.join(', ')} did not arrive: ${JSON.stringify(shown)}`)
  await connection.close(stage.call())
}

/** Some platforms know every place, and some take any name for one. */
async function checkNowhere(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, stage.host(world))
  const message = createMessage(world, 'to nobody', { conversation: 'no such place, $*' })
  const receipt = await tell(stage, connection, message, false)
  const problem = receipt.status === 'sent' ? undefined : findErrorProblem(receipt.error)
  stage.expect(problem === undefined, `the error of a send to no conversation ${problem}`)
  const isThere = (): boolean => world.sent?.().includes('to nobody') ?? false
  stage.expect(receipt.status !== 'unknown', 'what a platform refuses at once is told as unknown')
  stage.expect(receipt.status === 'sent' || !isThere(), 'what is not told as sent was delivered')
  if (receipt.status === 'sent' && world.sent) await stage.until(isThere, 'a message to no conversation is told as sent, and nobody got it')
  await say(stage, connection, createMessage(world, 'after a refusal', { key: 'key-2' }))
  await stage.until(() => world.sent?.().includes('after a refusal') ?? true, 'after a send to no conversation nothing is delivered')
  await connection.close(stage.call())
}

async function checkTrouble(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.disturb) return stage.untried('disturb')
  if (!world.sent) return stage.untried('sent')
  const [disturb, sent] = [world.disturb.bind(world), world.sent.bind(world)]
  const host = stage.host(world)
  const connection = await connect(stage, host)
  for (const [what, name] of Object.entries(troubles) as [Disturbance, string][]) {
    if (!disturb(what)) continue
    const text = `sent into ${what}`
    const told = await tell(stage, connection, createMessage(world, text, { key: `key-${what}` }), what !== 'limit')
    if (told.status === 'sent') await stage.until(() => sent().includes(text), `${name} is told as sent, and did not arrive`)
    else checkTold(stage, name, told, { what, hasArrived: sent().includes(text) })
    const left = await insist(stage, connection, createMessage(world, `after ${what}`, { key: `key-after-${what}` }))
    const [lost] = host.lost
    stage.expect(
      left || lost === undefined,
      `after ${name} nothing is delivered: the connection was lost (${lost?.code}). ${sameConnection}`,
    )
    await stage.until(() => sent().includes(`after ${what}`), `after ${name} nothing is delivered`)
    stage.expect(sent().filter((one) => one === text).length <= 1, `${name} was delivered twice by one send`)
  }
  await connection.close(stage.call())
}

const sameConnection = 'The next message goes out on the same connection, so disturb() has to spoil one answer and leave it open'

/** What goes wrong with one send. */
const troubles: Partial<Readonly<Record<Disturbance, string>>> = {
  limit: 'a message that was refused for haste',
  error: 'a message that was answered with an error of the server',
  garbage: 'a message that was answered with bytes that mean nothing',
  'lose-receipt': 'a message whose receipt was lost',
}

function checkTold(
  stage: PlatformStage,
  name: string,
  { status, error }: Exclude<Receipt, { status: 'sent' }>,
  { what, hasArrived }: { readonly what: Disturbance; readonly hasArrived: boolean },
): void {
  const problem = findErrorProblem(error)
  stage.expect(problem === undefined, `the error of ${name} ${problem}`)
  stage.expect(!finalCodes.has(error.code), `${name} is told with ${error.code}, which ends the attempts`)
  stage.expect(what !== 'limit' || status === 'refused', `${name} certainly did not arrive, and is told as unknown`)
  stage.expect(status === 'unknown' || !hasArrived, `${name} has arrived, and is told as not sent`)
  const { retryAfterMs = 0 } = error
  stage.expect(what !== 'limit' || retryAfterMs > 0, `${name} is told without the time to wait`)
}

/** Sends again what was refused for a time; false where it was refused each time. */
async function insist(stage: PlatformStage, connection: Connection, message: OutboundMessage): Promise<boolean> {
  for (let time = 0; time < 3; time += 1) {
    const told = await tell(stage, connection, message)
    if (told.status !== 'refused') return true
    const { retryAfterMs = 0 } = told.error
    await new Promise((resolve) => setTimeout(resolve, Math.min(retryAfterMs, longestWaitMs)))
  }
  return false
}

const longestWaitMs = 2000

/** What became of a send; one that rejects has not left. A refusal of the platform is a receipt. */
async function tell(stage: PlatformStage, connection: Connection, message: OutboundMessage, mayReject = true): Promise<Receipt> {
  const sending = Promise.resolve(connection.send?.(message, stage.call())).catch((error: unknown): Receipt => {
    stage.expect(mayReject, `a send that is refused rejects: ${String(error)}`)
    return { status: 'refused', error: toWireError(error) }
  })
  const receipt = await stage.within(sending, 'a send that goes wrong')
  stage.expect(receipt !== undefined, 'a send that goes wrong has no receipt')
  return receipt
}

export async function checkClosed(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await world.receiveOne?.('the last words')
  if (world.receiveOne) await arrival(stage, host, 'the last words')
  await stage.within(connection.close(stage.call()), 'close')
  await stage.within(stage.plugin.control.dispose(), 'ending it')
  await stage.until(async () => (await stage.plugin.control.busy()) === 0, 'a call still runs after its end')
  stage.expect(host.lost.length === 0, 'its end is told as a lost connection')
  await checkRest(stage, world)
}

/** A connection that took the place of another leaves no more open than that one did. */
async function checkRest(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { control } = stage.plugin
  const left: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const connection = await connect(stage, stage.host(world))
    await stage.within(connection.close(stage.call()), 'close')
    left.push((await settle(control)).length)
  }
  const [, second = 0, third = 0] = left
  stage.expect(third <= second, `it keeps more open after each close: ${left.join(', ')}, now ${(await control.resources()).join(', ')}`)
}
