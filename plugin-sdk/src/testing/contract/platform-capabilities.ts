import type { Attachment, LostSend, Receipt } from '../../contract/messages.ts'
import type { optionalMethods } from '../../kinds/connection/complete-connection.ts'
import type { Connection, PlatformManifest } from '../../kinds/platform.ts'
import {
  arrival,
  checkReceipt,
  connect,
  createMessage,
  declaration,
  deliver,
  need,
  type PlatformRule,
  type PlatformStage,
  type PlatformWorld,
} from './platform-world.ts'
import type { ContractCase } from './stage.ts'

type Capability = keyof PlatformManifest['capabilities']
type Act = (stage: PlatformStage, world: PlatformWorld) => Promise<void>

/** What each capability promises; only declared ones are tried. */
const proofs: Readonly<Record<Capability, readonly [title: string, act: Act]>> = {
  edit: ['an edited message is the same message with another text', checkEdit],
  findSent: ['a message whose receipt was lost is found', checkFindSent],
  typing: ['people see that an answer is being written', checkTyping],
  endTyping: ['people see that nobody writes any more', checkEndTyping],
  react: ['a message of somebody else carries one mark', checkReact],
  fetchMedia: ['the bytes of a file come as they were sent', checkFetchMedia],
  setCommands: ['commands stand in the menu of the platform', checkSetCommands],
  listConversations: ['the conversation in which the bot is reached is listed', checkListConversations],
  idempotentSend: ['a message that is sent twice with one key arrives once', checkIdempotentSend],
  media: ['a file arrives with its text', checkMedia],
  buttons: ['a pressed button comes back, and an answered question has none left', checkButtons],
  invitations: ['the bot goes where the host says so, and nowhere else', checkInvitations],
  threads: ['what is said in a thread is answered there', checkThreads],
}

/** One case for each declared capability. */
export function capabilityCases(rule: PlatformRule, { capabilities }: PlatformManifest): readonly ContractCase[] {
  return Object.entries(proofs).flatMap(([name, [title, act]]) => (capabilities[name as Capability] ? [rule(name, title, act)] : []))
}

/** The method of a declared capability; the rule is broken where there is none. */
function methodOf<Name extends (typeof optionalMethods)[number]>(
  stage: PlatformStage,
  connection: Connection,
  name: Name,
): NonNullable<Connection[Name]> {
  const method = connection[name]
  stage.expect(typeof method === 'function', `it declares ${name} and has no such method`)
  return method.bind(connection) as NonNullable<Connection[Name]>
}

async function checkEdit(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const sent = need(stage, world, 'sent').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const edit = methodOf(stage, connection, 'edit')
  const id = await deliver(stage, connection, createMessage(world, 'half an answer', { preview: true }))
  checkReceipt(stage, await stage.within(edit(id, createMessage(world, 'the whole answer'), stage.call()), 'edit'), 'an edit')
  await stage.until(() => sent().includes('the whole answer'), 'an edited text is not shown')
  stage.expect(!sent().includes('half an answer'), 'the text before the edit is still there')
  await insistOn(stage, () => edit(id, createMessage(world, 'a better answer'), stage.call()))
  await stage.until(() => sent().includes('a better answer'), 'a text that is edited again is not shown')
  stage.expect(!sent().includes('the whole answer'), 'the text before the second edit is still there')
  if (declaration(stage).capabilities.buttons) await checkEditedButtons(stage, world, connection)
  await checkGoneEdit(stage, world, edit)
  await world.receiveOne?.('words of somebody')
  if (world.receiveOne) await arrival(stage, host, 'words of somebody')
  stage.expect(host.received.length <= 1, 'the bot hears what it has edited')
  await connection.close(stage.call())
}

/** Edits once more where a service asks for patience. */
async function insistOn(stage: PlatformStage, edit: () => Promise<Receipt>): Promise<void> {
  for (;;) {
    const receipt = await stage.within(edit(), 'edit')
    const waitMs = receipt.status === 'refused' ? receipt.error.retryAfterMs : undefined
    if (waitMs === undefined) return void checkReceipt(stage, receipt, 'an edit')
    const end = Date.now() + waitMs
    await stage.until(() => Date.now() > end, 'an edit is put off for too long')
  }
}

async function checkEditedButtons(stage: PlatformStage, world: PlatformWorld, connection: Connection): Promise<void> {
  const left = need(stage, world, 'buttons').bind(world)
  const edit = methodOf(stage, connection, 'edit')
  const id = await deliver(stage, connection, createMessage(world, 'Shall I?', { key: 'key-2' }))
  const buttons = [{ id: 'ask_0123456789:0', label: 'Yes' }]
  for (const [count, more] of [[1, { buttons }] as const, [0, {}] as const]) {
    await insistOn(stage, () => edit(id, createMessage(world, `Shall I, with ${count}?`, { key: 'key-2', ...more }), stage.call()))
    await stage.until(() => left().length === count, `after an edit with ${count} buttons there are ${left().length}`)
  }
}

/** Somebody has deleted it meanwhile. */
async function checkGoneEdit(stage: PlatformStage, world: PlatformWorld, edit: NonNullable<Connection['edit']>): Promise<void> {
  const told = edit('no-such-message', createMessage(world, 'edited in vain', { key: 'key-3' }), stage.call()).catch(
    (error: unknown) => error,
  )
  const receipt = await stage.within(told, 'an edit of a message that is gone')
  stage.expect(!(receipt instanceof Error), `an edit of a message that is gone rejects: ${String(receipt)}`)
  const isTold = (receipt as Receipt).status !== 'sent' || world.blindEdits === true
  stage.expect(isTold, 'an edit of a message that is gone is told as done')
}

async function checkFindSent(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const sent = need(stage, world, 'sent').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const findSent = methodOf(stage, connection, 'findSent')
  const before = await deliver(stage, connection, createMessage(world, 'before', { key: 'key-0' }))
  const loseOne = async (key: string, text: string): Promise<LostSend> => {
    need(stage, world, 'loseReceipt').call(world)
    await stage.within(Promise.resolve(connection.send?.(createMessage(world, text, { key }), stage.call())), 'send').catch(() => undefined)
    await stage.until(() => sent().includes(text), 'the message did not arrive')
    return { key, account: world.account ?? '', conversation: world.conversation ?? '', firstTriedAt: Date.now() - 60_000 }
  }
  const find = async (lost: LostSend): Promise<string> => {
    const found = await stage.within(findSent(lost, stage.call()), 'findSent')
    stage.expect(found?.status === 'sent' && found.platformId !== '', `a message that arrived is told as ${JSON.stringify(found)}`)
    stage.expect(found.platformId !== before, 'another message is found than was asked for')
    return found.platformId
  }
  const lost = await loseOne('key-1', 'lost receipt')
  const later = await loseOne('key-2', 'another lost receipt')
  const first = await find(lost)
  const never = await stage.within(findSent({ ...lost, key: 'key-never' }, stage.call()), 'findSent')
  stage.expect(never?.status !== 'sent', 'a message that was never sent is told as sent')
  await connection.close(stage.call())
  // Mostly it is the connection that comes after which asks.
  const next = await connect(stage, host)
  const told = await stage.within(methodOf(stage, next, 'findSent')(later, stage.call()), 'findSent')
  // It may not know yet; null would have the message sent once more.
  stage.expect(told !== null, 'a message that arrived is told to the next connection as one that did not')
  stage.expect(told.status !== 'sent' || told.platformId !== first, 'another message is found than was asked for')
  await next.close(stage.call())
}

async function checkTyping(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { connection, place } = await type(stage, world)
  const typings = need(stage, world, 'typings').bind(world)
  const before = typings()
  await stage.within(methodOf(stage, connection, 'typing')(place, stage.call()), 'typing')
  await stage.until(() => typings() > before, 'only once is it seen that the bot is writing')
  await connection.close(stage.call())
}

async function checkEndTyping(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const isTyping = need(stage, world, 'isTyping').bind(world)
  const { connection, place } = await type(stage, world, ['endTyping'])
  const end = methodOf(stage, connection, 'endTyping')
  await stage.until(isTyping, 'the world does not see that the bot is writing')
  await stage.within(end(place, stage.call()), 'endTyping')
  await stage.until(() => !isTyping(), 'people go on seeing that the bot is writing')
  // What the service has forgotten by itself is ended too.
  await stage.within(end(place, stage.call()), 'endTyping')
  await connection.close(stage.call())
}

/** Shows once that the bot is writing, on a connection that has these methods too. */
async function type(
  stage: PlatformStage,
  world: PlatformWorld,
  also: readonly (typeof optionalMethods)[number][] = [],
): Promise<{ readonly connection: Connection; readonly place: string }> {
  const typings = need(stage, world, 'typings').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  for (const name of also) methodOf(stage, connection, name)
  const show = methodOf(stage, connection, 'typing')
  // Some platforms show it only below what somebody wrote.
  await world.receiveOne?.('are you there?')
  if (world.receiveOne) await arrival(stage, host, 'are you there?')
  const place = world.typingIn ?? world.conversation ?? ''
  await stage.within(show(place, stage.call()), 'typing')
  await stage.until(() => typings() > 0, 'nobody saw that the bot was writing')
  return { connection, place }
}

async function checkReact(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const marks = need(stage, world, 'marks').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const react = methodOf(stage, connection, 'react')
  const ends: string[] = []
  for (const end of ['done', 'failed'] as const) {
    await need(stage, world, 'receiveOne').call(world, `mark me as ${end}`)
    const { id, account, conversation } = await arrival(stage, host, `mark me as ${end}`)
    const target = { id, account, conversation: conversation.id }
    let before: string | undefined
    for (const mood of ['seen', end] as const) {
      await stage.within(react(target, mood, stage.call()), 'react')
      await stage.until(() => marks().length === 1 && marks()[0] !== before, `the mark for "${mood}" is not the only one`)
      before = marks()[0]
    }
    ends.push(before ?? '')
  }
  stage.expect(ends[0] !== ends[1], 'what is done and what has failed carry the same mark')
  await connection.close(stage.call())
}

const picture = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 1, 254])

async function checkFetchMedia(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  methodOf(stage, connection, 'fetchMedia')
  await need(stage, world, 'receiveFile').call(world, { name: 'dot.png', mime: 'image/png', bytes: picture })
  await stage.until(() => host.received.some(({ media }) => media?.length === 1), 'a file did not arrive')
  const file = host.received.at(-1)?.media?.[0] as Attachment
  stage.expect(file.id !== '' && file.mime !== '' && file.kind !== undefined, `a file is told as ${JSON.stringify(file)}`)
  const { kind: shownAs, mime } = file
  stage.expect(mime.startsWith('image/') && shownAs === 'image', `a picture is told as ${shownAs} and ${mime}`)
  await checkBytes(stage, connection, file, picture)
  await checkBytes(stage, connection, file, picture)
  const large = createLarge(declaration(stage).limits.fetchBytes)
  await need(stage, world, 'receiveFile').call(world, { name: 'large.png', mime: 'image/png', bytes: large })
  const find = (): Attachment | undefined => host.received.flatMap(({ media = [] }) => media)[1]
  await stage.until(() => find() !== undefined, 'a second file did not arrive')
  await checkBytes(stage, connection, find() as Attachment, large)
  await connection.close(stage.call())
}

/** Comes in several pieces. */
function createLarge(most: number): Uint8Array {
  const large = new Uint8Array(Math.min(300_000, most)).map((_, index) => index % 251)
  large.set(picture)
  return large
}

async function checkBytes(stage: PlatformStage, connection: Connection, file: Attachment, wanted: Uint8Array): Promise<void> {
  const fetchMedia = methodOf(stage, connection, 'fetchMedia')
  const pieces: Uint8Array[] = []
  const read = async (): Promise<void> => {
    for await (const piece of fetchMedia(file, stage.call())) pieces.push(piece)
  }
  await stage.within(read(), 'fetchMedia')
  stage.expect(Buffer.compare(Buffer.concat(pieces), wanted) === 0, `of ${wanted.length} bytes others came`)
}

async function checkSetCommands(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const menu = need(stage, world, 'menu').bind(world)
  const connection = await connect(stage, stage.host(world))
  const commands = ['new', 'help'].map((name) => ({ name, summary: `Says ${name}`, args: '' }))
  await stage.within(methodOf(stage, connection, 'setCommands')(commands, stage.call()), 'setCommands')
  await stage.until(() => ['new', 'help'].every((name) => menu().includes(name)), `the menu is ${menu().join(', ')}`)
  await stage.within(methodOf(stage, connection, 'setCommands')(commands.slice(1), stage.call()), 'setCommands')
  await stage.until(() => !menu().includes('new'), 'a command that is gone is still in the menu')
  await connection.close(stage.call())
}

async function checkListConversations(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const listed = await stage.within(methodOf(stage, connection, 'listConversations')(stage.call()), 'listConversations')
  stage.expect(listed?.some(({ id }) => id === world.conversation) ?? false, `what is listed is ${JSON.stringify(listed)}`)
  await world.receiveOne?.('from where?')
  if (world.receiveOne) {
    const { conversation } = await arrival(stage, host, 'from where?')
    const kind = listed.find(({ id }) => id === conversation.id)?.kind
    stage.expect(kind === undefined || kind === conversation.kind, `a conversation is listed as ${kind}, and told as ${conversation.kind}`)
  }
  const [violation] = await stage.plugin.control.violations()
  stage.expect(violation === undefined, String(violation))
  await connection.close(stage.call())
}

async function checkIdempotentSend(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const sent = need(stage, world, 'sent').bind(world)
  const host = stage.host(world)
  const first = await connect(stage, host)
  for (let time = 0; time < 2; time++) await deliver(stage, first, createMessage(world, 'only once'))
  await first.close(stage.call())
  // After a crash it is the next connection that sends it again.
  const connection = await connect(stage, host)
  await deliver(stage, connection, createMessage(world, 'only once'))
  await deliver(stage, connection, createMessage(world, 'and then this', { key: 'key-2' }))
  await stage.until(() => sent().includes('and then this'), 'a second message did not arrive')
  stage.expect(sent().filter((text) => text === 'only once').length === 1, 'one key made two messages')
  await connection.close(stage.call())
}

const other = picture.map((byte) => byte ^ 1)

async function checkMedia(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const files = need(stage, world, 'files').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const blob = await host.putFile(picture, { mime: 'image/png', name: 'dot.png' })
  for (const [index, kind] of (['image', 'document'] as const).entries()) {
    await deliver(stage, connection, createMessage(world, `look at this ${kind}`, { key: `key-${index}`, media: [{ blob, kind }] }))
    await stage.until(() => files().length > index, `a file did not arrive as ${kind}`)
    stage.expect(Buffer.compare(files()[index]?.bytes ?? new Uint8Array(), picture) === 0, 'the bytes of a file are others')
    const { name = 'dot.png' } = files()[index] ?? {}
    stage.expect(name === 'dot.png', `a file that is called dot.png arrives as ${name}`)
    await stage.until(() => world.sent?.().includes(`look at this ${kind}`) ?? true, 'the text beside a file did not arrive')
  }
  const media = [
    { blob, kind: 'image' } as const,
    { blob: await host.putFile(other, { mime: 'image/png', name: 'other.png' }), kind: 'image' } as const,
  ]
  const before = files().length
  await deliver(stage, connection, createMessage(world, 'look at these', { key: 'key-both', media }))
  await stage.until(() => files().length >= before + 2, 'of two files one did not arrive')
  await connection.close(stage.call())
}

const lateMs = 50

async function checkButtons(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const press = need(stage, world, 'press').bind(world)
  const left = need(stage, world, 'buttons').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const buttons = [
    { id: 'ask_0123456789:0', label: 'Allow', style: 'primary' },
    { id: 'ask_0123456789:1', label: 'Deny', style: 'danger' },
  ] as const
  await deliver(stage, connection, createMessage(world, 'May I?', { buttons }))
  await stage.until(() => left().length === 2, `the buttons are ${left().join(', ')}`)
  host.answerPress({ status: 'refused', text: 'You may not answer this.' }, { status: 'taken', text: 'Denied.' })
  for (const [index, count] of [2, 0].entries()) {
    await press('Deny')
    await stage.until(() => host.pressed.length > index, 'a pressed button did not arrive')
    const { button, account, conversation, sender } = host.pressed[index] ?? {}
    stage.expect(button === 'ask_0123456789:1', `the button is told as ${button}`)
    stage.expect(Boolean(account && conversation?.id && sender?.id), 'a pressed button does not say by whom and where')
    stage.expect(
      conversation?.id === world.conversation,
      `a button below a message in ${world.conversation} is pressed in ${conversation?.id}`,
    )
    // What a refusal takes away by mistake goes only after its answer.
    const answered = Date.now()
    await stage.until(() => Date.now() > answered + lateMs, 'time stands still')
    await stage.until(() => left().length === count, `after an answer there are ${left().length} buttons instead of ${count}`)
    stage.expect(host.pressed.length === index + 1, 'a pressed button is told twice')
  }
  await connection.close(stage.call())
}

async function checkInvitations(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const invite = need(stage, world, 'invite').bind(world)
  const joined = need(stage, world, 'joined').bind(world)
  const [left, taken] = need(stage, world, 'invitedTo')
  const host = stage.host(world)
  const connection = await connect(stage, host)
  host.answerInvitation('ignore', 'join')
  for (const [index, place] of [left, taken].entries()) {
    invite(place)
    await stage.until(() => host.invitations.length > index, `an invitation to ${place} did not arrive`)
    const { account, conversation, sender } = host.invitations[index] ?? {}
    stage.expect(conversation?.id === place, `an invitation to ${place} names ${conversation?.id}`)
    stage.expect(Boolean(account && sender?.id), 'an invitation does not say who invites whom')
  }
  await stage.until(() => joined().includes(taken), 'the bot did not go where the host said so')
  stage.expect(!joined().includes(left), 'the bot went where the host did not say so')
  await connection.close(stage.call())
}

async function checkThreads(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const sentInThread = need(stage, world, 'sentInThread').bind(world)
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await need(stage, world, 'receiveInThread').call(world, 'in a thread')
  const { conversation } = await arrival(stage, host, 'in a thread')
  stage.expect(conversation.kind === 'thread', `a thread is told as ${conversation.kind}`)
  stage.expect(Boolean(conversation.parent) && conversation.parent !== conversation.id, 'a thread names no conversation that it belongs to')
  await deliver(stage, connection, createMessage(world, 'answered there', { conversation: conversation.id }))
  await stage.until(() => sentInThread().includes('answered there'), 'the answer did not arrive in the thread')
  stage.expect(declaration(stage).capabilities.threads, 'threads are not declared')
  await connection.close(stage.call())
}
