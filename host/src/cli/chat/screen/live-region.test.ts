import { expect, test } from 'vitest'
import { createFakeTerminal } from '../../../../../test/support/terminals/fake-terminal.ts'
import { createLiveRegion, type View } from './live-region.ts'

const view = (...lines: readonly string[]): View => ({ lines, cursor: { row: lines.length - 1, column: lines.at(-1)?.length ?? 0 } })

test('finished lines go up, the bottom stays below them', async () => {
  const { device, text, cursor } = createFakeTerminal(20, 6)
  const region = createLiveRegion(device)
  region.draw(view('status', '› a'))
  region.commit(['one', 'two'])
  region.draw(view('status', '› ab'))
  expect(await text()).toBe('one\ntwo\nstatus\n› ab')
  expect(await cursor()).toEqual({ row: 3, column: 4 })
  region.draw(view('› abc'))
  expect(await text()).toBe('one\ntwo\n› abc')
  region.erase()
  expect(await text()).toBe('one\ntwo')
  expect(await cursor()).toEqual({ row: 2, column: 0 })
})

test('what has scrolled away is never written again, and stays', async () => {
  const { device, text, sent } = createFakeTerminal(20, 5)
  const region = createLiveRegion(device)
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  for (const line of lines) {
    region.commit([line])
    region.draw(view('works', `› ${line}`))
  }
  expect(await text()).toBe([...lines, 'works', '› line 29'].join('\n'))
  const all = sent()
  for (const line of lines) expect(all.split(`${line}\u001b[K\r\n`)).toHaveLength(2)
  expect(all.replaceAll('\u001b', '^')).not.toMatch(/\^\[(?:2J|3J|H|\d+;\d+H)/)
})

test('only what differs is written, and nothing when nothing does', () => {
  const { device, sent } = createFakeTerminal(20, 6)
  const region = createLiveRegion(device)
  region.draw(view('first', 'second', '› x'))
  sent()
  region.draw(view('first', 'changed', '› x'))
  expect(sent()).toMatch(/changed/)
  region.draw(view('first', 'changed', '› x'))
  expect(sent()).toBe('')
  region.draw(view('first', 'changed', '› xy'))
  expect(sent()).not.toMatch(/first|changed/)
})

test.each([
  [60, 12],
  [20, 12],
  [9, 12],
  [9, 24],
])('after the window has become %i columns wide the bottom is drawn in its place', async (columns, rows) => {
  const { device, text, resize } = createFakeTerminal(40, 12)
  const region = createLiveRegion(device)
  region.commit(['done'])
  region.draw({ lines: ['a line of the answer that grows', '', '› the text that is written', 'below'], cursor: { row: 2, column: 10 } })
  await resize(columns, rows)
  region.draw(view('answer', '› text'))
  expect(await text()).toBe('done\nanswer\n› text')
})

test('a cleared screen keeps what has scrolled away', async () => {
  const { device, text } = createFakeTerminal(20, 4)
  const region = createLiveRegion(device)
  region.commit(['one', 'two', 'three', 'four', 'five'])
  region.draw(view('› x'))
  region.clearScreen()
  region.draw(view('› x'))
  expect(await text()).toBe('one\ntwo\n› x')
})
