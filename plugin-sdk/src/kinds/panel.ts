import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import { fieldForms, type PanelAnswer, type PanelHost, type PanelRecord } from '../contract/panel.ts'
import type { Call } from '../contract/wire.ts'
import { type Convert, defineKind, type Problem, repeated } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a panel's entry file. */
export interface Panel<C = unknown> {
  open(context: Context<C> & PanelHost, call: Call): Promise<OpenPanel>
}

/** A panel that is open. */
export interface OpenPanel {
  /** Answers a declared method, with what the blocks that show it can draw. Rejects with a coded error. */
  run(request: PanelRequest, call: Call): Promise<PanelAnswer>
}

/** A method that a page asks, or that somebody started. */
export interface PanelRequest {
  readonly method: string
  /** What was filled in, checked against the method's `input`; empty where nothing was. */
  readonly input: PanelRecord
  /** The row that an action or a page is about, by its key. */
  readonly item?: string
}

const methodName = z.string().regex(/^[a-z][a-zA-Z0-9]{0,62}$/)
const key = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/)
const label = z.string().min(1).max(60)

const method = z.strictObject({
  name: methodName,
  /** It does something; one that does not is asked whenever a page is drawn. */
  changes: z.boolean().default(false),
  /** JSON Schema of what is filled in: an object, closed. Where a block is drawn from it, its fields stand above the block as filters. */
  input: jsonSchema.optional(),
})

const field = z.strictObject({
  key,
  label,
  as: z.enum(fieldForms).default('text'),
  /** Of a badge: which words are good, which a warning and which bad. */
  tones: z.record(z.string(), z.enum(['ok', 'warn', 'bad'])).optional(),
})
const action = z.strictObject({
  method: methodName,
  label,
  /** Asked before it is done. */
  confirm: z.string().min(1).max(200).optional(),
  /** Only where this field of the row or item is true. */
  when: key.optional(),
})
/** Stands above the block, where a page has several. */
const title = label.optional()

const block = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('table'),
    title,
    from: methodName,
    fields: z.array(field).min(1),
    /** Said where there is no row. */
    empty: z.string().default('Nothing is here yet.'),
    /** The field that tells rows apart; its text is the `item` of actions and of the page that a row opens. */
    key: key.optional(),
    opens: name.optional(),
    actions: z.array(action).default([]),
  }),
  z.strictObject({
    type: z.literal('detail'),
    title,
    from: methodName,
    fields: z.array(field).min(1),
    actions: z.array(action).default([]),
  }),
  z.strictObject({ type: z.literal('form'), title, submit: methodName, label: label.default('Save'), from: methodName.optional() }),
  z.strictObject({ type: z.literal('markdown'), title, from: methodName.optional(), text: z.string().min(1).optional() }),
  z.strictObject({ type: z.literal('chart'), title, from: methodName, label, unit: z.string().max(20).default('') }),
  z.strictObject({ type: z.literal('log'), title, from: methodName, empty: z.string().default('Nothing was written yet.') }),
  z.strictObject({ type: z.literal('calendar'), title, from: methodName }),
])

const page = z.strictObject({
  id: name,
  title: label,
  about: z.string().max(200).optional(),
  blocks: z.array(block).min(1).max(20),
  /** It is asked again after so long. */
  refreshSeconds: z.int().min(2).max(3600).optional(),
})

const panel = z.strictObject({
  id: name,
  entry,
  label,
  /** Among which pages of the dashboard it stands. */
  group: z.enum(['talk', 'set-up', 'look-after', 'plugins']).default('plugins'),
  methods: z.array(method).min(1),
  /** The first one is in the navigation; the others are opened from rows. */
  pages: z.array(page).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** A panel, as the manifest has it. */
export type PanelManifest = z.output<typeof panel>
/** A block of a page of a panel, as the manifest has it. */
export type PanelBlock = z.output<typeof block>

/** A method as a definition writes it: its name is its key. */
export interface PanelMethodDefinition {
  readonly changes?: boolean
  readonly input?: z.ZodObject
}

export const panelKind = defineKind({
  spec: panel,
  problems: panelProblems,
  parts: { called: 'methods', of: ({ methods }) => methods.map((method) => method.name) },
  write: ({ methods }, path, convert) => ({
    methods: listMethods(methods as Readonly<Record<string, PanelMethodDefinition>>, path, convert),
  }),
})

function listMethods(methods: Readonly<Record<string, PanelMethodDefinition>>, path: string, convert: Convert): readonly unknown[] {
  return Object.entries(methods).map(([name, { input, ...rest }]) => ({
    ...rest,
    name,
    ...(input === undefined ? {} : { input: convert(input, `${path}.methods.${name}.input`) }),
  }))
}

type Found = readonly Problem[]

/** Names that must point to something, and to something of the right sort. */
function panelProblems(panel: PanelManifest, path: string): Found {
  const { pages } = panel
  const places = pages.flatMap(({ id, blocks }) => blocks.map((block, index) => ({ block, at: `${path}.pages.${id}.blocks.${index}` })))
  return [
    ...repeated(
      pages.map(({ id }) => id),
      `${path}.pages`,
    ),
    ...places.flatMap(({ block, at }) => [...methodProblems(panel, block, at), ...blockProblems(panel, block, at)]),
  ]
}

function methodProblems({ methods }: PanelManifest, block: PanelBlock, at: string): Found {
  const actions = 'actions' in block ? block.actions : []
  const used = [
    ...(block.from === undefined ? [] : [{ path: `${at}.from`, method: block.from, changes: false }]),
    ...(block.type === 'form' ? [{ path: `${at}.submit`, method: block.submit, changes: true }] : []),
    ...actions.map(({ method }, index) => ({ path: `${at}.actions.${index}.method`, method, changes: true })),
  ]
  return used.flatMap(({ path, method, changes }) => {
    const found = methods.find(({ name }) => name === method)
    if (path.endsWith('.from') && block.type !== 'form' && needed(found?.input).length > 0)
      return [
        { path, problem: `is ${method}, which is asked before anybody fills in ${needed(found?.input).join(', ')}: give it a default` },
      ]
    if (!found) return [{ path, problem: `names ${method}, which is no method of this panel` }]
    if (found.changes === changes) return []
    return [{ path, problem: `is ${method}, which ${changes ? 'changes nothing: say changes: true' : 'changes something'}` }]
  })
}

const needed = (input: PanelManifest['methods'][number]['input']): readonly unknown[] =>
  Array.isArray(input?.required) ? input.required : []

function blockProblems({ methods, pages }: PanelManifest, block: PanelBlock, at: string): Found {
  if (block.type === 'form') {
    const empty = methods.some(({ name, input }) => name === block.submit && input === undefined)
    return empty ? [{ path: `${at}.submit`, problem: `is ${block.submit}, which has no input to be filled in` }] : []
  }
  if (block.type === 'markdown') {
    return (block.from === undefined) === (block.text === undefined) ? [{ path: at, problem: 'needs either from or text' }] : []
  }
  if (block.type !== 'table') return []
  const { opens, key, actions } = block
  const nowhere = opens !== undefined && !pages.some(({ id }) => id === opens)
  return [
    ...(nowhere ? [{ path: `${at}.opens`, problem: `opens ${opens}, which is no page of this panel` }] : []),
    ...(key === undefined && (opens !== undefined || actions.length > 0)
      ? [{ path: `${at}.key`, problem: 'is needed: rows are opened or acted upon' }]
      : []),
  ]
}
