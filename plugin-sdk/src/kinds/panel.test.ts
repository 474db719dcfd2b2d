import { expect, test } from 'vitest'
import { panelKind } from './panel.ts'

const methods = [
  { name: 'list' },
  { name: 'find', input: { type: 'object', required: ['text'] } },
  { name: 'add', changes: true, input: { type: 'object' } },
  { name: 'remove', changes: true },
]
const fields = [{ key: 'thing', label: 'Thing' }]

const problemsOf = (blocks: readonly object[], more: readonly object[] = []): readonly string[] => {
  const pages = [{ id: 'list', title: 'List', blocks }, ...more]
  const spec = panelKind.spec.parse({ id: 'x', entry: 'dist/x.js', label: 'X', methods, pages })
  return (panelKind.problems?.(spec, 'panels.x') ?? []).map(
    ({ path, problem }) => `${path.replace('panels.x.pages.list.blocks.', '')}: ${problem}`,
  )
}

test('blocks that show and do what there is are fine', () => {
  const detail = { id: 'one', title: 'One', blocks: [{ type: 'markdown', text: 'x' }] }
  const table = { type: 'table', from: 'list', fields, key: 'thing', opens: 'one', actions: [{ method: 'remove', label: 'Remove' }] }
  expect(problemsOf([table, { type: 'form', submit: 'add' }, { type: 'table', from: 'list', fields }], [detail])).toEqual([])
})

test.each<[object, string]>([
  [{ type: 'log', from: 'lst' }, '0.from: names lst, which is no method of this panel'],
  [{ type: 'log', from: 'add' }, '0.from: is add, which changes something'],
  [{ type: 'log', from: 'find' }, '0.from: is find, which is asked before anybody fills in text: give it a default'],
  [{ type: 'form', submit: 'list' }, '0.submit: is list, which changes nothing: say changes: true'],
  [{ type: 'form', submit: 'remove' }, '0.submit: is remove, which has no input to be filled in'],
  [
    { type: 'detail', from: 'list', fields, actions: [{ method: 'list', label: 'x' }] },
    '0.actions.0.method: is list, which changes nothing: say changes: true',
  ],
  [{ type: 'table', from: 'list', fields, key: 'thing', opens: 'two' }, '0.opens: opens two, which is no page of this panel'],
  [{ type: 'table', from: 'list', fields, actions: [{ method: 'remove', label: 'x' }] }, '0.key: is needed: rows are opened or acted upon'],
  [{ type: 'markdown' }, '0: needs either from or text'],
  [{ type: 'markdown', from: 'list', text: 'x' }, '0: needs either from or text'],
])('%j is told', (block, problem) => {
  expect(problemsOf([block])).toContain(problem)
})

test('two pages of one name are told', () => {
  const again = { id: 'list', title: 'Again', blocks: [{ type: 'markdown', text: 'x' }] }
  expect(problemsOf([{ type: 'markdown', text: 'x' }], [again])).toEqual(['panels.x.pages.list: is declared twice'])
})
