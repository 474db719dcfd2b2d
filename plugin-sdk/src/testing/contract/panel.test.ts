import { expect, test } from 'vitest'
import { fail } from '../../contract/errors.ts'
import type { PanelAnswer } from '../../contract/panel.ts'
import type { Call } from '../../contract/wire.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import type { PanelRequest } from '../../kinds/panel.ts'
import { openClone } from '../rig/subject.ts'
import { type PanelWorld, panelContract } from './panel.ts'

const text = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'panel-list', name: 'List', description: 'd', version: '1.0.0', license: 'MIT', api: { panel: 1 } },
  contributes: {
    panels: [
      {
        ...{ id: 'list', entry: 'dist/panel.list.js', label: 'List' },
        methods: [
          { name: 'read', input: { ...text, properties: { text: { type: 'string', default: '' } } } },
          { name: 'add', changes: true, input: { ...text, required: ['text'] } },
        ],
        pages: [{ id: 'list', title: 'List', blocks: [{ type: 'table', from: 'read', fields: [{ key: 'thing', label: 'Thing' }] }] }],
      },
    ],
  },
})

const given: PanelWorld['given'] = [
  { method: 'read', input: { text: 'milk' } },
  { method: 'add', input: { text: 'milk' } },
]
const world = async (): Promise<PanelWorld> => ({
  config: {},
  given,
  failing: { method: 'add', input: { text: 'none' } },
  slow: { method: 'read', input: { text: 'long' } },
  [Symbol.asyncDispose]: async () => undefined,
})

type Run = (request: PanelRequest, call: Call) => Promise<PanelAnswer>

const sound: Run = async ({ method, input }, { signal }) => {
  if (input.text === 'long') await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  if (input.text === 'none') throw fail('SKILL_NOT_FOUND', { skill: 'none' })
  return method === 'read' ? { rows: [{ thing: String(input.text).toUpperCase() }] } : { said: 'Done.' }
}

async function findings(opened: object, openWorld = world): Promise<string[]> {
  const entry = { open: async () => opened as { run: Run } }
  const open = async () => openClone('panel', entry)
  const subject = { kind: 'panel', manifest, contribution: 'list', place: 'clone', open } as const
  const found: string[] = []
  for (const { rule, run } of panelContract({ subject, patienceMs: 500, world: openWorld })) {
    await run().catch((error: Error & { code?: string }) =>
      found.push(error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.message}`),
    )
  }
  return found
}

test('a sound panel keeps every rule', async () => {
  expect(await findings({ run: sound })).toEqual([])
})

const otherwise =
  (text: string, answer: unknown): Run =>
  async (request, call) =>
    request.method === 'read' && request.input.text === text ? (answer as PanelAnswer) : sound(request, call)

test.each<[string, Run, readonly string[]]>([
  ['an answer that no table can draw', otherwise('milk', { rows: 'milk' }), ['answer']],
  ['an answer that none can draw before a filter is filled in', otherwise('', { said: 'fill it in' }), ['answer']],
  ['a value that cannot cross', otherwise('milk', { rows: [{ at: new Date() }] }), ['border']],
  [
    'a failure without a code',
    async (request, call) => (request.input.text === 'none' ? Promise.reject(new Error('no')) : sound(request, call)),
    ['errors'],
  ],
  [
    'one that goes on when it is given up',
    async (request, call) => sound(request, { ...call, signal: new AbortController().signal }),
    ['abort'],
  ],
])('%s breaks its own rule and only that', async (_name, run, rules) => {
  expect(await findings({ run })).toEqual(rules)
})

test('what nobody tries is not proved, and what does not fit the input is no trial', async () => {
  const withGiven =
    (...trials: PanelWorld['given']) =>
    async () => ({ ...(await world()), given: trials })
  expect(await findings({ run: sound }, withGiven({ method: 'read' }))).toEqual(['answer'])
  expect(await findings({ run: sound }, withGiven({ method: 'read' }, { method: 'add' }))).toContain('answer')
})
