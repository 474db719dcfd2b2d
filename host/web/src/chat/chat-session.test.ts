import { expect, test } from 'vitest'
import type { EventFrame, SessionEvent } from '../../../src/rpc/protocol.ts'
import { openSocket, type Wire } from '../net/socket.ts'
import { openChatSession } from './chat-session.ts'

interface Request {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The other end of the connection: the test answers by hand. */
function createRig() {
  const requests: Request[] = []
  const wires: Wire[] = []
  let retry = () => {}
  const socket = openSocket({
    address: async () => 'ws://here',
    connect: () => {
      const wire: Wire = {
        onopen: null,
        onmessage: null,
        onclose: null,
        send: (text) => void requests.push(JSON.parse(String(text))),
        close: () => {},
      }
      wires.push(wire)
      return wire
    },
    later: (next) => {
      retry = next
      return () => {}
    },
  })
  const store = new Map<string, string>()
  const call = (name: 'onopen' | 'onmessage' | 'onclose', event: object) => {
    const wire = wires.at(-1)
    const handler: unknown = wire?.[name]
    if (typeof handler === 'function') handler.call(wire, event)
  }
  let ids = 0
  const open = () =>
    openChatSession({
      socket,
      id: 's',
      storeKey: 'q',
      newId: () => `id${++ids}`,
      onNext: () => {},
      soon: (next) => next(),
      store: {
        getItem: (key) => store.get(key) ?? null,
        setItem: (key, text) => void store.set(key, text),
        removeItem: (key) => void store.delete(key),
      },
    })
  return {
    ...{ socket, store, requests, open },
    connect: () => call('onopen', {}),
    lose: () => call('onclose', {}),
    retry: () => retry(),
    answer: (result: unknown) => call('onmessage', { data: JSON.stringify({ jsonrpc: '2.0', id: requests.at(-1)?.id, result }) }),
    refuse: (message: string) =>
      call('onmessage', { data: JSON.stringify({ jsonrpc: '2.0', id: requests.at(-1)?.id, error: { code: -32000, message } }) }),
    tell: (frame: EventFrame) => call('onmessage', { data: JSON.stringify({ jsonrpc: '2.0', method: 'event', params: frame }) }),
    asked: () => requests.map(({ method }) => method),
  }
}

const frame = (seq: number, event: SessionEvent): EventFrame => ({ seq, session_id: 's', at: 0, event })
const status = (seq: number, word: 'idle' | 'working') => frame(seq, { type: 'session.status', status: word })
const settle = () => new Promise((resolve) => setImmediate(resolve))

async function openRig() {
  const rig = createRig()
  await settle()
  rig.connect()
  const session = rig.open()
  await settle()
  rig.answer({ session_id: 's', events: [], status: 'idle' })
  await settle()
  return { ...rig, session }
}

test('an entry leaves the queue when it was accepted, not before', async () => {
  const { session, requests, answer, store } = await openRig()
  session.add('hello')
  await settle()
  expect(requests.at(-1)).toMatchObject({ method: 'prompt.submit', params: { text: 'hello', id: 'id1' } })
  expect(session.state().queue).toMatchObject([{ text: 'hello', sending: true }])
  expect(store.get('q')).toContain('hello')
  answer({ accepted: true, ordinal: 0 })
  await settle()
  expect(session.state().queue).toEqual([])
  expect(store.has('q')).toBe(false)
})

test('what is written while the agent works waits, and goes when it has ended, unless it is being edited', async () => {
  const { session, tell, asked } = await openRig()
  tell(status(1, 'working'))
  session.add('next')
  session.edit('id1', { editing: true })
  tell(status(2, 'idle'))
  await settle()
  expect(asked()).not.toContain('prompt.submit')
  session.edit('id1', { editing: false, text: 'next, mended' })
  await settle()
  expect(asked().at(-1)).toBe('prompt.submit')
})

test('a refusal is shown and waits; a lost connection sends the same id again', async () => {
  const { session, refuse, lose, retry, connect, answer, requests } = await openRig()
  session.add('one')
  await settle()
  refuse('The budget is used up.')
  await settle()
  expect(session.state().queue).toMatchObject([{ failure: 'The budget is used up.' }])
  session.edit('id1', { failure: undefined })
  await settle()
  lose()
  await settle()
  expect(session.state().queue).toEqual([{ id: 'id1', text: 'one', sending: false }])
  retry()
  await settle()
  connect()
  await settle()
  expect(requests.at(-1)).toMatchObject({ method: 'session.events.since', params: { seq: 0 } })
  answer({ events: [], gap: false })
  await settle()
  expect(requests.at(-1)).toMatchObject({ method: 'prompt.submit', params: { id: 'id1' } })
})

test('after a loss only what came since is asked for, and nothing is doubled', async () => {
  const { session, tell, lose, retry, connect, answer, requests } = await openRig()
  tell(frame(1, { type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' }))
  tell(frame(2, { type: 'message.delta', text: 'one ' }))
  lose()
  retry()
  await settle()
  connect()
  await settle()
  expect(requests.at(-1)).toMatchObject({ method: 'session.events.since', params: { seq: 2 } })
  tell(frame(4, { type: 'message.delta', text: 'three' }))
  answer({ events: [frame(2, { type: 'message.delta', text: 'one ' }), frame(3, { type: 'message.delta', text: 'two ' })], gap: false })
  await settle()
  expect(session.state().log.bubbles).toMatchObject([{ parts: [{ text: 'one two three' }] }])
})

test('a log that no longer holds what is missing is read from its beginning', async () => {
  const { session, tell, answer, requests } = await openRig()
  tell(frame(1, { type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' }))
  tell(frame(9, { type: 'message.delta', text: 'late' }))
  await settle()
  answer({ events: [], gap: true })
  await settle()
  expect(requests.at(-1)).toMatchObject({ method: 'session.resume' })
  answer({ session_id: 's', status: 'working', events: [frame(9, { type: 'message.delta', text: 'all' })] })
  await settle()
  expect(session.state().log.bubbles).toMatchObject([{ parts: [{ text: 'all' }] }])
})
