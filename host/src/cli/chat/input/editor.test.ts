import { expect, test } from 'vitest'
import { describe as describeDraft, expand } from './draft.ts'
import { createEditor, type Editor } from './editor.ts'
import type { Completion } from './menu.ts'

interface Opened {
  readonly editor: Editor
  readonly kept: string[]
  /** Characters in quotes are typed, other words are keys. */
  keys(...strokes: readonly string[]): void
  /** The draft with a bar where the cursor is. */
  seen(): string
}

function open(options: { history?: readonly string[]; columns?: number; completion?: Completion } = {}): Opened {
  const kept = [...(options.history ?? [])]
  const editor = createEditor({
    history: { entries: () => kept, add: (entry) => kept.unshift(entry) },
    complete: async () => options.completion,
    onChange: () => undefined,
    columns: () => options.columns ?? 40,
  })
  return {
    editor,
    kept,
    keys: (...strokes) => {
      for (const stroke of strokes) {
        const text = /^"([\s\S]*)"$/.exec(stroke)?.[1]
        if (text === undefined) editor.take({ type: 'key', name: stroke })
        else for (const character of new Intl.Segmenter().segment(text)) editor.take({ type: 'text', text: character.segment })
      }
    },
    seen: () => {
      const { text, cursor } = editor.draft()
      return `${text.slice(0, cursor)}|${text.slice(cursor)}`
    },
  }
}

test.each([
  [['"abc"', 'left', '"X"'], 'abX|c'],
  [['"abc"', 'home', '"X"', 'end', '"Y"'], 'XabcY|'],
  [['"one two"', 'alt+b', '"X"'], 'one X|two'],
  [['"one two"', 'ctrl+a', 'alt+f'], 'one| two'],
  [['"one two"', 'ctrl+w'], 'one |'],
  [['"one two"', 'ctrl+w', 'ctrl+a', 'ctrl+y'], 'two|one '],
  [['"one"', 'ctrl+j', '"two"', 'ctrl+u'], 'one\n|'],
  [['"one"', 'ctrl+j', '"two"', 'ctrl+u', 'ctrl+u'], 'one|'],
  [['"one"', 'ctrl+j', '"two"', 'up', 'home', 'ctrl+k'], '|\ntwo'],
  [['"one"', 'ctrl+j', '"two"', 'up', 'ctrl+k'], 'one|two'],
  [['"a"', 'alt+enter', '"b"', 'shift+enter', '"c"'], 'a\nb\nc|'],
  [['"a\\"', 'enter', '"b"'], 'a\nb|'],
  [['"a👩‍👩‍👧"', 'backspace'], 'a|'],
  [['"a👩‍👩‍👧b"', 'left', 'left', 'ctrl+d'], 'a|b'],
  [['"ab"', 'ctrl+_'], 'a|'],
  [['"日本語"', 'left', 'backspace'], '日|語'],
])('%j makes %s', (strokes, seen) => {
  const { keys, seen: read } = open()
  keys(...strokes)
  expect(read()).toBe(seen)
})

test('up and down go through wrapped lines, then through the history, and bring back what was written', () => {
  const { keys, seen } = open({ history: ['newest', 'oldest'], columns: 6 })
  keys('"one two six"', 'up', 'up')
  expect(seen()).toBe('one| two six')
  keys('up')
  expect(seen()).toBe('newest|')
  keys('up', 'up')
  expect(seen()).toBe('oldest|')
  keys('down', 'down')
  expect(seen()).toBe('one| two six')
})

test('enter sends, keeps the entry and empties the line', () => {
  const { editor, keys, kept } = open()
  keys('"hello"')
  expect(editor.take({ type: 'key', name: 'enter' })).toEqual({ text: 'hello', shown: 'hello' })
  expect(kept).toEqual(['hello'])
  expect(editor.draft().text).toBe('')
})

test('a long paste is one mark, which the cursor steps over; it is sent whole and is one entry', () => {
  const { editor, keys, kept, seen } = open()
  const log = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\r\n')
  keys('"see "')
  editor.take({ type: 'paste', text: log })
  keys('" please"')
  expect(describeDraft(editor.draft())).toBe('see [pasted 3,000 lines] please')
  keys('alt+b', 'left', 'left', '"X"')
  expect(expand(editor.draft())).toBe(`see X${log.replaceAll('\r\n', '\n')} please`)
  keys('backspace', 'right', 'backspace')
  expect(seen()).toBe('see | please')
  editor.take({ type: 'paste', text: log })
  expect(editor.take({ type: 'key', name: 'enter' })).toMatchObject({ shown: 'see [pasted 3,000 lines] please' })
  expect(kept).toEqual([`see ${log.replaceAll('\r\n', '\n')} please`])
  keys('up')
  expect(describeDraft(editor.draft())).toMatch(/^\[pasted 3,000 lines\]$/)
})

test('a short paste stands as it is', () => {
  const { editor, seen } = open()
  editor.take({ type: 'paste', text: 'one\rtwo' })
  expect(seen()).toBe('one\ntwo|')
})

test('Ctrl-R searches the history from the newest on; enter sends what it found', () => {
  const { editor, keys, seen } = open({ history: ['make test', 'git log', 'make build'] })
  keys('"draft"', 'ctrl+r', '"make"')
  expect(editor.search()?.found).toBe('make test')
  keys('ctrl+r')
  expect(editor.search()?.found).toBe('make build')
  keys('ctrl+r')
  expect(editor.search()?.found).toBe('make build')
  expect(editor.take({ type: 'key', name: 'enter' })).toMatchObject({ text: 'make build' })
  keys('"draft"', 'ctrl+r', '"log"', 'escape')
  expect(seen()).toBe('git log|')
  keys('ctrl+u', '"draft"', 'ctrl+r', '"log"', 'ctrl+c')
  expect(seen()).toBe('draft|')
  keys('ctrl+r', '"nothing"', 'enter')
  expect(seen()).toBe('draft|')
})

test('Tab puts in what is certain and goes through the rest', async () => {
  const { editor, keys, seen } = open({ completion: { from: 4, items: ['main.ts ', 'make.ts '] } })
  keys('"see m"', 'tab')
  await expect.poll(seen).toBe('see ma|')
  keys('tab')
  expect(seen()).toBe('see main.ts |')
  keys('down')
  expect(seen()).toBe('see make.ts |')
  keys('shift+tab')
  expect(seen()).toBe('see main.ts |')
  keys('enter')
  expect(editor.menu()).toBeUndefined()
  expect(seen()).toBe('see main.ts |')
})

test('the only one is put in at once, and none changes nothing', async () => {
  const one = open({ completion: { from: 0, items: ['/help '] } })
  one.keys('"/he"', 'tab')
  await expect.poll(one.seen).toBe('/help |')
  expect(one.editor.menu()).toBeUndefined()
  const none = open()
  none.keys('"x"', 'tab')
  await Promise.resolve()
  expect(none.seen()).toBe('x|')
})

const commands = { from: 0, items: ['/help ', '/hello '], notes: ['List the commands', 'Greet'] }

test('below a command that is written stand those that it may become; Enter sends what is written, Tab takes one', async () => {
  const { editor, keys, seen, kept } = open({ completion: commands })
  keys('"/he"')
  await expect.poll(() => editor.menu()).toMatchObject({ ...commands, index: -1 })
  keys('enter')
  expect([kept, editor.menu(), seen()]).toEqual([['/he'], undefined, '|'])
  keys('"/he"')
  await expect.poll(() => editor.menu()).toBeDefined()
  keys('tab', 'tab')
  expect(seen()).toBe('/hello |')
  keys('escape')
  expect(editor.menu()).toBeUndefined()
})

test('Enter behind the beginning of a command that only one has sends that one', async () => {
  const { editor, keys, kept } = open({ completion: { from: 0, items: ['/help '], notes: ['List the commands'] } })
  keys('"/he"')
  await expect.poll(() => editor.menu()).toBeDefined()
  expect(editor.take({ type: 'key', name: 'enter' })).toEqual({ text: '/help', shown: '/help' })
  expect(kept).toEqual(['/help'])
})

test('nothing is offered for a path, behind a command, or for what is whole', async () => {
  const whole = open({ completion: { from: 0, items: ['/help '], notes: ['List the commands'] } })
  whole.keys('"/hel"')
  await expect.poll(() => whole.editor.menu()).toBeDefined()
  whole.keys('"p"')
  const path = open({ completion: { from: 0, items: ['/etc/', '/extra/'] } })
  path.keys('"/e"')
  const behind = open({ completion: commands })
  behind.keys('"x /h"')
  await new Promise(setImmediate)
  expect([whole, path, behind].map(({ editor }) => editor.menu())).toEqual([undefined, undefined, undefined])
})

test('what was cleared comes back with Up, once', () => {
  const { editor, keys, seen } = open({ history: ['older'] })
  keys('"a long thought"')
  editor.clear()
  keys('up')
  expect(seen()).toBe('a long thought|')
  keys('ctrl+u', 'up')
  expect(seen()).toBe('older|')
})
