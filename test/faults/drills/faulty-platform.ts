import { writeSync } from 'node:fs'
import type { Connection, Platform, PlatformContext, Receipt } from '@agent/plugin-sdk'
import platform, { type Config } from '../platform.ts'

export interface FaultyConfig extends Config {
  readonly fault: string
}

/** What goes wrong shortly after somebody said `now`. */
const strikes: Readonly<Record<string, (context: PlatformContext<FaultyConfig>) => void>> = {
  'timer-throws': () => {
    throw new Error('thrown in a timer')
  },
  rejection: () => void Promise.reject(new Error('rejected, and nobody listens')),
  exit: () => process.exit(0),
  abort: () => process.abort(),
  loop: () => {
    for (;;) Math.random()
  },
  waits: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  heap: () => {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, () => Math.random()))
  },
  buffers: () => {
    const kept: Buffer[] = []
    setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20)
  },
  logs: (context) => {
    for (let line = 0; line < 10_000; line += 1) context.log.info(`line ${line}`)
    setTimeout(() => context.log.info('one more'), 1500)
  },
  output: () => process.stdout.write(`${'x'.repeat(200)}\n`.repeat(50_000)),
  garbage: () => void writeSync(3, Buffer.alloc(64, '{ no frame }\n')),
  'huge-frame': () => void writeSync(3, Buffer.from([0x7f, 0xff, 0xff, 0xff, 1, 2, 3, 4])),
  events: (context) => {
    for (let count = 0; count < 10_000; count += 1) void context.receive(messageOf(`event-${count}`)).catch(() => undefined)
  },
  lost: (context) => {
    const error = { code: 'PLATFORM_LOST', params: { platform: 'faulty', detail: 'made up' } }
    for (let count = 0; count < 1000; count += 1) context.lost({ retryable: true, error })
  },
}

const connects: Readonly<Record<string, () => Promise<void> | undefined>> = {
  'connect-throws': () => {
    throw new Error('thrown while it connects')
  },
  'connect-rejects': () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error('rejected after a while')), 400)),
  'connect-hangs': () => new Promise(() => undefined),
  'connect-exits': () => process.exit(3),
}

/** The fake service's plugin with one fault in it. */
const faulty: Platform<FaultyConfig> = {
  async connect(context, call) {
    const { fault } = context.config
    await connects[fault]?.()
    let struck = false
    const receive: PlatformContext['receive'] = async (message) => {
      if (message.text !== 'now' || fault === 'none') return context.receive(message)
      struck = true
      setTimeout(() => strikes[fault]?.(context), 50)
      return { status: 'duplicate' }
    }
    // The context of a child is a proxy: nothing of it can be copied.
    const connection = await platform.connect(Object.create(context, { receive: { value: receive } }), call)
    return { ...connection, ...twist(fault, connection, () => struck) }
  },
}

/** Methods that behave badly, once the fault has struck. */
function twist(fault: string, { send, lastHeard, close }: Connection, isStruck: () => boolean): Partial<Connection> {
  let failed = false
  /** Once, at the first send after the fault has struck. */
  const sendOnce = (fails: () => Promise<Receipt>): Partial<Connection> => ({
    send: (message, call) => {
      if (!send) throw new Error('The fake service can send.')
      if (!isStruck() || failed) return send(message, call)
      failed = true
      return fails()
    },
  })
  if (fault === 'send-hangs') return sendOnce(() => new Promise(() => undefined))
  if (fault === 'send-throws') {
    return sendOnce(() => {
      throw new Error('thrown in send')
    })
  }
  if (fault === 'close-hangs') return { close: () => new Promise(() => undefined) }
  if (fault === 'handles') {
    return {
      close: async (call) => {
        setInterval(() => undefined, 1000)
        await close(call)
      },
    }
  }
  if (fault === 'half-open') {
    const since = Date.now()
    return { lastHeard: async (call) => (isStruck() ? since : ((await lastHeard?.(call)) ?? since)) }
  }
  return {}
}

function messageOf(id: string): Parameters<PlatformContext['receive']>[0] {
  return {
    ...{ id, account: 'bot', text: 'hear me', addressed: true },
    conversation: { id, kind: 'dm' },
    sender: { id: 'mallory', isBot: false },
  }
}

export default faulty
