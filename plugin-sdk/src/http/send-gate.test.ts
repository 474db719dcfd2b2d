import { expect, test } from 'vitest'
import { createSendGate } from './send-gate.ts'

const never = new AbortController().signal

function openRig() {
  const gate = createSendGate(() => new Error('shut'))
  const sends: { readonly settle: (result: string) => void; readonly fail: (error: Error) => void }[] = []
  const send = (): Promise<string> => gate.run(() => new Promise((settle, reject) => sends.push({ settle, fail: reject })))
  return { gate, sends, send }
}

test('closing waits for what was begun, whether it succeeds or fails, and lets nothing more begin', async () => {
  const { gate, sends, send } = openRig()
  const [first, second] = [send(), send()]
  const failed = expect(second).rejects.toThrow('refused')
  let finished = false
  const finishing = gate.finish(never).then(() => {
    finished = true
  })
  await expect(send()).rejects.toThrow('shut')
  expect(sends).toHaveLength(2)
  sends[0]?.settle('sent')
  expect(await first).toBe('sent')
  expect(finished).toBe(false)
  sends[1]?.fail(new Error('refused'))
  await failed
  await finishing
  expect(finished).toBe(true)
})

test('what is over holds nothing up', async () => {
  const { gate, sends, send } = openRig()
  const one = send()
  sends[0]?.settle('sent')
  await one
  await gate.finish(never)
})

test('closing gives up with its signal', async () => {
  const { gate, send } = openRig()
  void send()
  await gate.finish(AbortSignal.abort())
  const stop = new AbortController()
  const finishing = gate.finish(stop.signal)
  stop.abort()
  await finishing
})
