import type { Answers } from '../../host/web/src/net/api.ts'
import type { PanelAnswer, PanelRecord } from '../../plugin-sdk/src/contract/panel.ts'
import type { PanelBlock } from '../../plugin-sdk/src/kinds/panel.ts'
import { pluginFolders, readManifest } from '../repo/plugin-folders.ts'

type Panel = Answers['GET panels']['panels'][number]
type Field = Extract<PanelBlock, { type: 'detail' }>['fields'][number]

/** The panels that come with the program, as their manifests have them. */
export const bundledPanels = pluginFolders.map(readManifest).flatMap(({ id: plugin, contributes }) =>
  (contributes.panels ?? []).map(({ id, label, group, pages, methods }) => ({
    ...{ id, name: label, plugin, group, pages },
    inputs: Object.fromEntries(methods.flatMap(({ name, input }) => (input === undefined ? [] : [[name, input]]))),
  })),
) as readonly Panel[]

/** Addresses of their pages, those that a row opens too. */
export const panelPages: readonly string[] = bundledPanels.flatMap(({ id, pages: [first, ...opened] }) => [
  ...(first ? [`panel/${id}`] : []),
  ...opened.map((page) => `panel/${id}/${page.id}/one`),
])

const long = 'Look at what was said in the room since yesterday, and write down in three sentences what somebody has to answer today'
const unbroken = '/home/me/projects/the-parser-of-dates/node_modules/@somebody/a-package-with-a-long-name/dist/index.production.min.js'
const start = 1_700_000_000_000

/** Values as short and as long as they come, by the form of a field; `at` is the row. */
const values: Readonly<Record<Field['as'], (at: number, field: Field) => string | number>> = {
  text: (at) => ['Groceries', long, `Read ${unbroken}`][at % 3] ?? '',
  code: (at) => ['bake', unbroken, `npx -y @somebody/server ${unbroken}`][at % 3] ?? '',
  number: (at) => [3, 12_345_678, 0][at % 3] ?? 0,
  bytes: (at) => [2048, 7_340_032, 0][at % 3] ?? 0,
  link: (at) => ['javascript:alert(1)', `https://${'a'.repeat(60)}.example${unbroken}`, 'https://accounts.example/authorize'][at % 3] ?? '',
  time: (at) => start + at * 86_400_000,
  badge: (at, { tones = {} }) => [...Object.keys(tones), 'another'][at % (Object.keys(tones).length + 1)] ?? '',
}

function fillRow(fields: readonly Field[], at: number, more: PanelRecord): PanelRecord {
  return { ...more, ...Object.fromEntries(fields.map((field) => [field.key, values[field.as](at, field)])) }
}

/** What a row has to say for its buttons: the second one offers those alone that are always there. */
function allow(actions: readonly { readonly when?: string | undefined }[], at: number): PanelRecord {
  return Object.fromEntries(actions.flatMap(({ when }) => (when === undefined ? [] : [[when, at !== 1]])))
}

const fill: { readonly [Type in PanelBlock['type']]: (block: Extract<PanelBlock, { type: Type }>, panel: Panel) => PanelAnswer } = {
  table: ({ fields, actions, key }) => ({
    rows: [0, 1, 2].map((at) => fillRow(fields, at, { ...allow(actions, at), ...(key === undefined ? {} : { [key]: `row ${at + 1}` }) })),
  }),
  detail: ({ fields, actions }) => ({ item: { ...fillRow(fields, 2, allow(actions, 0)), ...fillRow(fields.slice(0, 1), 0, {}) } }),
  form: ({ submit }, { inputs }) => ({
    values: Object.fromEntries(Object.keys(Object(inputs[submit]?.properties)).map((name) => [name, `${long}.`])),
  }),
  markdown: () => ({ text: `# What is to be done\n\n${long}.\n\n- ${unbroken}\n\n\`\`\`diff\n-${unbroken}\n+${long}\n\`\`\`\n` }),
  chart: () => ({ points: ['The prompt', 'Tools', 'Notes', 'Messages'].map((name, at) => ({ name, value: (at * 7919 + 12) % 4000 })) }),
  log: () => ({
    lines: ['debug', 'info', 'warn', 'error'].map((level, at) => ({
      ...(at === 1 ? {} : { at: start + at * 1000 }),
      ...{ level, text: at % 2 === 0 ? 'It is there.' : `${long}: ${unbroken}` },
    })),
  }),
  calendar: () => ({
    events: [0, 1, 2].map((at) => ({
      at: start + at * 86_400_000,
      title: at === 1 ? long : 'Groceries',
      ...(at === 0 ? {} : { detail: unbroken }),
    })),
  }),
}

/** What a method of a bundled panel answers to the block that is drawn from it. */
export function fillPanel(id: string, method: string): PanelAnswer | undefined {
  const panel = bundledPanels.find((each) => each.id === id)
  const block = panel?.pages.flatMap(({ blocks }) => blocks).find((each) => 'from' in each && each.from === method)
  return panel && block && (fill[block.type] as (block: PanelBlock, panel: Panel) => PanelAnswer)(block, panel)
}
