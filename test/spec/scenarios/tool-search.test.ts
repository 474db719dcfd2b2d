// @module-tag process
import { expect, test } from 'vitest'
import { type FakeOpenai, startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../../support/fakes/fake-vendor.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { addThirdPartyTools } from '../../support/tools/third-party-tools.ts'

/** A home with so many tools of others, and the model that its config.yaml names. */
function configure(home: TestHome, server: FakeOpenai, count: number, more: object = {}): void {
  const entries = count > 0 ? addThirdPartyTools(home, count) : {}
  const model = { provider: 'custom', default: 'fake-model', base_url: server.url }
  home.write('config.yaml', JSON.stringify({ model, plugins: { entries }, ...more }))
}

const call = (name: string, args: object): FakeAnswer => ({ calls: [{ name, args: JSON.stringify(args) }] })
const through = (name: string, args: object): FakeAnswer => call('tool_call', { name, arguments: args })
const listed = ({ requests }: FakeOpenai): readonly string[] => {
  const tools = (requests.at(-1)?.body.tools ?? []) as readonly { readonly function: { readonly name: string } }[]
  return tools.map((tool) => tool.function.name)
}
const lastResult = ({ requests }: FakeOpenai, at: number): string => {
  const messages = (requests[at]?.body.messages ?? []) as readonly { readonly content: unknown }[]
  return String(messages.at(-1)?.content)
}

test('of 500 tools of others a model finds one by words and calls it, by its own name after a wrong one', async () => {
  using home = openTestHome()
  const answers = [
    call('tool_search', { query: 'approve the parcel' }),
    through('approve_parcels', { subject: '7' }),
    through('approve_parcel_0', {}),
    through('approve_parcel_0', { subject: '7' }),
    { text: 'It is approved.' },
  ]
  await using server = await startFakeOpenai({ answers })
  configure(home, server, 500)
  expect(await runHere(home, ['chat', '-z', 'approve parcel 7'])).toMatchObject({ code: 0, out: 'It is approved.\n' })
  expect(listed(server)).toEqual(expect.arrayContaining(['terminal', 'tool_search', 'tool_call']))
  expect(listed(server)).not.toContain('approve_parcel_0')
  expect(lastResult(server, 1)).toMatch(/^Call one with tool_call.*\n\{"name":"approve_parcel_0",.*"subject":/)
  expect(lastResult(server, 2)).toMatch(/no tool "approve_parcels".*approve_parcel_0/)
  expect(lastResult(server, 3)).toMatch(/arguments of approve_parcel_0 do not fit/)
  expect(lastResult(server, 4)).toBe('approve_parcel_0 did 7')
})

test('500 tools make a request no longer than 50 do, and little longer than none', async () => {
  const bytes: number[] = []
  for (const count of [0, 50, 500]) {
    using home = openTestHome()
    await using server = await startFakeOpenai({ answers: [{ text: 'Yes.' }] })
    configure(home, server, count)
    await runHere(home, ['chat', '-z', 'hello'])
    bytes.push(JSON.stringify(server.requests.at(-1)?.body.tools).length)
  }
  const [none = 0, fifty = 0, all = 0] = bytes
  expect(all).toBe(fifty)
  // The protocol wraps each of the two in 37 bytes beside their 300.
  expect(all - none).toBeLessThanOrEqual(300 + 2 * 37)
})

test('a dangerous call through the pair is refused like one that is made directly', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [through('export_meter_0', { subject: 'rm -rf /' }), { text: 'No.' }] })
  configure(home, server, 500)
  expect(await runHere(home, ['chat', '-z', 'export it'])).toMatchObject({ code: 0, out: 'No.\n' })
  expect(lastResult(server, 1)).toMatch(/^This command is never run/)
  expect(lastResult(server, 1)).not.toContain('did rm')
})

test('with the search off all of them are listed', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'Yes.' }] })
  configure(home, server, 30, { tools: { tool_search: { enabled: 'off' } } })
  await runHere(home, ['chat', '-z', 'hello'])
  expect(listed(server)).toContain('create_invoice_0')
  expect(listed(server)).not.toContain('tool_search')
})
