import type { TestHome } from '../test-home.ts'

const things = ['invoice', 'customer', 'parcel', 'meter', 'lamp', 'ticket', 'contract', 'ledger', 'route', 'sample']
const acts = ['create', 'list', 'close', 'rename', 'archive', 'export', 'approve', 'move', 'split', 'count']

/** `create_invoice_0`, …: each tells what it was called with. */
export const toolNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${acts[Math.floor(at / 10) % 10]}_${things[at % 10]}_${Math.floor(at / 100)}`)

const tool = (name: string) => ({
  name,
  description: `Does this with what the office keeps: ${name.replaceAll('_', ' ')}.`,
  parameters: {
    type: 'object',
    properties: {
      subject: { type: 'string', description: 'Which one is meant, by its number.' },
      remark: { type: 'string', description: 'A sentence for those who read the file later.' },
    },
    required: ['subject'],
    additionalProperties: false,
  },
  ...{
    effect: 'read',
    parallel: true,
    replaySafe: true,
    guards: name.startsWith('export') ? [{ argument: 'subject', as: 'command' }] : [],
  },
})

const code = (names: readonly string[]): string => `
const names = ${JSON.stringify(names)}
const run = (name) => async ({ args }) => ({ ok: true, text: name + ' did ' + args.subject })
export default { open: async () => ({ tools: Object.fromEntries(names.map((name) => [name, run(name)])) }) }
`

/** Puts a toolset of others into a home, and answers with the line of config.yaml that switches it on. */
export function addThirdPartyTools({ write }: Pick<TestHome, 'write'>, count: number): object {
  const names = toolNames(count)
  const manifest = {
    ...{ manifestVersion: 1, id: 'toolset-office', name: 'office', description: 'made up', version: '1.0.0', license: 'MIT' },
    api: { toolset: 1 },
    contributes: { toolsets: [{ id: 'office', entry: 'dist/office.js', label: 'Office', tools: names.map(tool) }] },
  }
  const folder = 'plugins/local/toolset-office'
  write(`${folder}/agent.plugin.json`, JSON.stringify(manifest))
  write(`${folder}/package.json`, '{ "type": "module" }')
  write(`${folder}/dist/office.js`, code(names))
  return { 'toolset-office': { enabled: true } }
}
