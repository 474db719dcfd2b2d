import { expect, test } from 'vitest'
import { createElementNames } from './element-names.ts'
import type { SerializedAXNode } from './library.ts'
import { formatPage } from './snapshot.ts'

let last = 0
function node(role: string, name: string, more: Partial<SerializedAXNode> = {}): SerializedAXNode {
  last += 1
  return { role, name, loaderId: 'one', backendNodeId: last, elementHandle: async () => null, ...more }
}

const options = { full: true, mostCharacters: 1000 }

test('a page is shown as a tree whose usable elements have names, which stay the same', () => {
  const { nameOf, keep, find } = createElementNames()
  const button = node('button', 'Send it', { disabled: true, children: [node('StaticText', 'Send it')] })
  const root = node('RootWebArea', 'Shop', {
    children: [
      node('heading', 'Roses\n of  ours', { level: 1 }),
      node('StaticText', 'Ten roses.'),
      node('StaticText', ' '),
      node('generic', '', { children: [node('textbox', 'Name', { value: 'Ann', required: true, description: 'yours' }), button] }),
      node('checkbox', 'All', { checked: 'mixed' }),
      node('Iframe', '', { children: [node('RootWebArea', 'Inner', { children: [node('link', 'Out')] })] }),
    ],
  })
  const shown = formatPage(root, { ...options, nameOf })
  expect(shown.text.split('\n')).toEqual([
    '- heading "Roses of ours" (level 1)',
    '- Ten roses.',
    '- textbox "Name" = "Ann" (yours) required [@e1]',
    '- button "Send it" disabled [@e2]',
    '- checkbox "All" checked: mixed [@e3]',
    '- iframe',
    '  - frame "Inner"',
    '    - link "Out" [@e4]',
  ])
  keep(shown.refs)
  expect([find('@e2'), find('e2')]).toEqual([button, button])
  expect(() => find('@e9')).toThrow('no snapshot has shown @e9')
  expect(formatPage(root, { ...options, full: false, nameOf }).text).not.toContain('Ten roses')
  expect(formatPage(root, { ...options, full: false, nameOf }).text).toContain('button "Send it" disabled [@e2]')
})

test('what is too long is left out, and its elements have no names', () => {
  const { nameOf } = createElementNames()
  const children = Array.from({ length: 30 }, (_, number) => node('button', `${number} ${'x'.repeat(300)}`))
  const { text, refs } = formatPage(node('RootWebArea', '', { children }), { full: false, mostCharacters: 1000, nameOf })
  expect([refs.size, text.split('\n').at(-1)]).toEqual([4, '… 26 more elements left out …'])
  expect(text.split('\n')[0]?.length).toBeLessThan(240)
})
