import { expect, test } from 'vitest'
import { readLines } from './read-lines.ts'

async function* pour(...chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const read = async (mostBytes: number, ...chunks: readonly string[]): Promise<readonly string[]> => {
  const lines: string[] = []
  for await (const line of readLines(pour(...chunks), mostBytes)) lines.push(line)
  return lines
}

test('lines are put together however they arrive', async () => {
  expect(await read(100, 'one\ntw', 'o', '\n\nthr', 'ee\nfour')).toEqual(['one', 'two', '', 'three'])
})

test('a line may be as long as is said, in one piece or several, and no longer', async () => {
  expect(await read(4, '1234\n', '12', '34\n')).toEqual(['1234', '1234'])
  await expect(read(4, '12345\n')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
  await expect(read(4, '123', '45\n')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
  await expect(read(4, '123', '45')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
})
