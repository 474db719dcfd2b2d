// @module-tag process
import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { expect } from 'vitest'
import { openAgent } from '../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../host/src/kernel/calls/call.ts'
import { root } from '../../repo/source-files.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { addPostOffice, postOfficeOn } from '../../support/gateways/post-office.ts'
import { importSourceEntry } from '../../support/source-entry.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

/** The events of one turn, as every door gets them. */
async function eventsOf(home: TestHome, text: string, more: Partial<TurnRequest> = {}): Promise<readonly TurnEvent[]> {
  const agent = await openAgent({
    installRoot: root,
    environment: home.environment,
    profile: undefined,
    workspace: home.work,
    note: () => undefined,
    importEntry: importSourceEntry,
  })
  const events: TurnEvent[] = []
  try {
    const request: TurnRequest = { input: [{ type: 'text', text }], source: 'test', canAnswer: false, ...more }
    for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) events.push(event)
  } finally {
    await agent.close()
  }
  return events
}

function all<Type extends TurnEvent['type']>(events: readonly TurnEvent[], type: Type): readonly Extract<TurnEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type)
}

proves(
  ['event.tool.start', 'event.tool.progress', 'event.tool.complete', 'event.message.complete'],
  'a call starts with all of its arguments, tells lines of output while it runs, and the turn ends with its text',
  async () => {
    using home = openTestHome()
    const command = 'echo first; sleep 1.2; echo second'
    const events = await eventsOf(home, `call terminal {"command": "${command}", "timeout": 20}`)
    const [start] = all(events, 'tool.start')
    expect(start).toMatchObject({ name: 'terminal', args: { command, timeout: 20 }, preview: expect.stringContaining('echo first') })
    const [progress] = all(events, 'tool.progress')
    expect(progress).toEqual({ type: 'tool.progress', id: start?.id, text: expect.stringMatching(/first|second/) })
    expect(all(events, 'tool.complete')).toMatchObject([{ id: start?.id, ok: true, text: 'first\nsecond', result: { exit_code: 0 } }])
    const deltas = all(events, 'message.delta').map(({ text }) => text)
    expect(events.at(-1)).toMatchObject({ type: 'message.complete', status: 'complete', text: deltas.join('') })
  },
)

proves(
  ['event.error.provider', 'event.message.provider-failure'],
  'a failure of the provider, and that there is none, is an event of the turn and ends it as failed',
  async () => {
    using home = openTestHome()
    await using server = await startFakeOpenai({ answers: [{ refuse: { status: 400, message: 'no such field' } }] })
    home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${server.url}\n`)
    const refused = await eventsOf(home, 'hello', { provider: 'custom', model: 'fake-model' })
    expect(all(refused, 'error')).toMatchObject([{ error: { code: 'MODEL_FORMAT_ERROR' }, text: expect.stringContaining('no such field') }])
    expect(refused.at(-1)).toMatchObject({ type: 'message.complete', status: 'failed' })
    home.write('config.yaml', 'model: { provider: none }\n')
    const run = await runHere(home, ['chat', '--cli'], { input: 'hello\n' })
    expect(run).toMatchObject({ code: 1, note: expect.stringContaining('No inference provider is configured') })
  },
)

proves(
  'event.outbound.no-tool',
  'the model is offered the tools that agent tools lists as ready, and cannot call one that sends',
  async () => {
    using home = openTestHome()
    await using server = await startFakeOpenai({ answers: [{ text: 'yes' }] })
    addPostOffice(home)
    home.write('config.yaml', postOfficeOn)
    home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${server.url}\nPOST_TOKEN=right-events\n`)
    await eventsOf(home, 'hello', { provider: 'custom', model: 'fake-model' })
    const offered = ((server.requests[0]?.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name)
    const { toolsets } = JSON.parse((await runHere(home, ['tools', '--json'])).out)
    const ready = (toolsets as { state: string; tools: { name: string; lacks: string | null }[] }[]).filter(
      ({ state }) => state === 'ready',
    )
    const usable = ready.flatMap(({ tools }) => tools.filter(({ lacks }) => lacks === null).map(({ name }) => name))
    const pair = ['tool_call', 'tool_search']
    const listed = offered.filter((name) => !pair.includes(name))
    expect(usable).toEqual(expect.arrayContaining(listed))
    const hidden = usable.filter((name) => !listed.includes(name))
    expect(hidden).toContain('delegate_task')
    for (const name of hidden) {
      const found = await eventsOf(home, `call tool_search ${JSON.stringify({ query: name })}`, { provider: 'offline' })
      expect(JSON.stringify(all(found, 'tool.complete'))).toContain(name)
    }
    expect(offered.filter((name) => /send|message|post|deliver|notify/.test(name))).toEqual([])
    const events = await eventsOf(home, 'call send_message {"to": "#room", "text": "hi"}', { provider: 'offline' })
    expect(all(events, 'tool.complete')).toMatchObject([{ ok: false, error: { code: 'TOOL_NOT_FOUND' } }])
  },
)
