import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPipeTransport } from './pipe-transport.ts'

function open() {
  const [to, from] = [new PassThrough(), new PassThrough()]
  const heard: string[] = []
  const transport = createPipeTransport(to, from, () => heard.push('flooded'))
  transport.onmessage = (message) => heard.push(message)
  transport.onclose = () => heard.push('closed')
  return { to, from, heard, transport }
}

test('messages end with a zero byte, wherever the pipe cuts them', async () => {
  const { to, from, heard, transport } = open()
  const bytes = Buffer.from('{"é":1}\0{"b":2}\0{"c"')
  for (const byte of bytes.subarray(0, 10)) from.write(Buffer.from([byte]))
  from.write(bytes.subarray(10))
  from.write(':3}\0')
  await turn()
  await turn()
  expect(heard).toEqual(['{"é":1}', '{"b":2}', '{"c":3}'])
  transport.send('{"d":4}')
  expect(String(to.read())).toBe('{"d":4}\0')
  transport.close()
  transport.send('late')
  expect(to.read()).toBeNull()
})

test('a message that nobody can keep ends the pipe, and its end is told', async () => {
  const { from, heard } = open()
  const piece = Buffer.alloc(1024 * 1024, 120)
  for (let number = 0; number < 66 && !from.destroyed; number += 1) {
    from.write(piece)
    await turn()
  }
  await expect.poll(() => heard).toEqual(['flooded', 'closed'])
})
