import { expect, test } from 'vitest'
import type { DeclaredTool } from './list-tools.ts'
import { createToolIndex } from './tool-index.ts'

const declared = (name: string, description: string, parameters: unknown = { type: 'object' }, label = 'Home'): DeclaredTool =>
  ({ contribution: { id: 'home', spec: { label } }, tool: { name, description, parameters } }) as unknown as DeclaredTool

async function open(...tools: readonly DeclaredTool[]) {
  const index = await createToolIndex(tools)
  return (words: string, most = 10, among: (name: string) => boolean = () => true) => index.find(words, { most, among })
}

test('a name counts more than a description, and that more than the name of an argument', async () => {
  const find = await open(
    declared('a_thing', 'Asks.', { type: 'object', properties: { valve: { type: 'string' } } }),
    declared('b_thing', 'Opens the valve.'),
    declared('valve', 'Turns.'),
  )
  expect(find('valve')).toEqual(['valve', 'b_thing', 'a_thing'])
  expect(find('valve', 2)).toEqual(['valve', 'b_thing'])
  expect(find('valve', 10, (name) => name !== 'valve')).toEqual(['b_thing', 'a_thing'])
})

test('words of a name are found however they are joined, and those of arguments however deep they lie', async () => {
  const inner = { type: 'object', properties: { altitude: { type: 'number', description: 'Above the sea.' } }, description: 'A place.' }
  const find = await open(
    declared('makeInvoice', 'Writes.'),
    declared('read_meter', 'Asks.', { type: 'object', properties: { spots: { type: 'array', items: inner } } }),
    declared('plain', 'Rests.', { type: 'object', properties: null, items: 'none', description: 7 }),
  )
  for (const words of ['invoice', 'make']) expect(find(words)).toEqual(['makeInvoice'])
  for (const words of ['meter', 'spots', 'altitude', 'sea', 'place']) expect(find(words), words).toEqual(['read_meter'])
  expect(find('home')).toHaveLength(3)
})

test('a longer word may be misspelt or cut short, a short one may not', async () => {
  const find = await open(declared('weather', 'Tells it.'), declared('tide', 'Tells it.'))
  expect([find('wether'), find('wea'), find('we')]).toEqual([['weather'], ['weather'], []])
  expect([find('tyde'), find('tide')]).toEqual([[], ['tide']])
})
