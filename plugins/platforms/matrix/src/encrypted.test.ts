// @module-tag server
import { afterEach, expect, test } from 'vitest'
import { encryptRoom, openPerson, type Person } from '../test/matrix-person.ts'
import { call, createMessage, openRig, type Rig } from '../test/matrix-rig.ts'
import type { MatrixServer } from '../test/matrix-server.ts'
import { ann, bot, botDevice } from '../test/matrix-store.ts'
import { directRoom, openPeopledServer, room, say, shown } from '../test/matrix-world.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** `isLost`: the server has keys of our device that we do not have. */
async function start({ isLost = false } = {}) {
  const server = await openPeopledServer()
  const rig = openRig(server)
  open.push(server, rig)
  encryptRoom(server, directRoom, ann)
  if (isLost) await joinAs(server, bot, botDevice)
  const phone = await joinAs(server, ann, 'PHONE')
  return { server, rig, phone }
}

async function begin() {
  const { rig, ...rest } = await start()
  return { ...rest, rig, connection: await rig.connect() }
}

async function joinAs(server: MatrixServer, user: string, device: string): Promise<Person> {
  const person = await openPerson(server, user, device)
  open.push(person)
  return person
}

function restart(server: MatrixServer, { state }: Rig): Rig {
  const rig = openRig(server, { state })
  open.push(rig)
  return rig
}

const texts = ({ host }: Rig): readonly string[] => host.received.map(({ text }) => text)
const bodies = async (person: Person): Promise<readonly unknown[]> => (await person.read(directRoom)).map((one) => one?.body)

test('what is said in an encrypted room is read, and answered so that only those in it can read it', async () => {
  const { server, rig, connection, phone } = await begin()
  await phone.say(directRoom, 'a secret')
  await expect.poll(() => texts(rig)).toEqual(['a secret'])
  expect(rig.host.received[0]?.conversation).toEqual({ id: directRoom, kind: 'dm' })
  expect(await connection.send(createMessage('well kept'), call)).toMatchObject({ status: 'sent' })
  expect(await bodies(phone)).toEqual(['well kept'])
  expect(shown(server)).toEqual([])
  expect(JSON.stringify(server.http.journal.map(({ body }) => Buffer.from(body).toString()))).not.toContain('well kept')
})

test('the account vouches for the device, once', async () => {
  const { server, rig } = await begin()
  expect(server.store.keys.isVouched(bot, botDevice)).toBe(true)
  await expect.poll(() => rig.state.get(`since:${bot}`)).toMatch(new RegExp(`_${server.store.keys.position()}$`))
  await restart(server, rig).connect()
  expect(server.called.filter((path) => path.endsWith('/device_signing/upload'))).toHaveLength(1)
})

test('where a person has made the keys of the account, the device goes without', async () => {
  const server = await openPeopledServer()
  const rig = openRig(server)
  open.push(server, rig)
  encryptRoom(server, directRoom, ann)
  await joinAs(server, bot, 'OWNER')
  await rig.connect()
  const phone = await joinAs(server, ann, 'PHONE')
  await phone.say(directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(server.store.keys.isVouched(bot, botDevice)).toBe(false)
  expect(server.called.some((path) => path.endsWith('/device_signing/upload'))).toBe(false)
})

test('a server that lets no account vouch keeps no room closed', async () => {
  const { server, rig, phone } = await start()
  server.refuseNext('/device_signing/upload', 401, { session: '1', flows: [] })
  await rig.connect()
  await phone.say(directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(rig.host.lines.join()).toContain('does not let the account vouch')
})

test('after a kill both go on with the keys they had', async () => {
  const { server, rig, phone } = await begin()
  await phone.say(directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  // The first is not closed: nothing is written down at the end.
  const second = restart(server, rig)
  const connection = await second.connect()
  const claims = () => server.called.filter((path) => path.endsWith('/keys/claim')).length
  const before = claims()
  await phone.say(directRoom, 'two')
  await expect.poll(() => texts(second)).toContain('two')
  await connection.send(createMessage('three'), call)
  const third = restart(server, second)
  await (await third.connect()).send(createMessage('four', { key: 'in:2:0' }), call)
  expect(await bodies(phone)).toEqual(['three', 'four'])
  expect(claims() - before).toBe(0)
  expect(server.called.filter((path) => path.endsWith('/keys/upload')).length).toBeLessThan(4)
})

test('a message that the host could not take is opened again by the next connection', async () => {
  const { server, rig, phone } = await begin()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 5000 })
  await phone.say(directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  const second = restart(server, rig)
  await second.connect()
  await expect.poll(() => texts(second)).toEqual(['one'])
})

test('a message whose key comes late is read when it comes, and the room is told in one sentence', async () => {
  const { server, rig, phone } = await begin()
  server.store.keys.hold(bot)
  await phone.say(directRoom, 'one')
  await phone.say(directRoom, 'two')
  await expect.poll(async () => String(await rig.state.get(`late:${bot}`)).split('"since"')).toHaveLength(3)
  await rig.clock.advance(5000)
  // Who is not waiting at the server yet is not woken by once.
  const read = () => {
    server.store.wake()
    return bodies(phone)
  }
  await expect.poll(read).toEqual([expect.stringContaining('the key of the message has not reached me')])
  server.store.keys.release()
  await expect.poll(() => texts(rig)).toEqual(['one', 'two'])
  await expect.poll(() => rig.state.get(`late:${bot}`)).toBe('[]')
})

test('a message waits for its key over a restart', async () => {
  const { server, rig, connection, phone } = await begin()
  server.store.keys.hold(bot)
  await phone.say(directRoom, 'one')
  await expect.poll(() => rig.state.get(`late:${bot}`)).toContain('"since"')
  await connection.close(call)
  const second = restart(server, rig)
  await second.connect()
  server.store.keys.release()
  await expect.poll(() => texts(second)).toEqual(['one'])
})

test('what only looks like an encrypted message stops nothing', async () => {
  const { server, rig, phone } = await begin()
  server.store.add(directRoom, { type: 'm.room.encrypted', sender: ann, content: {} })
  server.store.add(directRoom, { type: 'm.room.encrypted', sender: ann, content: { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 4 } })
  await phone.say(directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(rig.host.lost).toEqual([])
})

test('when the one-time keys are used up a new device still gets through, and they are filled up', async () => {
  const { server, rig } = await begin()
  const { keys } = server.store
  keys.exhaust(bot, botDevice)
  const tablet = await joinAs(server, ann, 'TABLET')
  await tablet.say(directRoom, 'from the tablet')
  await expect.poll(() => texts(rig)).toEqual(['from the tablet'])
  await expect.poll(() => keys.left(bot, botDevice)).toBe(50)
})

test('a device that comes later reads what is said from then on', async () => {
  const { server, connection, phone, rig } = await begin()
  await connection.send(createMessage('before'), call)
  const laptop = await joinAs(server, ann, 'LAPTOP')
  await expect.poll(() => rig.state.get(`since:${bot}`)).toMatch(new RegExp(`_${server.store.keys.position()}$`))
  await connection.send(createMessage('after', { key: 'in:2:0' }), call)
  expect(await bodies(phone)).toEqual(['before', 'after'])
  expect(await bodies(laptop)).toEqual([undefined, 'after'])
  await laptop.say(directRoom, 'from the laptop')
  await expect.poll(() => texts(rig)).toEqual(['from the laptop'])
})

test('an edit is encrypted and says what it replaces; an edit of somebody else is left alone', async () => {
  const { rig, connection, phone } = await begin()
  const receipt = await connection.send(createMessage('fisrt'), call)
  const id = receipt.status === 'sent' ? receipt.platformId : ''
  await connection.edit(id, createMessage('first'), call)
  const [, edit] = await phone.read(directRoom)
  expect(edit).toMatchObject({ 'm.new_content': { body: 'first' }, 'm.relates_to': { rel_type: 'm.replace', event_id: id } })
  const said = await phone.say(directRoom, 'helo')
  const changed = {
    'm.new_content': { msgtype: 'm.text', body: 'hello' },
    'm.relates_to': { rel_type: 'm.replace', event_id: said.event_id },
  }
  await phone.say(directRoom, '* hello', changed)
  await phone.say(directRoom, 'next', { 'm.relates_to': { 'm.in_reply_to': { event_id: said.event_id } } })
  await expect.poll(() => texts(rig)).toEqual(['helo', 'next'])
  expect(rig.host.received[1]?.replyTo).toEqual({ id: said.event_id, sender: ann, text: 'helo' })
})

test('files are encrypted both ways, and a changed one is refused', async () => {
  const { server, rig, connection, phone } = await begin()
  const { media } = server.store
  const blob = await rig.host.context.files.put(
    (async function* () {
      yield Buffer.from('the plan')
    })(),
    { mime: 'text/plain', name: 'plan.txt' },
  )
  await connection.send(createMessage('', { media: [{ blob, kind: 'document' }] }), call)
  const [sent] = await phone.read(directRoom)
  expect(sent).toMatchObject({ msgtype: 'm.file', filename: 'plan.txt', file: { v: 'v2' } })
  expect(sent?.url).toBeUndefined()
  expect([...media.values()].map(({ mime, name }) => [mime, name])).toEqual([['application/octet-stream', 'file']])
  expect(Buffer.from([...media.values()][0]?.bytes ?? []).toString()).not.toContain('plan')
  // The same file comes back.
  await phone.say(directRoom, 'plan.txt', { msgtype: 'm.file', file: sent?.file, info: { mimetype: 'text/plain' } })
  await expect.poll(() => rig.host.received.length).toBe(1)
  const [attachment] = rig.host.received[0]?.media ?? []
  const fetch = async (): Promise<string> => {
    const pieces: Uint8Array[] = []
    if (attachment) for await (const piece of connection.fetchMedia(attachment, call)) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  expect(await fetch()).toBe('the plan')
  for (const { bytes } of media.values()) bytes[0] = (bytes[0] ?? 0) ^ 1
  await expect(fetch()).rejects.toMatchObject({ code: 'SEND_REFUSED', params: { detail: 'the encrypted file was changed on its way' } })
})

test('a room that becomes encrypted is never answered in the clear again, whatever the server says', async () => {
  const { server, rig, connection, phone } = await begin()
  encryptRoom(server, room, ann)
  await phone.say(room, 'quiet now', { 'm.mentions': { user_ids: [bot] } })
  await expect.poll(() => texts(rig)).toEqual(['quiet now'])
  server.refuseNext('m.room.encryption', 404, { errcode: 'M_NOT_FOUND' })
  await connection.send(createMessage('quiet', { conversation: room }), call)
  expect(shown(server)).toEqual([])
})

test('an invitation into an encrypted room is met with keys before it is accepted', async () => {
  const server = await openPeopledServer()
  const rig = openRig(server, { settings: { invites_from: [ann] } })
  open.push(server, rig)
  await rig.connect()
  expect(server.called.some((path) => path.includes('/keys/'))).toBe(false)
  server.store.invite('!new:test', ann, [
    { type: 'm.room.encryption', sender: ann, state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } },
    { type: 'm.room.member', sender: ann, state_key: bot, content: { membership: 'invite', is_direct: true } },
  ])
  await expect.poll(() => server.store.rooms.has('!new:test')).toBe(true)
  const order = server.called.filter((path) => /keys\/upload|join$/.test(path)).map((path) => path.split('/').at(-1))
  expect(order.slice(0, 2)).toEqual(['upload', 'join'])
})

test('with lost keys nothing goes into an encrypted room in the clear', async () => {
  const { server, rig } = await start({ isLost: true })
  const connection = await rig.connect()
  expect(await connection.send(createMessage('a secret'), call)).toMatchObject({ status: 'refused' })
  expect(shown(server)).toEqual([])
})

const encrypted = { type: 'm.room.encrypted', sender: ann, content: { algorithm: 'm.megolm.v1.aes-sha2' } }
const countUnreadable = ({ host }: Rig): number => host.lines.filter((line) => line.includes('cannot be read')).length
const notice = ['m.notice', 'I cannot read encrypte']
const shownShort = (server: MatrixServer) => shown(server).map(({ content }) => [content.msgtype, String(content.body).slice(0, 22)])

test('with lost keys an encrypted room is told once that it cannot be read, and the owner what to do', async () => {
  const { server, rig } = await start({ isLost: true })
  const connection = await rig.connect()
  const speak = () => server.store.add(room, encrypted)
  speak()
  speak()
  say(server, directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  await expect.poll(() => countUnreadable(rig)).toBe(1)
  await connection.close(call)
  const second = restart(server, rig)
  await second.connect()
  speak()
  say(server, directRoom, 'two')
  await expect.poll(() => texts(second)).toEqual(['two'])
  expect([rig, second].map(countUnreadable)).toEqual([1, 0])
  expect(shownShort(server)).toEqual([notice])
  expect(rig.host.lines.join()).toContain('take another MATRIX_ACCESS_TOKEN')
})

test('a connection that ends before an encrypted room is told leaves it to the next one', async () => {
  const { server, rig } = await start({ isLost: true })
  await rig.connect()
  server.refuseNext('/send/', 502, {})
  server.store.add(room, encrypted)
  await expect.poll(() => rig.host.lost).toHaveLength(1)
  const second = restart(server, rig)
  await second.connect()
  await expect.poll(() => countUnreadable(second)).toBe(1)
  expect(countUnreadable(rig)).toBe(0)
  expect(shownShort(server)).toEqual([notice])
})

test('an encrypted room in which nobody may write is let be', async () => {
  const { server, rig } = await start({ isLost: true })
  await rig.connect()
  server.refuseNext('/send/', 403, { errcode: 'M_FORBIDDEN', error: 'no words here' })
  server.store.add(room, encrypted)
  await expect.poll(() => countUnreadable(rig)).toBe(2)
  say(server, directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(rig.host.lines.join()).toContain('no words here')
})
