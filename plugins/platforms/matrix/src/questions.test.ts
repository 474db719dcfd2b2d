import { afterEach, expect, test } from 'vitest'
import { unlimited } from '../test/matrix-limit.ts'
import { call, createMessage, openRig } from '../test/matrix-rig.ts'
import type { MatrixServer } from '../test/matrix-server.ts'
import { bob } from '../test/matrix-store.ts'
import { choices, directRoom, openPeopledServer, react, room, shown } from '../test/matrix-world.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function start() {
  const server = await openPeopledServer(unlimited)
  const rig = openRig(server)
  open.push(server, rig)
  return { server, rig, connection: await rig.connect() }
}

const allow = { id: 'a:0', label: 'Allow', style: 'primary' } as const
const always = { id: 'a:1', label: 'Always' } as const
const deny = { id: 'a:2', label: 'Deny', style: 'danger' } as const
const first = (server: MatrixServer): string => shown(server)[0]?.id ?? ''
const bodyOf = (server: MatrixServer): unknown => shown(server)[0]?.content.body

test('buttons are signs below the message, and stand in it with their meaning', async () => {
  const { server, connection } = await start()
  await connection.send(createMessage('May <I>?', { buttons: [allow, always, deny, { ...deny, id: 'a:3', label: 'Never' }] }), call)
  expect(choices(server)).toEqual([
    ['✅', 'Allow'],
    ['2️⃣', 'Always'],
    ['❌', 'Deny'],
    ['4️⃣', 'Never'],
  ])
  expect(shown(server)[0]?.content.formatted_body).toBe('<p>May &lt;I&gt;?</p><p>✅ Allow<br/>2️⃣ Always<br/>❌ Deny<br/>4️⃣ Never</p>')
})

test('who adds a sign of ours has pressed; the answer takes the place of the choices', async () => {
  const { server, rig, connection } = await start()
  await connection.send(createMessage('May I?', { buttons: [allow, always], conversation: room }), call)
  rig.host.answerPress({ status: 'taken', text: 'Always allowed.' })
  react(server, room, first(server), '🎉')
  react(server, room, '$other', '✅')
  // Some clients leave the mark out that makes the sign coloured.
  react(server, room, first(server), '2\u20e3', bob)
  await expect.poll(() => choices(server)).toEqual([])
  expect(rig.host.pressed).toMatchObject([{ button: 'a:1', conversation: { id: room, kind: 'group' }, sender: { id: bob, name: 'Bob' } }])
  expect(bodyOf(server)).toBe('May I?\n\nAlways allowed.')
  react(server, room, first(server), '✅')
  await connection.send(createMessage('after that', { key: 'k2' }), call)
  expect(rig.host.pressed).toHaveLength(1)
})

test('who may not press or is late is told, where everybody reads it', async () => {
  const { server, rig, connection } = await start()
  const root = '$root'
  await connection.send(createMessage('May I?', { buttons: [allow], conversation: `${room}/${root}` }), call)
  rig.host.answerPress({ status: 'refused', text: 'Not you.' }, { status: 'late', text: 'Too late.' })
  react(server, room, first(server), '✅', bob)
  await expect
    .poll(() => shown(server).at(-1)?.content)
    .toMatchObject({
      msgtype: 'm.notice',
      body: 'Bob: Not you.',
      'm.relates_to': { rel_type: 'm.thread', event_id: root, 'm.in_reply_to': { event_id: first(server) } },
    })
  expect(choices(server)).toHaveLength(1)
  expect(rig.host.pressed[0]?.conversation).toEqual({ id: `${room}/${root}`, kind: 'thread', parent: room })
  react(server, room, first(server), '✅')
  await expect.poll(() => choices(server)).toEqual([])
  expect(bodyOf(server)).toBe('May I?')
  expect(rig.host.pressed).toHaveLength(2)
})

test('a question stays open over a restart', async () => {
  const { server, rig, connection } = await start()
  await connection.send(createMessage('May I?', { buttons: [deny] }), call)
  await connection.close(call)
  react(server, directRoom, first(server), '❌')
  const second = openRig(server, { state: rig.state })
  open.push(second)
  await second.connect()
  await expect.poll(() => second.host.pressed.map(({ button }) => button)).toEqual(['a:2'])
})

test('an edit puts other choices there, the same again, or none', async () => {
  const { server, connection } = await start()
  await connection.send(createMessage('May I?', { buttons: [allow] }), call)
  for (const buttons of [[allow, deny], [allow, deny], [deny]]) {
    await connection.edit(first(server), createMessage('May I?', { buttons }), call)
    expect(choices(server).map(([, label]) => label)).toEqual(buttons.map(({ label }) => label))
  }
  await connection.edit(first(server), createMessage('Never mind.'), call)
  expect(choices(server)).toEqual([])
  expect(bodyOf(server)).toBe('Never mind.')
})

test('signs that come too fast for the server are added after a while', async () => {
  const { server, rig, connection } = await start()
  server.refuseNext('/send/m.reaction', 429, { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 2000 })
  const sending = connection.send(createMessage('May I?', { buttons: [allow] }), call)
  await expect.poll(() => rig.clock.sleeping()).toBe(2)
  await rig.clock.advance(2000)
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(choices(server)).toHaveLength(1)
})

test('a question whose signs cannot be added is sent all the same', async () => {
  const { server, rig, connection } = await start()
  server.refuseNext('/send/m.reaction', 403, { errcode: 'M_FORBIDDEN', error: 'no reactions here' })
  expect(await connection.send(createMessage('May I?', { buttons: [allow] }), call)).toMatchObject({ status: 'sent' })
  expect(rig.host.lines.join()).toContain('no reactions here')
  server.refuseNext('/redact/', 403, { errcode: 'M_FORBIDDEN', error: 'no redactions here' })
  await connection.send(createMessage('And now?', { key: 'k2', buttons: [allow] }), call)
  react(server, directRoom, shown(server)[1]?.id ?? '', '✅')
  await expect.poll(() => rig.host.lines.join()).toContain('no redactions here')
  expect(rig.host.lost).toEqual([])
})
