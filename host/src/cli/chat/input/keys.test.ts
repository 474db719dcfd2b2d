import { expect, test } from 'vitest'
import { openKeys, type Stroke } from './keys.ts'

async function strokesOf(...chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const strokes: Stroke[] = []
  const keys = openKeys((stroke) => strokes.push(stroke))
  for (const chunk of chunks) keys.take(chunk)
  keys.take('\u0014')
  await expect.poll(() => strokes.at(-1)).toEqual({ type: 'key', name: 'ctrl+t' })
  keys.close()
  return strokes.slice(0, -1).map((stroke) => (stroke.type === 'key' ? stroke.name : `${stroke.type}:${stroke.text}`))
}

test.each([
  ['aé', ['text:a', 'text:é']],
  ['A', ['text:A']],
  ['\r', ['enter']],
  ['\n', ['ctrl+j']],
  ['\u001b\r', ['alt+enter']],
  ['\u001b[13;2u', ['shift+enter']],
  ['\u001b[A\u001bOB', ['up', 'down']],
  ['\u001b[1;5C', ['ctrl+right']],
  ['\u001b[Z', ['shift+tab']],
  ['\u0003\u0012\u007f', ['ctrl+c', 'ctrl+r', 'backspace']],
  ['\u001bb', ['alt+b']],
  ['\u001f', ['ctrl+_']],
])('%j is %j', async (sent, strokes) => {
  expect(await strokesOf(sent)).toEqual(strokes)
})

test('Esc alone is a key after a moment', async () => {
  const strokes: Stroke[] = []
  const keys = openKeys((stroke) => strokes.push(stroke))
  keys.take('\u001b')
  await expect.poll(() => strokes).toEqual([{ type: 'key', name: 'escape' }])
  keys.close()
})

test('what is pasted is one stroke, however it is cut', async () => {
  const strokes: Stroke[] = []
  const keys = openKeys((stroke) => strokes.push(stroke))
  const bytes = new TextEncoder().encode('a\u001b[200~one\r\u001b[Atwo ä\u001b[201~b')
  keys.take(bytes.subarray(0, 8))
  await new Promise((resolve) => setImmediate(resolve))
  for (const byte of bytes.subarray(8)) keys.take(Uint8Array.of(byte))
  await expect
    .poll(() => strokes)
    .toEqual([
      { type: 'text', text: 'a' },
      { type: 'paste', text: 'one\r\u001b[Atwo ä' },
      { type: 'text', text: 'b' },
    ])
  keys.close()
})
