import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { end, hello, text, world } from './testing/turn-world.ts'

test('who wants a session alone has it while no turn answers in it, and no turn begins meanwhile', async () => {
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  const slow = async function* () {
    await held
    yield text('one')
    yield end()
  }
  const { turns, run } = world([slow, [text('two'), end()]])
  const begin = turns.run({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal))[Symbol.asyncIterator]()
  const started = (await begin.next()).value
  const session = started?.type === 'message.start' ? started.session : ''
  // It is not stored yet, and it is in work all the same.
  await expect(turns.alone(session, async () => 'never')).rejects.toMatchObject({ code: 'SESSION_WAITING' })
  answer()
  while (!(await begin.next()).done);
  const done = await turns.alone(session, async ({ id }) => {
    await expect(run({ ...hello, session: { id } })).rejects.toMatchObject({ code: 'SESSION_WAITING' })
    return id
  })
  expect(done).toBe(session)
  await expect(turns.alone('ses_gone', async () => 'never')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect((await run({ ...hello, session: { id: session } })).at(-1)).toMatchObject({ text: 'two' })
})
